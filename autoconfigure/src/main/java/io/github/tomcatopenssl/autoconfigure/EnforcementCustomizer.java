// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.tomcatopenssl.autoconfigure.ServerSslProperty.Place;
import io.github.tomcatopenssl.endpoint.TlsConnectors;
import org.apache.catalina.Engine;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.AbstractConfigurableWebServerFactory;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.NativeDetector;
import org.springframework.core.Ordered;

/**
 * Finds out which {@link Place} a web server is, and applies the {@link ServerSslProperty
 * table} of the properties to it. Otherwise, a server that does not enforce a setting
 * would drop it, and an application whose certificate is missing would serve HTTP. If no
 * property of TLS is set, logs that the server serves HTTP.
 */
class EnforcementCustomizer implements WebServerFactoryCustomizer<ConfigurableWebServerFactory>, Ordered,
		ApplicationListener<WebServerInitializedEvent> {

	private static final Log logger = LogFactory.getLog(EnforcementCustomizer.class);

	/**
	 * Names of the classes, because the servers are optional.
	 */
	private static final String TOMCAT = "org.springframework.boot.tomcat.TomcatWebServerFactory";

	private static final String NETTY = "org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory";

	private final TomcatOpenSslProperties properties;

	private final ObjectProvider<TomcatOpenSslWebServerFactoryCustomizer> tomcat;

	private final MisplacedProperties misplaced;

	private final boolean mayServeHttp;

	private volatile boolean servesHttp;

	/**
	 * Create a new instance.
	 * @param properties the properties
	 * @param tomcat the customizer of Tomcat, unless its auto-configuration is excluded
	 * @param misplaced properties that do not configure the server
	 * @param mayServeHttp whether the main server may serve no TLS although properties of
	 * TLS are set: TLS is turned off, or the properties are for the management server
	 */
	EnforcementCustomizer(TomcatOpenSslProperties properties,
			ObjectProvider<TomcatOpenSslWebServerFactoryCustomizer> tomcat, MisplacedProperties misplaced,
			boolean mayServeHttp) {
		this.properties = properties;
		this.tomcat = tomcat;
		this.misplaced = misplaced;
		this.mayServeHttp = mayServeHttp;
	}

	@Override
	public int getOrder() {
		// Other customizers decide whether the server serves TLS
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void customize(ConfigurableWebServerFactory factory) {
		if (factory instanceof AbstractConfigurableWebServerFactory server && Ssl.isEnabled(server.getSsl())
				&& !ManagementCertificate.hasCertificate(server.getSsl())
				&& !ManagementCertificate.hasTrustMaterial(server.getSsl())) {
			throw ServerSslProperty.CERTIFICATE_FILE.failure(
					"it is not set, and neither is another certificate, but other properties of 'server.ssl' turn TLS on",
					Place.WITHOUT_TLS.remedy());
		}
		if (this.mayServeHttp) {
			this.misplaced.warn();
		}
		else if (isA(TOMCAT, factory)) {
			TomcatConnectors.whenConfigured(factory, this::requireTls);
		}
		else {
			requireTls(servesTls(factory));
		}
		enforce(factory);
	}

	private void requireTls(boolean served) {
		if (!served) {
			ServerSslProperty.enforce(Place.WITHOUT_TLS, this.properties);
			this.misplaced.reject();
		}
		this.misplaced.warn();
		this.servesHttp = !served;
	}

	@Override
	public void onApplicationEvent(WebServerInitializedEvent event) {
		// Events of child contexts arrive here too, after that of the own server
		if (this.servesHttp && event.getWebServer().getPort() > 0) {
			this.servesHttp = false;
			logger.info(
					"Port %d serves HTTP, because no certificate is set. For HTTPS, set 'server.ssl.certificate-file' to a certificate, or 'server.ssl.development-certificate' to 'true' on your own machine. If HTTP is what you want, set 'server.ssl.enabled' to 'false'"
						.formatted(event.getWebServer().getPort()));
		}
	}

	// Whether other kinds of servers do is not known
	private static boolean servesTls(ConfigurableWebServerFactory factory) {
		return !(factory instanceof AbstractConfigurableWebServerFactory server) || Ssl.isEnabled(server.getSsl());
	}

	/**
	 * Apply the table to a server that serves TLS, which is the management server or the
	 * main server.
	 * @param factory the factory of the server
	 */
	void enforce(ConfigurableWebServerFactory factory) {
		if (!servesTls(factory)) {
			return;
		}
		if (!isA(TOMCAT, factory)) {
			Place place = isA(NETTY, factory) ? Place.NETTY : Place.OTHER_SERVER;
			ServerSslProperty.enforce(place, this.properties);
			if (this.properties.openssl().wanted()) {
				logger.warn("OpenSSL is not active: %s. %s, or set '%s' to 'never'".formatted(place.reason(),
						place.remedy(), ServerSslProperty.OPENSSL_MODE));
			}
		}
		else if (NativeDetector.inNativeImage()) {
			ServerSslProperty.enforce(Place.NATIVE_IMAGE, this.properties);
			if (this.properties.openssl().wanted()) {
				logger.info("OpenSSL is not active: %s; JSSE serves TLS".formatted(Place.NATIVE_IMAGE.reason()));
			}
		}
		else if (this.tomcat.getIfAvailable() == null) {
			ServerSslProperty.enforce(Place.UNCONFIGURED, this.properties);
		}
	}

	// A native image finds by name only the classes that were registered for it
	private static boolean isA(String type, WebServerFactory factory) {
		return Stream.<Class<?>>iterate(factory.getClass(), Objects::nonNull, Class::getSuperclass)
			.anyMatch((superclass) -> superclass.getName().equals(type));
	}

	/**
	 * The connectors of Tomcat, which is optional.
	 */
	private static final class TomcatConnectors {

		// Only a context customizer sees the connectors that the application adds
		static void whenConfigured(ConfigurableWebServerFactory factory, Consumer<Boolean> servesTls) {
			((TomcatWebServerFactory) factory).addContextCustomizers((context) -> {
				Engine engine = (Engine) context.getParent().getParent();
				servesTls.accept(!TlsConnectors.of(engine.getService().getServer()).isEmpty());
			});
		}

	}

}
