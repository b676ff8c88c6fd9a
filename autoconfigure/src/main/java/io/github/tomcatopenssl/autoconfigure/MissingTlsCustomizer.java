// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.stream.Stream;

import io.github.tomcatopenssl.autoconfigure.ServerSslProperty.Effect;
import io.github.tomcatopenssl.autoconfigure.ServerSslProperty.Place;
import io.github.tomcatopenssl.endpoint.TlsConnectors;
import org.apache.catalina.Engine;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.AbstractConfigurableWebServerFactory;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Refuses TLS settings if the main web server serves no TLS, unless
 * {@code server.ssl.enabled} is {@code false}. Otherwise, an application whose
 * certificate is missing would serve HTTP.
 */
class MissingTlsCustomizer implements WebServerFactoryCustomizer<ConfigurableWebServerFactory>, Ordered {

	private static final boolean HAS_TOMCAT = ClassUtils
		.isPresent("org.springframework.boot.tomcat.TomcatWebServerFactory", null);

	private static final String REMEDY = "Set '%s', 'server.ssl.bundle' or another certificate, or set 'server.ssl.enabled' to 'false' if the application is meant to serve HTTP"
		.formatted(ServerSslProperty.CERTIFICATE_FILE);

	private static final Log logger = LogFactory.getLog(MissingTlsCustomizer.class);

	private final TomcatOpenSslProperties properties;

	private final @Nullable Ssl configured;

	private final boolean managementTls;

	/**
	 * Create a new instance.
	 * @param properties the settings of the starter
	 * @param configured the settings of the main server
	 * @param managementTls whether the management server serves TLS, to which the
	 * settings apply as well
	 */
	MissingTlsCustomizer(TomcatOpenSslProperties properties, @Nullable Ssl configured, boolean managementTls) {
		this.properties = properties;
		this.configured = configured;
		this.managementTls = managementTls;
	}

	@Override
	public int getOrder() {
		// Other customizers decide whether the server serves TLS
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void customize(ConfigurableWebServerFactory factory) {
		if (factory instanceof AbstractConfigurableWebServerFactory server && Ssl.isEnabled(server.getSsl())
				&& !hasCertificate(server.getSsl())) {
			throw ServerSslProperty.CERTIFICATE_FILE.failure(
					"it is not set, and neither is another certificate, but other properties of 'server.ssl' turn TLS on",
					REMEDY);
		}
		if (this.managementTls || this.configured != null && !this.configured.isEnabled()) {
			return;
		}
		if (HAS_TOMCAT && factory instanceof TomcatWebServerFactory tomcat) {
			new TomcatConnectors().customize(tomcat);
		}
		else if (!(factory instanceof AbstractConfigurableWebServerFactory server) || !Ssl.isEnabled(server.getSsl())) {
			refuseSettings();
		}
	}

	private static boolean hasCertificate(Ssl ssl) {
		return Stream
			.of(ssl.getBundle(), ssl.getCertificate(), ssl.getKeyStore(), ssl.getKeyStoreType(),
					ssl.getTrustCertificate(), ssl.getTrustStore())
			.anyMatch(StringUtils::hasText);
	}

	private void refuseSettings() {
		ServerSslProperty.requireEnforced(Place.WITHOUT_TLS, this.properties,
				"The web server serves no TLS: it has no certificate. " + REMEDY + ".");
		for (ServerSslProperty property : ServerSslProperty.values()) {
			if (property.in(Place.WITHOUT_TLS) == Effect.WARNED && property.isSet(this.properties)) {
				logger.warn("'%s' has no effect: the web server serves no TLS. %s".formatted(property, REMEDY));
			}
		}
	}

	/**
	 * The connectors of Tomcat, which is optional.
	 */
	private final class TomcatConnectors {

		void customize(TomcatWebServerFactory factory) {
			// Only a context customizer sees the connectors that the application adds
			factory.addContextCustomizers((context) -> {
				Engine engine = (Engine) context.getParent().getParent();
				if (TlsConnectors.of(engine.getService().getServer()).isEmpty()) {
					refuseSettings();
				}
			});
		}

	}

}
