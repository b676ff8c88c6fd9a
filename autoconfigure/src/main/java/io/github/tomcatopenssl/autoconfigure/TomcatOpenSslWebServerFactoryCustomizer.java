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

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.NativeDetector;
import org.springframework.core.Ordered;

/**
 * Hands the TLS engine and the secure defaults to Tomcat.
 */
class TomcatOpenSslWebServerFactoryCustomizer
		implements WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory>, Ordered {

	private final TlsEngineSelector selector;

	private final @Nullable ServerCertificateBundles bundles;

	private final Duration handshakeTimeout;

	TomcatOpenSslWebServerFactoryCustomizer(TlsEngineSelector selector, @Nullable ServerCertificateBundles bundles,
			Duration handshakeTimeout) {
		if (handshakeTimeout.toMillis() <= 0) {
			throw new InvalidConfigurationPropertyValueException("server.ssl.handshake-timeout", handshakeTimeout,
					"It has to be longer than a millisecond.");
		}
		this.selector = selector;
		this.bundles = bundles;
		this.handshakeTimeout = handshakeTimeout;
	}

	@Override
	public int getOrder() {
		// Others decide whether the server serves TLS
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void customize(ConfigurableTomcatWebServerFactory factory) {
		if (NativeDetector.inNativeImage() || !(factory instanceof TomcatWebServerFactory tomcatFactory)) {
			return;
		}
		tomcatFactory.addContextCustomizers(
				new TlsContextCustomizer(this.selector, this.bundles, this.handshakeTimeout, tomcatFactory));
		if (Ssl.isEnabled(tomcatFactory.getSsl())
				&& TomcatWebServerFactory.DEFAULT_PROTOCOL.equals(tomcatFactory.getProtocol())) {
			tomcatFactory.setProtocol(TlsHttp11NioProtocol.class.getName());
		}
	}

}
