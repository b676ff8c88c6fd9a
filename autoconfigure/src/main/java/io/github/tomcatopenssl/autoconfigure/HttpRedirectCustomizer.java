// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.endpoint.TlsConnectors;
import org.apache.catalina.Engine;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;

/**
 * Adds the port that redirects HTTP to HTTPS to the main server, if that serves TLS.
 */
class HttpRedirectCustomizer implements WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> {

	private static final int MAX_PORT = 65535;

	private static final Log logger = LogFactory.getLog(HttpRedirectCustomizer.class);

	private final @Nullable Integer port;

	HttpRedirectCustomizer(@Nullable Integer port) {
		if (port != null && (port < 0 || port > MAX_PORT)) {
			throw new InvalidConfigurationPropertyValueException(ServerSslProperty.HTTP_REDIRECT_PORT.toString(), port,
					"It must be a port, at most %d, or 0 for any free one.".formatted(MAX_PORT));
		}
		this.port = port;
	}

	@Override
	public void customize(ConfigurableTomcatWebServerFactory factory) {
		Integer port = this.port;
		if (port != null) {
			// Only a context customizer sees the connectors that the application adds
			factory.addContextCustomizers((context) -> {
				Engine engine = (Engine) context.getParent().getParent();
				if (!TlsConnectors.addRedirect(engine.getService().getServer(), port)) {
					logger.info("'%s' has no effect: the web server serves no TLS"
						.formatted(ServerSslProperty.HTTP_REDIRECT_PORT));
				}
			});
		}
	}

}
