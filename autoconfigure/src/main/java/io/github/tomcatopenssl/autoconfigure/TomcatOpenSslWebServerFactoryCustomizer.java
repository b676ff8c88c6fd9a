// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.OpenSslUnavailableException;
import io.github.tomcatopenssl.engine.TlsEngineSelector;
import io.github.tomcatopenssl.tomcat.RevocationChecks;
import io.github.tomcatopenssl.tomcat.TlsHttp11NioProtocol;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.AbstractConfigurableWebServerFactory;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.NativeDetector;
import org.springframework.core.Ordered;

/**
 * Hands the TLS engine and the secure defaults to Tomcat.
 */
class TomcatOpenSslWebServerFactoryCustomizer
		implements WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory>, Ordered {

	private static final Log logger = LogFactory.getLog(TomcatOpenSslWebServerFactoryCustomizer.class);

	private final TlsEngineSelector selector;

	private final ConnectorSettings settings;

	TomcatOpenSslWebServerFactoryCustomizer(TlsEngineSelector selector, ConnectorSettings settings) {
		this.selector = selector;
		this.settings = settings;
	}

	@Override
	public int getOrder() {
		// Others decide whether the server serves TLS
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void customize(ConfigurableTomcatWebServerFactory factory) {
		if (NativeDetector.inNativeImage()) {
			if (factory instanceof AbstractConfigurableWebServerFactory server && Ssl.isEnabled(server.getSsl())) {
				this.settings.requireNothingEnforced();
				this.settings.of(false, RevocationChecks.NONE);
				reportNativeImage();
			}
		}
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

	private void reportNativeImage() {
		String reason = "a GraalVM native image cannot load Tomcat Native";
		if (this.selector.isOpenSslRequired()) {
			throw new OpenSslUnavailableException("'server.ssl.openssl.mode' is 'always', but " + reason,
					"Run the application on a JVM, or set 'server.ssl.openssl.mode' to 'when-available' to have JSSE serve TLS",
					null);
		}
		if (this.selector.isOpenSslWanted()) {
			logger.info("OpenSSL is not active: %s; JSSE serves TLS".formatted(reason));
		}
	}

	boolean supports(ConfigurableWebServerFactory factory) {
		return factory instanceof TomcatWebServerFactory && !NativeDetector.inNativeImage();
	}

}
