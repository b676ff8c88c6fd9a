// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.OpenSslMode;
import io.github.tomcatopenssl.OpenSslUnavailableException;
import io.github.tomcatopenssl.UnknownServerName;
import io.github.tomcatopenssl.certificate.HostFiles;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.web.server.AbstractConfigurableWebServerFactory;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Says what another web server than Tomcat cannot do: serve TLS with OpenSSL, and, most
 * of them, use certificate files that are replaced.
 */
class OtherWebServerFactoryCustomizer implements WebServerFactoryCustomizer<ConfigurableWebServerFactory>, Ordered {

	private static final Log logger = LogFactory.getLog(OtherWebServerFactoryCustomizer.class);

	/**
	 * By their names, since the servers are optional.
	 */
	private static final String TOMCAT = "org.springframework.boot.tomcat.TomcatWebServerFactory";

	private static final String NETTY = "org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory";

	private final TomcatOpenSslProperties properties;

	OtherWebServerFactoryCustomizer(TomcatOpenSslProperties properties) {
		this.properties = properties;
	}

	@Override
	public int getOrder() {
		// Whether it serves TLS is decided by others
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void customize(ConfigurableWebServerFactory factory) {
		if (!isA(TOMCAT, factory) && factory instanceof AbstractConfigurableWebServerFactory other
				&& Ssl.isEnabled(other.getSsl())) {
			String name = factory.getClass().getSimpleName();
			requireNotSet("groups", this.properties.groups(), !this.properties.groups().isEmpty(), name);
			requireNotSet("unknown-server-name", this.properties.unknownServerName(),
					this.properties.unknownServerName() == UnknownServerName.REJECT, name);
			requireNotSet("handshake-timeout", this.properties.handshakeTimeout(),
					this.properties.handshakeTimeout() != null, name);
			if (!this.properties.sessionTicketKeyFiles().isEmpty()) {
				logger.warn(
						"'server.ssl.session-ticket-key-files' has no effect on this web server. Use Tomcat, or remove the property");
			}
			reportEngine(other);
			String bundle = other.getSsl().getBundle();
			if (this.properties.reloadOnUpdate() && bundle != null && HostFiles.isBundleName(bundle)
					&& !isA(NETTY, factory)) {
				logger.warn(
						"'server.ssl.reload-on-update' has no effect on this web server. Restart the application when a certificate is replaced, or use Tomcat");
			}
		}
	}

	private static void requireNotSet(String property, @Nullable Object value, boolean isSet, String factory) {
		if (isSet) {
			throw new InvalidConfigurationPropertyValueException("server.ssl." + property, value,
					"The web server of '%s' serves TLS, and only Tomcat enforces it.".formatted(factory));
		}
	}

	private void reportEngine(WebServerFactory factory) {
		String reason = "the web server of '%s' serves TLS, and only Tomcat can do so with OpenSSL"
			.formatted(factory.getClass().getSimpleName());
		String action = "Add 'spring-boot-starter-tomcat' and exclude the starter of the other web server, or set 'server.ssl.openssl.mode' to 'never'";
		if (this.properties.openssl().fipsMode() == FipsMode.REQUIRED) {
			throw new OpenSslUnavailableException("'server.ssl.openssl.fips-mode' is 'required', but " + reason,
					"Add 'spring-boot-starter-tomcat' and exclude the starter of the other web server", null);
		}
		OpenSslMode mode = this.properties.openssl().mode();
		if (mode == OpenSslMode.ALWAYS) {
			throw new OpenSslUnavailableException("'server.ssl.openssl.mode' is 'always', but " + reason, action, null);
		}
		if (mode == OpenSslMode.WHEN_AVAILABLE) {
			logger.warn("OpenSSL is not active: %s. %s".formatted(reason, action));
		}
	}

	private static boolean isA(String type, WebServerFactory factory) {
		ClassLoader classLoader = factory.getClass().getClassLoader();
		return ClassUtils.isPresent(type, classLoader)
				&& ClassUtils.resolveClassName(type, classLoader).isInstance(factory);
	}

}
