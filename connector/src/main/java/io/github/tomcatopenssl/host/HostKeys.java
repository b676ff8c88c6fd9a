// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.pem.PemFile;
import io.github.tomcatopenssl.pem.PrivateKeys;
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

	private HostKeys() {
	}

	/**
	 * Read the keys of a virtual host.
	 * @param host the virtual host
	 * @return the keys
	 * @throws IOException if a key store cannot be read, or there is no such key
	 * @throws GeneralSecurityException if a key cannot be read
	 * @throws TlsSettingException if a PEM file cannot be used
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
				// As described
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
		KeyStore keyStore = certificate.getCertificateKeystore();
		if (keyStore == null) {
			throw new IOException("The virtual host '%s' has neither a certificate file nor a key store"
				.formatted(certificate.getSSLHostConfig().getHostName()));
		}
		HostMaterial material = HostKeyStore.materialOf(keyStore);
		if (material != null) {
			return material.keys();
		}
		String password = password(certificate);
		String alias = alias(certificate, keyStore);
		Key key = keyStore.getKey(alias, (password != null) ? password.toCharArray() : null);
		Certificate[] chain = keyStore.getCertificateChain(alias);
		if (!(key instanceof PrivateKey privateKey) || chain == null) {
			throw new IOException("The entry '%s' of the key store is not a private key".formatted(alias));
		}
		return List
			.of(new HostKey(privateKey, Arrays.asList(Arrays.copyOf(chain, chain.length, X509Certificate[].class))));
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
				throw new IOException("The key store has no key with the alias '%s'".formatted(configured));
			}
			return configured;
		}
		for (String alias : Collections.list(keyStore.aliases())) {
			if (keyStore.isKeyEntry(alias) && isOfType(keyStore.getCertificate(alias), certificate.getType())) {
				return alias;
			}
		}
		throw new IOException("The key store has no key");
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
