// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.tomcat.TlsHttp11NioProtocol;

import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.NativeDetector;
import org.springframework.core.Ordered;

/**
 * Configures Tomcat with the TLS engine and the secure defaults.
 */
class TomcatOpenSslWebServerFactoryCustomizer
		implements WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory>, Ordered {

	private final TlsEngineSelector selector;

	private final ConnectorSettings settings;

	TomcatOpenSslWebServerFactoryCustomizer(TlsEngineSelector selector, ConnectorSettings settings) {
		this.selector = selector;
		this.settings = settings;
	}

	@Override
	public int getOrder() {
		// Other customizers decide whether the server serves TLS
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void customize(ConfigurableTomcatWebServerFactory factory) {
		if (!supports(factory)) {
			return;
		}
		TomcatWebServerFactory tomcatFactory = (TomcatWebServerFactory) factory;
		tomcatFactory.addContextCustomizers(new TlsContextCustomizer(this.selector, this.settings, tomcatFactory));
		if (Ssl.isEnabled(tomcatFactory.getSsl()) && TlsHttp11NioProtocol.isSupported()
				&& TomcatWebServerFactory.DEFAULT_PROTOCOL.equals(tomcatFactory.getProtocol())) {
			tomcatFactory.setProtocol(TlsHttp11NioProtocol.class.getName());
		}
	}

	boolean supports(ConfigurableWebServerFactory factory) {
		return factory instanceof TomcatWebServerFactory && !NativeDetector.inNativeImage();
	}

}
