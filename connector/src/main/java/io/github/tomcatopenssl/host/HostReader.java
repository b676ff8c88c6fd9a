// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.CRL;
import java.security.cert.CRLException;
import java.security.cert.CertificateException;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLUtilBase;
import org.apache.tomcat.util.net.jsse.JSSEUtil;
import org.jspecify.annotations.Nullable;

/**
 * The only way in for Tomcat's configuration of a host. It makes a {@link TlsHost} of it,
 * or says what cannot be done.
 */
public final class HostReader {

	private static final SSLHostConfig DEFAULTS = new SSLHostConfig();

	// Stands for lists that do not come from a file
	private static final String GIVEN = "given";

	private final TlsSettings settings;

	private final PolicyRules rules;

	/**
	 * Create a new instance.
	 * @param settings the settings of the connector
	 * @param engine what the engine can do that serves
	 */
	public HostReader(TlsSettings settings, EngineCapabilities engine) {
		this.settings = settings;
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
		ClientVerification clients = this.rules.applyTo(config.getHostName(), readVerification(config, provided));
		return new TlsHost(config.getHostName(), keys, clients, this.rules.of(config, keys));
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
			requireTrustAnchors(config, ownTrustManagers(config) != null, false);
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

	private static SSLHostConfig copy(SSLHostConfig config) {
		SSLHostConfig copy = new SSLHostConfig();
		copy.setHostName(config.getHostName());
		return copy;
	}

	private ClientVerification readVerification(SSLHostConfig config, @Nullable SSLContext provided)
			throws IOException, GeneralSecurityException {
		HostMaterial material = HostKeys.material(config);
		CertificateVerification mode = (material != null && material.clientAuth() != null)
				? switch (material.clientAuth()) {
					case NONE -> CertificateVerification.NONE;
					case WANT -> CertificateVerification.OPTIONAL;
					case NEED -> CertificateVerification.REQUIRED;
				} : config.getCertificateVerification();
		if (mode == CertificateVerification.NONE) {
			return ClientVerification.NONE;
		}
		TrustManager[] own = ownTrustManagers(config);
		requireTrustAnchors(config, own != null || provided != null, true);
		this.settings.revocation().requirePossible(config, provided != null, own != null);
		boolean forwards = this.settings.forwardedCertificates() != null;
		if (forwards) {
			ForwardedVerification.requirePossible(config, this.settings.revocation(), provided != null || own != null);
		}
		if (provided != null) {
			return new ClientVerification(mode, null, ClientTrust.inVerifier(provided), false, null);
		}
		if (own != null) {
			requireNoRevocation(config);
			return new ClientVerification(mode, TrustAnchors.bounded(requireManager(config, own)),
					ClientTrust.inVerifier(List.of(own)), false, null);
		}
		KeyStore trustStore = config.getTruststore();
		boolean named = config.getTrustManagerClassName() != null;
		if (!named && trustStore == null) {
			if (mode == CertificateVerification.OPTIONAL_NO_CA) {
				return new ClientVerification(mode, null, ClientTrust.inAnyone(), false, null);
			}
			trustStore = readCertificateFile(config);
		}
		Collection<X509CRL> lists = (material != null) ? material.revocationLists()
				: this.settings.clients().apply(config.getHostName()).revocationLists();
		X509TrustManager manager = requireManager(config, createTrustManagers(config, trustStore, lists));
		if (named) {
			return new ClientVerification(mode, TrustAnchors.bounded(manager), ClientTrust.inVerifier(manager), false,
					null);
		}
		ClientTrust trust = ClientTrust.inAnchors(manager.getAcceptedIssuers());
		manager = trustedBy(manager);
		if (!forwards) {
			return new ClientVerification(mode, manager, trust, true, null);
		}
		Collection<X509Certificate> proxies = (material != null) ? material.proxyCertificates()
				: this.settings.clients().apply(config.getHostName()).proxyCertificates();
		return withProxies(config,
				new ClientVerification(mode, manager, trust, true, new ForwardedVerification(manager, trust)), proxies,
				lists);
	}

	// Proxies take part in handshakes, but no certificate that is forwarded is one of
	// theirs
	private ClientVerification withProxies(SSLHostConfig config, ClientVerification clients,
			Collection<X509Certificate> proxies, Collection<X509CRL> lists)
			throws IOException, GeneralSecurityException {
		if (proxies.isEmpty()) {
			return clients;
		}
		List<X509Certificate> anchors = new ArrayList<>(
				Arrays.asList(Objects.requireNonNull(clients.trustManager()).getAcceptedIssuers()));
		ForwardedVerification.requireApart(config, anchors, proxies);
		anchors.addAll(proxies);
		X509TrustManager manager = trustedBy(
				requireManager(config, createTrustManagers(config, trustStore(anchors), lists)));
		return new ClientVerification(clients.mode(), manager,
				ClientTrust.inAnchors(manager.getAcceptedIssuers(), proxies), true, clients.forwarded());
	}

	private static X509TrustManager trustedBy(X509TrustManager manager) {
		return new TrustAnchors(List.of(manager.getAcceptedIssuers()), InstantSource.system()).verifiedBy(manager);
	}

	private static X509TrustManager requireManager(SSLHostConfig config, TrustManager @Nullable [] managers) {
		for (TrustManager manager : Objects.requireNonNullElse(managers, new TrustManager[0])) {
			if (manager instanceof X509TrustManager found) {
				return found;
			}
		}
		throw new TlsSettingException(SettingName.CLIENT_AUTH,
				new SettingText(
						"the virtual host '%s' must verify clients, but it has no trust manager for X.509 certificates",
						config.getHostName()),
				new SettingText(
						"Have the 'SslManagerBundle' of its SSL bundle return an 'X509TrustManager', or remove %s",
						SettingName.CLIENT_AUTH),
				null);
	}

	// A trust manager of the user's is used as it is
	private static void requireNoRevocation(SSLHostConfig config) {
		if (config.getRevocationEnabled() || config.getOcspEnabled()
				|| config.getCertificateRevocationListFile() != null) {
			throw new TlsSettingException(SettingName.CLIENT_AUTH, new SettingText(
					"the virtual host '%s' checks revocation, but it has a trust manager of its own, which would not check it",
					config.getHostName()),
					new SettingText(
							"Remove 'revocationEnabled', 'ocspEnabled' and 'certificateRevocationListFile' of the virtual host, or the 'SslManagerBundle' of its bundle"),
					null);
		}
	}

	// Those that come neither from a trust store nor from the name of a class
	private TrustManager @Nullable [] ownTrustManagers(SSLHostConfig config) {
		return (config.getTrustManagerClassName() == null)
				? this.settings.clients().apply(config.getHostName()).trustManagers() : null;
	}

	// JSSE would verify clients against the CAs of the JDK
	private static void requireTrustAnchors(SSLHostConfig config, boolean own, boolean readsFile) {
		boolean file = readsFile && config.getCaCertificateFile() != null;
		if (!own && !file && config.getTrustManagerClassName() == null && trustStore(config) == null) {
			throw new TlsSettingException(SettingName.CLIENT_AUTH,
					new SettingText(
							"the virtual host '%s' must verify clients, but it has no CA to verify them against",
							config.getHostName()),
					new SettingText("Give it a CA with %s or the trust store of its SSL bundle, or remove %s",
							SettingName.CA_CERTIFICATES, SettingName.CLIENT_AUTH),
					null);
		}
	}

	private static @Nullable KeyStore trustStore(SSLHostConfig config) {
		try {
			return config.getTruststore();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static KeyStore readCertificateFile(SSLHostConfig config) throws IOException, GeneralSecurityException {
		return trustStore(ConfiguredPemFiles.cas(config.getCaCertificateFile()).certificates());
	}

	private static KeyStore trustStore(List<X509Certificate> certificates)
			throws IOException, GeneralSecurityException {
		KeyStore trustStore = KeyStore.getInstance(KeyStore.getDefaultType());
		trustStore.load(null, null);
		for (X509Certificate certificate : certificates) {
			trustStore.setCertificateEntry("ca-" + trustStore.size(), certificate);
		}
		return trustStore;
	}

	// Tomcat's class reads the settings for trust managers from a host, and checks first
	// whether it knows its cipher suites, which may be OpenSSL's
	private TrustManager[] createTrustManagers(SSLHostConfig config, @Nullable KeyStore trustStore,
			Collection<X509CRL> lists) throws IOException, GeneralSecurityException {
		RevocationChecks revocation = this.settings.revocation();
		SSLHostConfig copy = copy(config);
		copy.setTrustManagerClassName(config.getTrustManagerClassName());
		copy.setTrustStore(trustStore);
		copy.setTruststoreAlgorithm(config.getTruststoreAlgorithm());
		if (config.isCertificateVerificationDepthConfigured()) {
			copy.setCertificateVerificationDepth(config.getCertificateVerificationDepth());
		}
		copy.setRevocationEnabled(config.getRevocationEnabled());
		copy.setCertificateRevocationListFile(lists.isEmpty() ? config.getCertificateRevocationListFile() : GIVEN);
		copy.setOcspEnabled(revocation.isEmpty() ? config.getOcspEnabled() : revocation.ocspEnabled());
		copy.setOcspSoftFail(revocation.isEmpty() ? config.getOcspSoftFail() : revocation.ocspSoftFail());
		SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(copy,
				SSLHostConfigCertificate.Type.UNDEFINED);
		JSSEUtil util = new JSSEUtil(certificate, false) {

			@Override
			protected Collection<? extends CRL> getCRLs(String file)
					throws IOException, CRLException, CertificateException {
				return lists.isEmpty() ? super.getCRLs(file) : lists;
			}

		};
		try {
			return util.getTrustManagers();
		}
		catch (IOException | GeneralSecurityException | RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new IOException(ex);
		}
	}

}
