// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.PrivateKey;
import java.security.UnrecoverableKeyException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.pem.PemFile;
import io.github.tomcatopenssl.internal.pem.PrivateKeys;
import org.apache.tomcat.util.file.ConfigFileLoader;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.jspecify.annotations.Nullable;

/**
 * Reads the keys of virtual hosts from what Tomcat is configured with: key stores and PEM
 * files.
 */
final class HostKeys {

	/**
	 * The most aliases that a message names.
	 */
	private static final int MOST_ALIASES = 3;

	private static final String DEFAULT_FILE = System.getProperty("user.home") + "/.keystore";

	private static final String STORE_PASSWORD = "Set %s, or 'keystore.password' of the SSL bundle, to the password of the key store";

	private HostKeys() {
	}

	/**
	 * Read the keys of a virtual host.
	 * @param host the virtual host
	 * @return the keys
	 * @throws IOException if a key store cannot be read, or there is no such key
	 * @throws GeneralSecurityException if a key cannot be read
	 * @throws TlsSettingException if a PEM file cannot be used, or a key store has no
	 * such key or another password
	 */
	static List<HostKey> read(SSLHostConfig host) throws IOException, GeneralSecurityException {
		List<HostKey> keys = new ArrayList<>();
		for (SSLHostConfigCertificate certificate : host.getCertificates(true)) {
			keys.addAll(read(certificate));
		}
		return keys;
	}

	/**
	 * Read the keys of a virtual host, as far as they can be read. The problem is
	 * reported when its context is created.
	 * @param host the virtual host
	 * @return the keys
	 */
	static List<HostKey> readable(SSLHostConfig host) {
		List<HostKey> keys = new ArrayList<>();
		for (SSLHostConfigCertificate certificate : host.getCertificates()) {
			try {
				keys.addAll(read(certificate));
			}
			catch (IOException | GeneralSecurityException | TlsSettingException ex) {
				// The problem is reported when the context is created
			}
		}
		return keys;
	}

	/**
	 * Return the material of the certificate files of a virtual host.
	 * @param host the virtual host
	 * @return the material, or {@code null} if Tomcat is configured with another key
	 * store or with other files
	 */
	static @Nullable HostMaterial material(SSLHostConfig host) {
		try {
			for (SSLHostConfigCertificate certificate : host.getCertificates()) {
				HostMaterial material = HostKeyStore.materialOf(certificate.getCertificateKeystore());
				if (material != null) {
					return material;
				}
			}
		}
		catch (IOException ex) {
			// A file, whose problem is reported when the context is created
		}
		return null;
	}

	private static List<HostKey> read(SSLHostConfigCertificate certificate)
			throws IOException, GeneralSecurityException {
		if (certificate.getCertificateFile() != null) {
			return List.of(readFiles(certificate));
		}
		KeyStore keyStore = keyStore(certificate);
		HostMaterial material = HostKeyStore.materialOf(keyStore);
		if (material != null) {
			return material.keys();
		}
		String password = password(certificate);
		String alias = alias(certificate, keyStore);
		Key key = key(certificate, keyStore, alias, password);
		Certificate[] chain = keyStore.getCertificateChain(alias);
		if (!(key instanceof PrivateKey privateKey)) {
			throw new IOException("The entry '%s' of the key store is not a private key".formatted(alias));
		}
		if (chain == null) {
			throw new TlsSettingException(SettingName.CERTIFICATE,
					new SettingText(
							"the key with the alias '%s' of the virtual host '%s' has no certificate that can be read",
							alias, certificate.getSSLHostConfig().getHostName()),
					new SettingText(STORE_PASSWORD, SettingName.KEY_STORE_PASSWORD), null);
		}
		return List
			.of(new HostKey(privateKey, Arrays.asList(Arrays.copyOf(chain, chain.length, X509Certificate[].class))));
	}

	// Without one, Tomcat looks for a file in the user's home folder
	private static KeyStore keyStore(SSLHostConfigCertificate certificate) throws IOException {
		IOException failure = null;
		try {
			KeyStore keyStore = certificate.getCertificateKeystore();
			if (keyStore != null) {
				return keyStore;
			}
		}
		catch (FileNotFoundException ex) {
			if (!DEFAULT_FILE.equals(certificate.getCertificateKeystoreFile())) {
				throw ex;
			}
			failure = ex;
		}
		throw new TlsSettingException(SettingName.CERTIFICATE,
				new SettingText("the virtual host '%s' has no certificate with its private key",
						certificate.getSSLHostConfig().getHostName()),
				new SettingText("Set a certificate and its private key below %s, or in the SSL bundle below 'keystore'",
						SettingName.CERTIFICATE),
				failure);
	}

	private static @Nullable Key key(SSLHostConfigCertificate certificate, KeyStore keyStore, String alias,
			@Nullable String password) throws GeneralSecurityException {
		try {
			return keyStore.getKey(alias, (password != null) ? password.toCharArray() : null);
		}
		catch (UnrecoverableKeyException ex) {
			throw new TlsSettingException(SettingName.KEY_PASSWORD,
					new SettingText("the key with the alias '%s' of the virtual host '%s' cannot be decrypted %s",
							alias, certificate.getSSLHostConfig().getHostName(),
							(password != null) ? "with the password that is set" : "without a password"),
					new SettingText(STORE_PASSWORD
							+ ". If the key has another password, set %s, or 'key.password' of the SSL bundle, to that one",
							SettingName.KEY_STORE_PASSWORD, SettingName.KEY_PASSWORD),
					ex);
		}
	}

	private static HostKey readFiles(SSLHostConfigCertificate certificate) {
		PemFile certificateFile = ConfiguredPemFiles.certificates("certificateFile", certificate.getCertificateFile());
		PemFile keyFile = (certificate.getCertificateKeyFile() != null)
				? ConfiguredPemFiles.key(certificate.getCertificateKeyFile()) : certificateFile;
		List<X509Certificate> chain = new ArrayList<>(certificateFile.certificates());
		if (certificate.getCertificateChainFile() != null) {
			chain.addAll(ConfiguredPemFiles.certificates("certificateChainFile", certificate.getCertificateChainFile())
				.certificates());
		}
		PemFile.Block block = keyFile.privateKey("certificateKeyFile");
		String passwordFile = certificate.getCertificateKeyPasswordFile();
		String password = (passwordFile != null)
				? ConfiguredPemFiles.password("certificateKeyPasswordFile", passwordFile)
				: certificate.getCertificateKeyPassword();
		return new HostKey(PrivateKeys.read(keyFile, block, password,
				(passwordFile != null) ? "certificateKeyPasswordFile" : "certificateKeyPassword"), chain);
	}

	// The configured one, or that of the first key of the right type
	private static String alias(SSLHostConfigCertificate certificate, KeyStore keyStore)
			throws IOException, KeyStoreException {
		String configured = certificate.getCertificateKeyAlias();
		if (configured != null) {
			if (!keyStore.isKeyEntry(configured)) {
				throw unknownAlias(certificate, keyStore, configured);
			}
			return configured;
		}
		for (String alias : Collections.list(keyStore.aliases())) {
			if (keyStore.isKeyEntry(alias) && isOfType(keyStore.getCertificate(alias), certificate.getType())) {
				return alias;
			}
		}
		throw new TlsSettingException(SettingName.CERTIFICATE,
				new SettingText("the key store of the virtual host '%s' has no private key%s, only %d certificates",
						certificate.getSSLHostConfig().getHostName(),
						(certificate.getType() != Type.UNDEFINED) ? " of the type '%s'".formatted(certificate.getType())
								: "",
						keyStore.size()),
				new SettingText(
						"Use a key store with the certificate and its key. 'openssl pkcs12 -export -inkey KEY -in CERTIFICATE -out FILE' makes one of PEM files. In an SSL bundle of PEM files, set 'keystore.private-key'"),
				null);
	}

	private static TlsSettingException unknownAlias(SSLHostConfigCertificate certificate, KeyStore keyStore,
			String configured) throws KeyStoreException {
		List<String> aliases = new ArrayList<>();
		for (String alias : Collections.list(keyStore.aliases())) {
			if (keyStore.isKeyEntry(alias)) {
				aliases.add(alias);
			}
		}
		Collections.sort(aliases);
		String others = aliases.isEmpty() ? "and no other" : "only those with the aliases '%s'%s".formatted(
				String.join("', '", aliases.subList(0, Math.min(MOST_ALIASES, aliases.size()))),
				(aliases.size() > MOST_ALIASES) ? " and %d others".formatted(aliases.size() - MOST_ALIASES) : "");
		return new TlsSettingException(SettingName.KEY_ALIAS,
				new SettingText("the key store of the virtual host '%s' has no key with the alias '%s', %s",
						certificate.getSSLHostConfig().getHostName(), configured, others),
				aliases.isEmpty() ? new SettingText("Use a key store with the certificate and its key")
						: new SettingText("Set %s, or 'key.alias' of the SSL bundle, to one of them, or remove it",
								SettingName.KEY_ALIAS),
				null);
	}

	private static boolean isOfType(Certificate certificate, Type type) {
		return type == Type.UNDEFINED
				|| certificate.getPublicKey().getAlgorithm().replace("-", "").startsWith(type.name());
	}

	private static @Nullable String password(SSLHostConfigCertificate certificate) throws IOException {
		String keyPassword = value(certificate.getCertificateKeyPassword(),
				certificate.getCertificateKeyPasswordFile());
		return (keyPassword != null) ? keyPassword
				: value(certificate.getCertificateKeystorePassword(), certificate.getCertificateKeystorePasswordFile());
	}

	private static @Nullable String value(@Nullable String password, @Nullable String file) throws IOException {
		if (file == null) {
			return password;
		}
		try (BufferedReader reader = new BufferedReader(new InputStreamReader(
				ConfigFileLoader.getSource().getResource(file).getInputStream(), StandardCharsets.UTF_8))) {
			return reader.readLine();
		}
	}

}
