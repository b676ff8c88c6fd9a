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

import org.jspecify.annotations.Nullable;

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

	private final TlsHostPreparation preparation;

	private final TlsEngineInstaller installer;

	TomcatOpenSslWebServerFactoryCustomizer(TlsEngineSelector selector, @Nullable ServerCertificateBundles bundles) {
		this.preparation = new TlsHostPreparation(selector, bundles);
		this.installer = new TlsEngineInstaller(selector, this.preparation);
	}

	@Override
	public int getOrder() {
		return ServerCertificateWebServerFactoryCustomizer.ORDER + 1;
	}

	@Override
	public void customize(ConfigurableTomcatWebServerFactory factory) {
		if (NativeDetector.inNativeImage()) {
			return;
		}
		factory.addContextCustomizers(this.installer);
		if (factory instanceof TomcatWebServerFactory tomcatFactory && Ssl.isEnabled(tomcatFactory.getSsl())
				&& TomcatWebServerFactory.DEFAULT_PROTOCOL.equals(tomcatFactory.getProtocol())) {
			tomcatFactory.setProtocol(SecureDefaultsHttp11NioProtocol.class.getName());
			boolean ofServerCertificate = ConfiguredHosts.BUNDLE_NAME.equals(tomcatFactory.getSsl().getBundle());
			tomcatFactory.addProtocolHandlerCustomizers((SecureDefaultsHttp11NioProtocol protocol) -> protocol
				.setPreparation((config) -> this.preparation.prepare(config, ofServerCertificate)));
		}
	}

}
