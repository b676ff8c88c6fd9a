/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.autoconfigure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import org.apache.catalina.Server;
import org.apache.catalina.Service;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.jsse.JSSEImplementation;
import org.apache.tomcat.util.net.openssl.OpenSSLContext;

/**
 * The connectors of a server that serve TLS.
 */
final class TlsConnectors {

	static final String OPENSSL = "OpenSSL";

	private TlsConnectors() {
	}

	static List<Connector> of(Server server) {
		List<Connector> connectors = new ArrayList<>();
		for (Service service : server.findServices()) {
			for (Connector connector : service.findConnectors()) {
				if (connector.getProtocolHandler() instanceof AbstractHttp11Protocol<?> protocol
						&& protocol.isSSLEnabled()) {
					connectors.add(connector);
				}
			}
		}
		return connectors;
	}

	static AbstractHttp11Protocol<?> protocol(Connector connector) {
		return (AbstractHttp11Protocol<?>) connector.getProtocolHandler();
	}

	/**
	 * Return which engines serve TLS, read from the contexts of a started connector.
	 * @param connector the connector
	 * @return the names of the engines, normally one; empty when it is not started
	 */
	static List<String> engines(Connector connector) {
		return Arrays.stream(protocol(connector).findSslHostConfigs())
			.flatMap((config) -> config.getCertificates().stream())
			.map(SSLHostConfigCertificate::getSslContext)
			.filter(Objects::nonNull)
			.map(TlsConnectors::engine)
			.distinct()
			.sorted()
			.toList();
	}

	private static String engine(SSLContext context) {
		if (context instanceof OpenSSLContext) {
			return OPENSSL;
		}
		boolean jsse = context.getClass().getPackage() == JSSEImplementation.class.getPackage();
		return jsse ? "JSSE" : context.getClass().getName();
	}

}
