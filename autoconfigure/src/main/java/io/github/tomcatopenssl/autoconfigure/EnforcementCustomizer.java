// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.Objects;
import java.util.stream.Stream;

import io.github.tomcatopenssl.autoconfigure.ServerSslProperty.Effect;
import io.github.tomcatopenssl.autoconfigure.ServerSslProperty.Place;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.web.server.AbstractConfigurableWebServerFactory;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.NativeDetector;
import org.springframework.core.Ordered;

/**
 * Applies {@link ServerSslProperty the table} of the properties to servers that OpenSSL
 * cannot serve: a property that the server does not enforce prevents startup.
 */
class EnforcementCustomizer implements WebServerFactoryCustomizer<ConfigurableWebServerFactory>, Ordered {

	private static final Log logger = LogFactory.getLog(EnforcementCustomizer.class);

	/**
	 * Names of the classes, because the servers are optional.
	 */
	private static final String TOMCAT = "org.springframework.boot.tomcat.TomcatWebServerFactory";

	private static final String NETTY = "org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory";

	private final TomcatOpenSslProperties properties;

	private final ObjectProvider<TomcatOpenSslWebServerFactoryCustomizer> tomcat;

	EnforcementCustomizer(TomcatOpenSslProperties properties,
			ObjectProvider<TomcatOpenSslWebServerFactoryCustomizer> tomcat) {
		this.properties = properties;
		this.tomcat = tomcat;
	}

	@Override
	public int getOrder() {
		// Other customizers decide whether the server serves TLS
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void customize(ConfigurableWebServerFactory factory) {
		if (factory instanceof AbstractConfigurableWebServerFactory server && !Ssl.isEnabled(server.getSsl())) {
			return;
		}
		if (!isA(TOMCAT, factory)) {
			String reason = "the web server of '%s' serves TLS, but only Tomcat can use OpenSSL for it"
				.formatted(factory.getClass().getSimpleName());
			String action = "Add 'spring-boot-starter-tomcat' and exclude the starter of the other web server, or ";
			require(isA(NETTY, factory) ? Place.NETTY : Place.OTHER_SERVER, reason, action);
			if (this.properties.openssl().wanted()) {
				logger.warn("OpenSSL is not active: %s. %sset '%s' to 'never'".formatted(reason, action,
						ServerSslProperty.OPENSSL_MODE));
			}
		}
		else if (NativeDetector.inNativeImage()) {
			String reason = "a GraalVM native image cannot load Tomcat Native";
			require(Place.NATIVE_IMAGE, reason, "Run the application on a JVM, or ");
			if (this.properties.openssl().wanted()) {
				logger.info("OpenSSL is not active: %s; JSSE serves TLS".formatted(reason));
			}
		}
		else if (this.tomcat.getIfAvailable() == null) {
			require(Place.NATIVE_IMAGE, "'TomcatOpenSslAutoConfiguration' is missing", "Do not exclude it, or ");
		}
	}

	private void require(Place place, String reason, String action) {
		if (this.properties.serverNameCertificates().stream().anyMatch((host) -> host.clientAuth() != null)) {
			throw new InvalidConfigurationPropertyValueException(
					ServerSslProperty.SERVER_NAME_CERTIFICATES + "[].client-auth", null,
					"It cannot be enforced: %s. %sremove the property.".formatted(reason, action));
		}
		ServerSslProperty.requireEnforced(place, this.properties,
				"It cannot be enforced: %s. %sremove the property.".formatted(reason, action));
		for (ServerSslProperty property : ServerSslProperty.values()) {
			if (property.in(place) == Effect.WARNED && property.isSet(this.properties)) {
				logger.warn("'%s' has no effect on this web server. %s".formatted(property,
						(property != ServerSslProperty.RELOAD_ON_UPDATE) ? action + "remove the property"
								: "Restart the application when a certificate is replaced, or use Tomcat"));
			}
		}
	}

	// A native image finds by name only the classes that were registered for it
	private static boolean isA(String type, WebServerFactory factory) {
		return Stream.<Class<?>>iterate(factory.getClass(), Objects::nonNull, Class::getSuperclass)
			.anyMatch((superclass) -> superclass.getName().equals(type));
	}

}
