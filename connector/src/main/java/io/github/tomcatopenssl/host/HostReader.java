// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CRL;
import java.security.cert.CRLException;
import java.security.cert.CertificateException;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLUtilBase;
import org.apache.tomcat.util.net.jsse.JSSEUtil;
import org.apache.tomcat.util.net.jsse.PEMFile;
import org.apache.tomcat.util.net.openssl.OpenSSLConfCmd;
import org.jspecify.annotations.Nullable;

/**
 * The only way in for what Tomcat is configured with. It makes a {@link TlsHost} of it,
 * or says what cannot be done.
 */
public final class HostReader {

	private static final SSLHostConfig DEFAULTS = new SSLHostConfig();

	private static final String SSL_V2_HELLO = "SSLv2Hello";

	// Stands for lists that do not come from a file
	private static final String GIVEN = "given";

	/**
	 * Commands of OpenSSL for the verification of clients, which this project does
	 * itself.
	 */
	private static final Set<String> VERIFICATION_COMMANDS = Set.of("verifymode", "verifycafile", "verifycapath",
			"verifycastore", "clientcafile", "clientcapath", "clientcastore", "requestcafile", "requestcapath",
			"requestcastore", OpenSSLConfCmd.NO_OCSP_CHECK.toLowerCase(Locale.ROOT),
			OpenSSLConfCmd.OCSP_SOFT_FAIL.toLowerCase(Locale.ROOT),
			OpenSSLConfCmd.OCSP_TIMEOUT.toLowerCase(Locale.ROOT),
			OpenSSLConfCmd.OCSP_VERIFY_FLAGS.toLowerCase(Locale.ROOT));

	private final TlsSettings settings;

	/**
	 * Create a new instance.
	 * @param settings the settings of the connector
	 */
	public HostReader(TlsSettings settings) {
		this.settings = settings;
	}

	/**
	 * Read a virtual host, to which the rules were applied.
	 * @param config the virtual host
	 * @param provided the context that the user provides, or {@code null}
	 * @param openSsl whether OpenSSL serves rather than JSSE
	 * @return the host
	 * @throws IOException if a file or a key cannot be read
	 * @throws GeneralSecurityException if a key or a trust store cannot be read
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	public TlsHost read(SSLHostConfig config, @Nullable SSLContext provided, boolean openSsl)
			throws IOException, GeneralSecurityException {
		requireRead(config);
		List<HostKey> keys = (provided != null) ? keysOf(config, provided) : HostKeys.read(config);
		return new TlsHost(config.getHostName(), keys, readVerification(config, provided), readPolicy(config, openSsl));
	}

	// What Tomcat can be configured with and is not read here must not be dropped in
	// silence
	private static void requireRead(SSLHostConfig config) {
		requireDefault(config, "keyManagerAlgorithm", config.getKeyManagerAlgorithm(),
				DEFAULTS.getKeyManagerAlgorithm());
		requireDefault(config, "ocspTimeout", config.getOcspTimeout(), DEFAULTS.getOcspTimeout());
		requireDefault(config, "ocspVerifyFlags", config.getOcspVerifyFlags(), DEFAULTS.getOcspVerifyFlags());
		requireDefault(config, "caCertificatePath", config.getCaCertificatePath(), null);
		requireDefault(config, "certificateRevocationListPath", config.getCertificateRevocationListPath(), null);
	}

	private static void requireDefault(SSLHostConfig config, String name, @Nullable Object value,
			@Nullable Object defaultValue) {
		if (!Objects.equals(value, defaultValue)) {
			throw new TlsSettingException(SettingName.CERTIFICATE,
					"the virtual host '%s' has the setting '%s' of Tomcat, which has no effect"
						.formatted(config.getHostName(), name),
					"Remove what sets it. CAs and revocation lists are read from a file each, with {CA_CERTIFICATES} and {REVOCATION_LISTS}",
					null);
		}
	}

	private static List<HostKey> keysOf(SSLHostConfig config, SSLContext provided) {
		String alias = config.getCertificates(true).iterator().next().getCertificateKeyAlias();
		X509Certificate[] chain = provided.getCertificateChain((alias != null) ? alias : SSLUtilBase.DEFAULT_KEY_ALIAS);
		return (chain != null && chain.length > 0) ? List.of(new HostKey(null, List.of(chain))) : List.of();
	}

	private static TlsPolicy readPolicy(SSLHostConfig config, boolean openSsl) {
		JSSEUtil jsse = !openSsl ? new JSSEUtil(config.getCertificates(true).iterator().next()) : null;
		List<String> protocols = (jsse != null) ? List.of(jsse.getEnabledProtocols())
				: config.getProtocols().stream().filter((name) -> !name.equals(SSL_V2_HELLO)).toList();
		return new TlsPolicy(protocols, config.getCiphers(), config.getCipherSuites(),
				(jsse != null) ? List.of(jsse.getEnabledCiphers()) : List.of(), readGroups(config, openSsl),
				config.getHonorCipherOrder(), !config.getDisableSessionTickets(), config.getSessionCacheSize(),
				config.getSessionTimeout(), !config.getDisableCompression(), config.getInsecureRenegotiation(),
				config.getSslProtocol(), readCommands(config));
	}

	// OpenSSL may know names that Tomcat does not
	private static @Nullable List<String> readGroups(SSLHostConfig config, boolean openSsl) {
		if (config.getGroupList() == null) {
			return null;
		}
		return openSsl ? Arrays.stream(config.getGroups().split(",")).map(String::strip).toList()
				: config.getGroupList().stream().map(Object::toString).toList();
	}

	private static List<OpenSSLConfCmd> readCommands(SSLHostConfig config) {
		List<OpenSSLConfCmd> commands = (config.getOpenSslConf() != null) ? config.getOpenSslConf().getCommands()
				: List.of();
		for (OpenSSLConfCmd command : commands) {
			if (command.getName() != null
					&& VERIFICATION_COMMANDS.contains(command.getName().toLowerCase(Locale.ROOT))) {
				throw new TlsSettingException(SettingName.CLIENT_AUTH,
						"'%s' of the OpenSSL configuration ('OpenSSLConf') of the virtual host '%s' has no effect"
							.formatted(command.getName(), config.getHostName()),
						"Remove the command, and use {CLIENT_AUTH}, {CA_CERTIFICATES} and {OCSP}", null);
			}
		}
		return commands;
	}

	private ClientVerification readVerification(SSLHostConfig config, @Nullable SSLContext provided)
			throws IOException, GeneralSecurityException {
		CertificateVerification mode = config.getCertificateVerification();
		if (mode == CertificateVerification.NONE) {
			return ClientVerification.NONE;
		}
		if (provided != null) {
			return new ClientVerification(mode, null, ClientTrust.inVerifier(provided), false);
		}
		TrustManager[] own = ownTrustManagers(config);
		if (own != null) {
			return new ClientVerification(mode, ClientVerification.first(own), ClientTrust.inVerifier(List.of(own)),
					false);
		}
		KeyStore trustStore = config.getTruststore();
		boolean named = config.getTrustManagerClassName() != null;
		if (!named && trustStore == null) {
			if (mode == CertificateVerification.OPTIONAL_NO_CA) {
				return new ClientVerification(mode, null, ClientTrust.inAnyone(), false);
			}
			trustStore = readCertificateFile(config);
		}
		X509TrustManager manager = ClientVerification.first(createTrustManagers(config, trustStore));
		if (manager == null) {
			throw new IOException("The virtual host '%s' has no trust manager".formatted(config.getHostName()));
		}
		return new ClientVerification(mode, manager,
				named ? ClientTrust.inVerifier(manager) : ClientTrust.inAnchors(manager.getAcceptedIssuers()), !named);
	}

	/**
	 * Return the trust managers of a virtual host that come neither from its trust store
	 * nor from the name of a class.
	 * @param config the virtual host
	 * @return the trust managers, or {@code null} if there are none
	 */
	public TrustManager @Nullable [] ownTrustManagers(SSLHostConfig config) {
		return (config.getTrustManagerClassName() == null)
				? this.settings.clients().apply(config.getHostName()).trustManagers() : null;
	}

	private static KeyStore readCertificateFile(SSLHostConfig config) throws IOException, GeneralSecurityException {
		KeyStore trustStore = KeyStore.getInstance(KeyStore.getDefaultType());
		trustStore.load(null, null);
		for (X509Certificate certificate : new PEMFile(config.getCaCertificateFile()).getCertificates()) {
			trustStore.setCertificateEntry("ca-" + trustStore.size(), certificate);
		}
		return trustStore;
	}

	// Tomcat's class reads the settings for trust managers from a host, and checks first
	// whether it knows its cipher suites, which may be OpenSSL's
	private TrustManager[] createTrustManagers(SSLHostConfig config, @Nullable KeyStore trustStore)
			throws IOException, GeneralSecurityException {
		Collection<X509CRL> lists = this.settings.clients().apply(config.getHostName()).revocationLists();
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
		copy.setOcspEnabled(config.getOcspEnabled());
		copy.setOcspSoftFail(config.getOcspSoftFail());
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
