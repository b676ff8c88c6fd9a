// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.security.cert.X509CRL;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Function;

import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.OpenSslUnavailableException;
import io.github.tomcatopenssl.tomcat.RevocationChecks;
import io.github.tomcatopenssl.tomcat.TlsContextCustomizer;
import io.github.tomcatopenssl.tomcat.TlsEngineSelector;
import io.github.tomcatopenssl.tomcat.TlsHttp11NioProtocol;
import io.github.tomcatopenssl.tomcat.handshake.KeyExchangeGroups;
import io.github.tomcatopenssl.tomcat.sni.ServerNameRules;
import io.github.tomcatopenssl.tomcat.ticket.SessionTicketKeys;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
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

	private final TomcatOpenSslProperties properties;

	private final KeyExchangeGroups groups;

	private final SessionTicketKeys ticketKeys;

	private final Function<String, Collection<X509CRL>> revocationLists;

	private final @Nullable ServerNameRules serverNames;

	TomcatOpenSslWebServerFactoryCustomizer(TlsEngineSelector selector, TomcatOpenSslProperties properties,
			KeyExchangeGroups groups, SessionTicketKeys ticketKeys,
			Function<String, Collection<X509CRL>> revocationLists) {
		Duration handshakeTimeout = properties.handshakeTimeout();
		if (handshakeTimeout != null && handshakeTimeout.toMillis() <= 0) {
			throw new InvalidConfigurationPropertyValueException("server.ssl.handshake-timeout", handshakeTimeout,
					"It has to be longer than a millisecond.");
		}
		this.selector = selector;
		this.properties = properties;
		this.groups = groups;
		this.ticketKeys = ticketKeys;
		this.revocationLists = revocationLists;
		this.serverNames = ServerNameRules.of(properties.unknownServerName(), properties.unknownServerNameAllowed());
	}

	@Override
	public int getOrder() {
		// Others decide whether the server serves TLS
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void customize(ConfigurableTomcatWebServerFactory factory) {
		if (NativeDetector.inNativeImage()) {
			requireNothingEnforced();
			if (factory instanceof AbstractConfigurableWebServerFactory server && Ssl.isEnabled(server.getSsl())) {
				this.ticketKeys.of(false);
				reportNativeImage();
			}
		}
		if (!supports(factory)) {
			return;
		}
		TomcatWebServerFactory tomcatFactory = (TomcatWebServerFactory) factory;
		tomcatFactory.addContextCustomizers(new TlsContextCustomizer(this.selector, this.groups, this.ticketKeys,
				revocation(), this.serverNames, this.properties.handshakeTimeout(), tomcatFactory));
		if (Ssl.isEnabled(tomcatFactory.getSsl()) && TlsHttp11NioProtocol.isSupported()
				&& TomcatWebServerFactory.DEFAULT_PROTOCOL.equals(tomcatFactory.getProtocol())) {
			tomcatFactory.setProtocol(TlsHttp11NioProtocol.class.getName());
		}
	}

	private void requireNothingEnforced() {
		if (this.groups.isRequired()) {
			throw notEnforced(KeyExchangeGroups.PROPERTY, this.properties.groups());
		}
		if (this.serverNames != null) {
			throw notEnforced(ServerNameRules.PROPERTY, this.properties.unknownServerName());
		}
		if (this.properties.openssl().fipsMode() == FipsMode.REQUIRED) {
			throw notEnforced("server.ssl.openssl.fips-mode", "required");
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

	private static InvalidConfigurationPropertyValueException notEnforced(String property, Object value) {
		return new InvalidConfigurationPropertyValueException(property, value, "A native image does not enforce it.");
	}

	boolean supports(ConfigurableWebServerFactory factory) {
		return factory instanceof TomcatWebServerFactory && !NativeDetector.inNativeImage();
	}

	private RevocationChecks revocation() {
		boolean lists = this.properties.certificateRevocationListFile() != null;
		return new RevocationChecks(lists ? this.revocationLists : null, this.properties.ocspEnabled(),
				this.properties.ocspSoftFail());
	}

}
