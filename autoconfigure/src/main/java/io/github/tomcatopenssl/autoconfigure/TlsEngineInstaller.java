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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import io.github.tomcatopenssl.OpenSslUnavailableException;
import io.github.tomcatopenssl.autoconfigure.ServerCertificateBundles.HostSettings;
import io.github.tomcatopenssl.certificate.CertificateFileException;
import org.apache.catalina.Context;
import org.apache.catalina.Engine;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleEvent;
import org.apache.catalina.Server;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.AprLifecycleListener;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.tomcat.jni.SSL;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.jsse.JSSEImplementation;
import org.apache.tomcat.util.net.openssl.OpenSSLImplementation;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.tomcat.TomcatContextCustomizer;

/**
 * Gives all TLS connectors of a server the selected engine. A context customizer, because
 * that is the one that sees all connectors, however they were added, before the server is
 * initialized.
 */
class TlsEngineInstaller implements TomcatContextCustomizer {

	/**
	 * OpenSSL 3.5.0, the first with X25519MLKEM768, as {@code OpenSSL_version_num()}
	 * returns it.
	 */
	private static final long FIRST_WITH_HYBRID_GROUP = 0x30500000L;

	/**
	 * Has JSSE refuse to renegotiate when a client asks for it (JSSE Reference Guide).
	 * Tomcat's OpenSSL engine never does, and OpenSSL 3 does not by default.
	 */
	private static final String REJECT_RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";

	private final TlsEngineSelector selector;

	private final @Nullable ServerCertificateBundles bundles;

	private final TlsHostSettings hostSettings;

	TlsEngineInstaller(TlsEngineSelector selector, @Nullable ServerCertificateBundles bundles) {
		this.selector = selector;
		this.bundles = bundles;
		this.hostSettings = new TlsHostSettings(bundles);
	}

	@Override
	public void customize(Context context) {
		Server server = ((Engine) context.getParent().getParent()).getService().getServer();
		List<Connector> connectors = TlsConnectors.of(server);
		if (connectors.isEmpty()) {
			return;
		}
		if (this.selector.select().openSsl()) {
			useOpenSsl(server);
			connectors.forEach(TlsEngineInstaller::useOpenSslDefaults);
		}
		else {
			connectors.forEach(this::useJsse);
		}
		for (Connector connector : connectors) {
			if (!(connector.getProtocolHandler() instanceof SecureDefaultsHttp11NioProtocol)) {
				for (SSLHostConfig config : TlsConnectors.protocol(connector).findSslHostConfigs()) {
					requireLasting(config, connector);
					prepare(config, false);
				}
			}
		}
	}

	/**
	 * Apply what the bundle of a host cannot carry, and the defaults.
	 * @param original the configuration of the host
	 * @param ofServerCertificate whether the default host of its server has the
	 * certificate files
	 * @return the same configuration, or the one that takes its place
	 */
	SSLHostConfig prepare(SSLHostConfig original, boolean ofServerCertificate) {
		SSLHostConfig config = this.hostSettings.apply(original, ofServerCertificate);
		requireTrustAnchors(config);
		config.getCertificates().forEach(TlsEngineInstaller::nameKey);
		IntermediateTlsProfile.applyTo(config,
				this.selector.select().openSsl() && SSL.version() >= FIRST_WITH_HYBRID_GROUP);
		return config;
	}

	// Spring Boot makes a new configuration when it reloads a bundle
	private void requireLasting(SSLHostConfig config, Connector connector) {
		HostSettings settings = this.hostSettings.find(config);
		String property = null;
		if (settings != null && this.bundles != null && !this.bundles.revocation().isEmpty()) {
			property = this.bundles.revocation().property();
		}
		else if (settings != null && settings.hasSeveralKeys()) {
			property = "server.ssl.certificates";
		}
		if (property != null) {
			throw new CertificateFileException(property, null,
					"the connector has the protocol '%s', which would forget it when a certificate is reloaded"
						.formatted(connector.getProtocolHandlerClassName()),
					"Remove what sets the protocol of the connector, so that it has the default one", null);
		}
	}

	private static void requireTrustAnchors(SSLHostConfig config) {
		if (config.getCertificateVerification() == CertificateVerification.NONE || config.getCaCertificateFile() != null
				|| config.getCaCertificatePath() != null || config.getTrustManagerClassName() != null) {
			return;
		}
		try {
			if (config.getTruststore() != null) {
				return;
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		throw new CertificateFileException("server.ssl.client-auth", null,
				"clients of the virtual host '%s' are to be verified, but it has no CA to verify them against"
					.formatted(config.getHostName()),
				"Give it one with 'server.ssl.ca-certificate-file', 'server.ssl.trust-certificate' or the trust store of its SSL bundle, or remove 'server.ssl.client-auth'",
				null);
	}

	/**
	 * Without an alias, Tomcat's OpenSSL engine finds RSA, DSA and EC keys only.
	 * @param certificate a certificate with its key
	 */
	private static void nameKey(SSLHostConfigCertificate certificate) {
		try {
			if (certificate.getCertificateKeyAlias() != null || certificate.getCertificateFile() != null) {
				return;
			}
			KeyStore keyStore = certificate.getCertificateKeystore();
			if (keyStore == null) {
				return;
			}
			for (String alias : Collections.list(keyStore.aliases())) {
				if (keyStore.isKeyEntry(alias)) {
					certificate.setCertificateKeyAlias(alias);
					return;
				}
			}
		}
		catch (IOException | KeyStoreException ex) {
			// Tomcat says it better when it needs the key store
		}
	}

	/**
	 * Tomcat takes the OpenSSL engine by itself once this listener has initialized APR.
	 * The listener counts the servers of the JVM that need it. Naming the engine here
	 * would crash the JVM where the listener fails.
	 * @param server the server of the connectors
	 */
	private void useOpenSsl(Server server) {
		if (Arrays.stream(server.findLifecycleListeners()).noneMatch(AprLifecycleListener.class::isInstance)) {
			server.addLifecycleListener(new AprLifecycleListener());
		}
		if (this.selector.isOpenSslRequired()) {
			server.addLifecycleListener(TlsEngineInstaller::requireOpenSsl);
		}
	}

	private static void useOpenSslDefaults(Connector connector) {
		if (connector.getProtocolHandler() instanceof SecureDefaultsHttp11NioProtocol protocol) {
			protocol.useOpenSslDefaults();
		}
	}

	/**
	 * Without a name, Tomcat would take the OpenSSL engine once another application of
	 * the JVM has loaded it, although this one must not use it.
	 * @param connector a connector that serves TLS
	 */
	private void useJsse(Connector connector) {
		AbstractHttp11Protocol<?> protocol = TlsConnectors.protocol(connector);
		if (protocol.getSslImplementationName() == null) {
			protocol.setSslImplementationName(JSSEImplementation.class.getName());
		}
		if (System.getProperty(REJECT_RENEGOTIATION) == null) {
			System.setProperty(REJECT_RENEGOTIATION, "true");
		}
	}

	private static void requireOpenSsl(LifecycleEvent event) {
		if (!Lifecycle.AFTER_INIT_EVENT.equals(event.getType())) {
			return;
		}
		for (Connector connector : TlsConnectors.of((Server) event.getLifecycle())) {
			String engine = TlsConnectors.protocol(connector).getSslImplementationName();
			if (!OpenSSLImplementation.class.getName().equals(engine)) {
				throw new OpenSslUnavailableException(
						"the connector of port %d uses the TLS engine '%s'".formatted(connector.getPort(), engine),
						"Remove what sets 'sslImplementationName' of that connector, or see Tomcat's log messages for why it did not initialize OpenSSL",
						null);
			}
		}
	}

}
