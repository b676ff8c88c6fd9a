// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.jspecify.annotations.Nullable;

/**
 * The rules for all virtual hosts of a connector, applied in order to what Tomcat is
 * configured with, before it is read.
 */
public final class HostRules {

	private final List<Consumer<SSLHostConfig>> rules = new ArrayList<>();

	/**
	 * The rules of a host that answers an ACME challenge, which carries no data: neither
	 * the groups that are required nor client authentication keep a CA away.
	 */
	private final List<Consumer<SSLHostConfig>> challengeRules = new ArrayList<>();

	private final TlsSettings settings;

	private final HostReader reader;

	/**
	 * Create a new instance.
	 * @param openSsl whether OpenSSL serves rather than JSSE
	 * @param settings the settings of the connector
	 * @param available the groups of the engine, or empty if they cannot be configured
	 * @param reader reads the hosts
	 */
	public HostRules(boolean openSsl, TlsSettings settings, Set<KeyExchangeGroup> available, HostReader reader) {
		this.settings = settings;
		this.reader = reader;
		// X25519MLKEM768 and ML-DSA both came with OpenSSL 3.5. JSSE got only the former
		if (!openSsl || !available.contains(KeyExchangeGroup.X25519MLKEM768)) {
			this.rules.add(HostRules::requireNoMlDsa);
		}
		this.rules.add((host) -> IntermediateTlsProfile.applyTo(host, available));
		this.challengeRules.add((host) -> IntermediateTlsProfile.applyTo(host, available));
		this.rules.add((host) -> ProtocolsAndCiphers.requireKnownNames(host, openSsl));
		if (!settings.groups().isEmpty()) {
			this.rules.add(new RequiredGroups(settings.groups())::applyTo);
		}
		this.rules.add(ProtocolsAndCiphers::requireKnownSuite);
		this.rules.add(ProtocolsAndCiphers::requireSuites);
		if (settings.fips()) {
			this.rules.add(FipsRequirement::applyTo);
			this.challengeRules.add(FipsRequirement::applyTo);
		}
	}

	/**
	 * Apply the rules to a virtual host.
	 * @param host the virtual host
	 * @param provided whether the user provides its context
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	public void applyTo(SSLHostConfig host, boolean provided) {
		CertificateVerification verification = this.settings.clients().apply(host.getHostName()).mode();
		if (verification != null) {
			host.setCertificateVerification(verification.name());
		}
		boolean own = this.reader.ownTrustManagers(host) != null;
		requireTrustAnchors(host, own || provided);
		this.settings.revocation().applyTo(host, provided, own);
		this.rules.forEach((rule) -> rule.accept(host));
	}

	/**
	 * Return the virtual host that answers an ACME challenge.
	 * @param challenge has the certificate and its key, without a password
	 * @return the virtual host
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	public SSLHostConfig ofChallenge(KeyStore challenge) {
		SSLHostConfig host = new SSLHostConfig();
		SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(host,
				SSLHostConfigCertificate.Type.UNDEFINED);
		certificate.setCertificateKeystore(challenge);
		certificate.setCertificateKeystorePassword("");
		host.addCertificate(certificate);
		this.challengeRules.forEach((rule) -> rule.accept(host));
		return host;
	}

	/**
	 * Return whether OpenSSL can use the keys of a virtual host, which it needs outside
	 * of their key store.
	 * @param host the virtual host
	 * @return whether the keys can be exported
	 */
	public static boolean hasExportableKeys(SSLHostConfig host) {
		return HostKeys.readable(host).stream().allMatch((key) -> key.key() != null && key.key().getEncoded() != null);
	}

	/**
	 * Return whether a virtual host has keys of several types in one key store.
	 * @param host the virtual host
	 * @return whether it has
	 */
	public static boolean hasSeveralKeys(SSLHostConfig host) {
		return host.getCertificates().stream().anyMatch((certificate) -> {
			try {
				return certificate.getCertificateFile() == null
						&& certificate.getCertificateKeystore() instanceof HostKeyStore keys && keys.keys().size() > 1;
			}
			catch (IOException ex) {
				return false;
			}
		});
	}

	/**
	 * Give a virtual host the canonical form of its name.
	 * @param host the virtual host
	 * @throws TlsSettingException if no client can ask for its name
	 */
	public static void requireName(SSLHostConfig host) {
		try {
			host.setHostName(HostNames.configured(host.getHostName()));
		}
		catch (IllegalArgumentException ex) {
			throw new TlsSettingException(SettingName.SERVER_NAME,
					"there is a virtual host '%s', but no client can ask for this name".formatted(host.getHostName()),
					"Name it as clients do: " + HostNames.EXAMPLES, ex);
		}
	}

	/**
	 * Drop the alias of a key that the key store of a virtual host no longer has: Spring
	 * Boot keeps the alias of the previous SSL bundle if the new one has none.
	 * @param host the virtual host, which is being replaced
	 */
	public static void dropOutdatedAlias(SSLHostConfig host) {
		HostKeys.dropOutdatedAlias(host);
	}

	private static void requireNoMlDsa(SSLHostConfig host) {
		if (HostKeys.readable(host)
			.stream()
			.anyMatch((key) -> key.leaf().getPublicKey().getAlgorithm().startsWith("ML-DSA"))) {
			throw new TlsSettingException(SettingName.CERTIFICATE,
					"the virtual host '%s' has an ML-DSA key, which only OpenSSL 3.5 or later can serve"
						.formatted(host.getHostName()),
					"Serve TLS with OpenSSL 3.5 or later (see {MODE}), or remove the certificate with that key", null);
		}
	}

	// JSSE would verify clients against the CAs of the JDK
	private static void requireTrustAnchors(SSLHostConfig host, boolean own) {
		if (host.getCertificateVerification() != CertificateVerification.NONE && !own
				&& host.getTrustManagerClassName() == null && host.getCaCertificateFile() == null
				&& trustStore(host) == null) {
			throw new TlsSettingException(SettingName.CLIENT_AUTH,
					"the virtual host '%s' must verify clients, but it has no CA to verify them against"
						.formatted(host.getHostName()),
					"Give it a CA with {CA_CERTIFICATES} or the trust store of its SSL bundle, or remove {CLIENT_AUTH}",
					null);
		}
	}

	private static @Nullable KeyStore trustStore(SSLHostConfig host) {
		try {
			return host.getTruststore();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
