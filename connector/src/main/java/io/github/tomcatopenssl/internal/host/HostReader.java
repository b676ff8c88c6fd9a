// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLUtilBase;
import org.jspecify.annotations.Nullable;

/**
 * The only way in for Tomcat's configuration of a host. It makes a {@link TlsHost} of it,
 * or says what cannot be done.
 */
public final class HostReader {

	private static final SSLHostConfig DEFAULTS = new SSLHostConfig();

	private final ClientVerificationReader clients;

	private final PolicyRules rules;

	/**
	 * Create a new instance.
	 * @param settings the settings of the connector
	 * @param engine what the engine can do that serves
	 */
	public HostReader(TlsSettings settings, EngineCapabilities engine) {
		this.clients = new ClientVerificationReader(settings);
		this.rules = new PolicyRules(settings, engine);
	}

	/**
	 * Read a virtual host.
	 * @param config the virtual host, which is left as it is
	 * @param provided the context that the user provides, or {@code null}
	 * @return the host
	 * @throws IOException if a file or a key cannot be read
	 * @throws GeneralSecurityException if a key or a trust store cannot be read
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	public TlsHost read(SSLHostConfig config, @Nullable SSLContext provided)
			throws IOException, GeneralSecurityException {
		requireRead(config);
		if (provided != null) {
			this.rules.rejectProvided(config.getHostName());
		}
		List<HostKey> keys = (provided != null) ? keysOf(config, provided) : HostKeys.read(config);
		ClientVerification clients = this.rules.applyTo(config.getHostName(), this.clients.read(config, provided));
		return new TlsHost(config.getHostName(), keys, clients, this.rules.of(config, keys));
	}

	/**
	 * Read what a virtual host negotiates, before its keys are looked at.
	 * @param config the virtual host
	 * @return the policy
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	public TlsPolicy readPolicy(SSLHostConfig config) {
		return this.rules.read(config);
	}

	/**
	 * Read a host that comes and goes.
	 * @param host the host
	 * @param clients how it verifies clients
	 * @param policy what it negotiates, before its keys are looked at
	 * @return the host
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	public TlsHost read(CertificateHost host, ClientVerification clients, TlsPolicy policy) {
		List<HostKey> keys = host.keys();
		return new TlsHost(host.name(), keys, clients, this.rules.applyTo(host.name(), keys, policy));
	}

	/**
	 * Read the virtual host that answers an ACME challenge.
	 * @param challenge the key
	 * @return the virtual host
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	public TlsHost readChallenge(HostKey challenge) {
		SSLHostConfig config = new SSLHostConfig();
		List<HostKey> keys = List.of(challenge);
		return new TlsHost(config.getHostName(), keys, ClientVerification.NONE, this.rules.ofChallenge(config, keys));
	}

	/**
	 * Have Tomcat itself serve a virtual host by the rules, on a connector with another
	 * protocol.
	 * @param config the virtual host
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	public void adapt(SSLHostConfig config) {
		if (config.getCertificateVerification() != CertificateVerification.NONE) {
			this.clients.requireReadableTrustStore(config);
		}
		this.rules.of(config, HostKeys.readable(config)).writeTo(config);
	}

	/**
	 * Return whether OpenSSL can use the keys of a virtual host, which it needs outside
	 * of their key store.
	 * @param config the virtual host
	 * @return whether the keys can be exported
	 */
	public static boolean hasExportableKeys(SSLHostConfig config) {
		return HostKeys.readable(config)
			.stream()
			.allMatch((key) -> key.key() != null && key.key().getEncoded() != null);
	}

	/**
	 * Return what Tomcat itself would drop of a virtual host.
	 * @param config the virtual host
	 * @param settings the settings of its connector
	 * @return a setting, or {@code null} if it would drop nothing
	 */
	public static @Nullable SettingName dropped(SSLHostConfig config, TlsSettings settings) {
		boolean verifies = config.getCertificateVerification() != CertificateVerification.NONE;
		if (verifies && !settings.revocation().isEmpty()) {
			return settings.revocation().setting();
		}
		HostMaterial material = HostKeys.material(config);
		// Tomcat itself serves one key of a key store
		if (material != null && material.keys().size() > 1) {
			return SettingName.CERTIFICATES;
		}
		if (material != null && material.clientAuth() != null
				|| verifies && settings.clients().apply(config.getHostName()).trustManagers() != null) {
			return SettingName.CLIENT_AUTH;
		}
		return null;
	}

	/**
	 * Drop the alias of a key that the key store of a virtual host no longer has: Spring
	 * Boot keeps the alias of the previous SSL bundle if the new one has none.
	 * @param config the virtual host, which is being replaced
	 */
	public static void dropOutdatedAlias(SSLHostConfig config) {
		for (SSLHostConfigCertificate certificate : config.getCertificates()) {
			try {
				KeyStore keyStore = (certificate.getCertificateFile() == null) ? certificate.getCertificateKeystore()
						: null;
				String alias = certificate.getCertificateKeyAlias();
				if (keyStore != null && alias != null && !keyStore.isKeyEntry(alias)) {
					certificate.setCertificateKeyAlias(null);
				}
			}
			catch (IOException | KeyStoreException ex) {
				// Reported when the context is created
			}
		}
	}

	/**
	 * Give a virtual host the canonical form of its name.
	 * @param config the virtual host
	 * @throws TlsSettingException if no client can ask for its name
	 */
	public static void requireName(SSLHostConfig config) {
		try {
			config.setHostName(HostNames.configured(config.getHostName()));
		}
		catch (IllegalArgumentException ex) {
			throw new TlsSettingException(SettingName.SERVER_NAME,
					new SettingText("there is a virtual host '%s', but no client can ask for this name",
							config.getHostName()),
					new SettingText("Name it as clients do: %s", HostNames.EXAMPLES), ex);
		}
	}

	// Settings of Tomcat that are not read here must not be dropped silently
	private static void requireRead(SSLHostConfig config) {
		requireDefault(config, "keyManagerAlgorithm", config.getKeyManagerAlgorithm(),
				DEFAULTS.getKeyManagerAlgorithm(), new SettingText("the keys of a host need no such algorithm"));
		requireDefault(config, "ocspTimeout", config.getOcspTimeout(), DEFAULTS.getOcspTimeout(), new SettingText(
				"the system property 'com.sun.security.ocsp.timeout' sets the time that OCSP responders have, in seconds"));
		requireDefault(config, "ocspVerifyFlags", config.getOcspVerifyFlags(), DEFAULTS.getOcspVerifyFlags(),
				new SettingText("Java verifies the responses of OCSP responders, and has no such flags"));
		requireDefault(config, "caCertificatePath", config.getCaCertificatePath(), null,
				new SettingText("CAs are read from a single file, with %s", SettingName.CA_CERTIFICATES));
		requireDefault(config, "certificateRevocationListPath", config.getCertificateRevocationListPath(), null,
				new SettingText("revocation lists are read from a single file, with %s", SettingName.REVOCATION_LISTS));
	}

	private static void requireDefault(SSLHostConfig config, String name, @Nullable Object value,
			@Nullable Object defaultValue, SettingText instead) {
		if (!Objects.equals(value, defaultValue)) {
			throw new TlsSettingException(SettingName.CERTIFICATE,
					new SettingText("the virtual host '%s' has the setting '%s' of Tomcat, which has no effect",
							config.getHostName(), name),
					new SettingText("Remove whatever sets it: %s", instead), null);
		}
	}

	private static List<HostKey> keysOf(SSLHostConfig config, SSLContext provided) {
		String alias = config.getCertificates(true).iterator().next().getCertificateKeyAlias();
		X509Certificate[] chain = provided.getCertificateChain((alias != null) ? alias : SSLUtilBase.DEFAULT_KEY_ALIAS);
		return (chain != null && chain.length > 0) ? List.of(new HostKey(null, List.of(chain))) : List.of();
	}

}
