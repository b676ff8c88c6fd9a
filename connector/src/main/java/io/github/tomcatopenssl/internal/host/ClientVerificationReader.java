// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
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
import org.apache.tomcat.util.net.jsse.JSSEUtil;
import org.jspecify.annotations.Nullable;

/**
 * Reads how a virtual host verifies its clients: with a context or a trust manager of the
 * user's, or against CAs.
 */
final class ClientVerificationReader {

	// Tomcat asks for lists only if it has the name of a file
	private static final String GIVEN = "given";

	private final TlsSettings settings;

	ClientVerificationReader(TlsSettings settings) {
		this.settings = settings;
	}

	/**
	 * Read how a virtual host verifies its clients.
	 * @param config the virtual host
	 * @param provided the context that the user provides, or {@code null}
	 * @return how it verifies them
	 * @throws IOException if a file cannot be read
	 * @throws GeneralSecurityException if a trust store cannot be read
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	ClientVerification read(SSLHostConfig config, @Nullable SSLContext provided)
			throws IOException, GeneralSecurityException {
		CertificateVerification mode = mode(config);
		if (mode == CertificateVerification.NONE) {
			return ClientVerification.NONE;
		}
		TrustManager[] own = ownTrustManagers(config);
		boolean verifier = provided != null || own != null;
		requireTrustAnchors(config, verifier || config.getCaCertificateFile() != null);
		this.settings.revocation().requirePossible(config, provided != null, own != null);
		if (this.settings.forwardedCertificates() != null) {
			ForwardedVerification.requirePossible(config, this.settings.revocation(), verifier);
		}
		if (provided != null) {
			return new ClientVerification(mode, null, ClientTrust.inVerifier(provided), false, null);
		}
		if (own != null) {
			requireNoRevocation(config);
			return verifiedBy(mode, requireManager(config, own), List.of(own));
		}
		if (config.getTrustManagerClassName() != null) {
			X509TrustManager manager = createManager(config, config.getTruststore());
			return verifiedBy(mode, manager, manager);
		}
		KeyStore trustStore = config.getTruststore();
		if (trustStore == null && mode == CertificateVerification.OPTIONAL_NO_CA) {
			return new ClientVerification(mode, null, ClientTrust.inAnyone(), false, null);
		}
		return verifiedByAnchors(config, mode, (trustStore != null) ? trustStore : readCertificateFile(config));
	}

	private static CertificateVerification mode(SSLHostConfig config) {
		HostMaterial material = HostKeys.material(config);
		return (material != null && material.clientAuth() != null) ? switch (material.clientAuth()) {
			case NONE -> CertificateVerification.NONE;
			case WANT -> CertificateVerification.OPTIONAL;
			case NEED -> CertificateVerification.REQUIRED;
		} : config.getCertificateVerification();
	}

	// A trust manager of the user's is used as it is, but for its search
	private static ClientVerification verifiedBy(CertificateVerification mode, X509TrustManager manager,
			Object verifier) {
		return new ClientVerification(mode, TrustAnchors.bounded(manager), ClientTrust.inVerifier(verifier), false,
				null);
	}

	private ClientVerification verifiedByAnchors(SSLHostConfig config, CertificateVerification mode,
			KeyStore trustStore) throws IOException, GeneralSecurityException {
		X509TrustManager manager = trustedBy(createManager(config, trustStore));
		ClientTrust trust = ClientTrust.inAnchors(manager.getAcceptedIssuers());
		if (this.settings.forwardedCertificates() == null) {
			return new ClientVerification(mode, manager, trust, true, null);
		}
		HostMaterial material = HostKeys.material(config);
		return withProxies(config,
				new ClientVerification(mode, manager, trust, true, new ForwardedVerification(manager, trust)),
				(material != null) ? material.proxyCertificates()
						: this.settings.clients().apply(config.getHostName()).proxyCertificates());
	}

	// Proxies take part in handshakes, but no certificate that is forwarded is one of
	// theirs
	private ClientVerification withProxies(SSLHostConfig config, ClientVerification clients,
			Collection<X509Certificate> proxies) throws IOException, GeneralSecurityException {
		if (proxies.isEmpty()) {
			return clients;
		}
		List<X509Certificate> anchors = new ArrayList<>(
				Arrays.asList(Objects.requireNonNull(clients.trustManager()).getAcceptedIssuers()));
		ForwardedVerification.requireApart(config, anchors, proxies);
		anchors.addAll(proxies);
		X509TrustManager manager = trustedBy(createManager(config, trustStore(anchors)));
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

	/**
	 * Require that Tomcat itself finds the CAs of a virtual host. It does not read their
	 * file with JSSE.
	 * @param config the virtual host
	 * @throws TlsSettingException if it has none
	 */
	void requireReadableTrustStore(SSLHostConfig config) {
		requireTrustAnchors(config, ownTrustManagers(config) != null);
	}

	// JSSE would verify clients against the CAs of the JDK
	private static void requireTrustAnchors(SSLHostConfig config, boolean others) {
		if (!others && config.getTrustManagerClassName() == null && trustStore(config) == null) {
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

	private Collection<X509CRL> revocationLists(SSLHostConfig config) {
		HostMaterial material = HostKeys.material(config);
		return (material != null) ? material.revocationLists()
				: this.settings.clients().apply(config.getHostName()).revocationLists();
	}

	// Tomcat's class reads the settings for trust managers from a host, and checks first
	// whether it knows its cipher suites, which may be OpenSSL's
	private X509TrustManager createManager(SSLHostConfig config, @Nullable KeyStore trustStore)
			throws IOException, GeneralSecurityException {
		Collection<X509CRL> lists = revocationLists(config);
		RevocationChecks revocation = this.settings.revocation();
		SSLHostConfig copy = new SSLHostConfig();
		copy.setHostName(config.getHostName());
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
			return requireManager(config, util.getTrustManagers());
		}
		catch (IOException | GeneralSecurityException | RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new IOException(ex);
		}
	}

}
