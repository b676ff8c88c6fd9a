// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.tomcat.RevocationChecks;
import io.github.tomcatopenssl.tomcat.TlsContextCustomizer;
import io.github.tomcatopenssl.tomcat.TlsEngineSelector;
import io.github.tomcatopenssl.tomcat.TlsHttp11NioProtocol;
import io.github.tomcatopenssl.tomcat.handshake.KeyExchangeGroups;
import io.github.tomcatopenssl.tomcat.ticket.SessionTicketKeys;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.io.ApplicationResourceLoader;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
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

	private final TlsEngineSelector selector;

	private final TomcatOpenSslProperties properties;

	private final KeyExchangeGroups groups;

	private final SessionTicketKeys ticketKeys;

	TomcatOpenSslWebServerFactoryCustomizer(TlsEngineSelector selector, TomcatOpenSslProperties properties,
			KeyExchangeGroups groups, SessionTicketKeys ticketKeys) {
		Duration handshakeTimeout = properties.handshakeTimeout();
		if (handshakeTimeout != null && handshakeTimeout.toMillis() <= 0) {
			throw new InvalidConfigurationPropertyValueException("server.ssl.handshake-timeout", handshakeTimeout,
					"It has to be longer than a millisecond.");
		}
		this.selector = selector;
		this.properties = properties;
		this.groups = groups;
		this.ticketKeys = ticketKeys;
	}

	@Override
	public int getOrder() {
		// Others decide whether the server serves TLS
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void customize(ConfigurableTomcatWebServerFactory factory) {
		if (NativeDetector.inNativeImage() && this.groups.isRequired()) {
			throw new InvalidConfigurationPropertyValueException(KeyExchangeGroups.PROPERTY, this.properties.groups(),
					"A native image does not enforce it.");
		}
		if (NativeDetector.inNativeImage() && this.properties.openssl().fipsMode() == FipsMode.REQUIRED) {
			throw new InvalidConfigurationPropertyValueException("server.ssl.openssl.fips-mode", "required",
					"A native image cannot load Tomcat Native.");
		}
		if (NativeDetector.inNativeImage() && factory instanceof TomcatWebServerFactory tomcatFactory
				&& Ssl.isEnabled(tomcatFactory.getSsl())) {
			this.ticketKeys.of(false);
		}
		if (!supports(factory)) {
			return;
		}
		TomcatWebServerFactory tomcatFactory = (TomcatWebServerFactory) factory;
		tomcatFactory.addContextCustomizers(new TlsContextCustomizer(this.selector, this.groups, this.ticketKeys,
				revocation(), this.properties.handshakeTimeout(), tomcatFactory));
		if (Ssl.isEnabled(tomcatFactory.getSsl())
				&& TomcatWebServerFactory.DEFAULT_PROTOCOL.equals(tomcatFactory.getProtocol())) {
			tomcatFactory.setProtocol(TlsHttp11NioProtocol.class.getName());
		}
	}

	boolean supports(ConfigurableWebServerFactory factory) {
		return factory instanceof TomcatWebServerFactory && !NativeDetector.inNativeImage();
	}

	private RevocationChecks revocation() {
		String list = this.properties.certificateRevocationListFile();
		try {
			return new RevocationChecks((list != null)
					? ApplicationResourceLoader.get().getResource(list).getFile().getAbsolutePath() : null,
					this.properties.ocspEnabled(), this.properties.ocspSoftFail());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
