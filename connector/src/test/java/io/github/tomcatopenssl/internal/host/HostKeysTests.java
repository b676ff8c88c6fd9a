// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.test.TestCertificates;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link HostKeys}, {@link HostKey} and {@link HostKeyStore}, also with files
 * that {@link ConfiguredPemFiles} reads.
 */
class HostKeysTests {

	private static final String PASSWORD = "changeit";

	private static final TestCertificates certificates = TestCertificates.get();

	@ParameterizedTest
	@ValueSource(strings = { "JKS", "PKCS12" })
	void whenKeyStoreOfUserHasOurAliasesThenItsKeysAreNotAllServed(String type) throws Exception {
		KeyStore keyStore = keyStore(type);
		SSLHostConfig host = host(keyStore, Type.UNDEFINED);
		// They have an order of their own
		String first = keyStore.aliases().nextElement();
		assertThat(HostKeys.read(host)).extracting(HostKey::leaf)
			.containsExactly((X509Certificate) keyStore.getCertificate(first));
		assertThat(HostKeys.material(host)).isNull();
	}

	@Test
	void whenHostHasSeveralKeysThenAllAreServed() throws Exception {
		List<HostKey> keys = List.of(key("rsa.crt"), key("p256.crt"), key("p384.crt"));
		SSLHostConfig host = host(HostKeyStore.of(new HostMaterial(keys, null, List.of(), List.of())), Type.UNDEFINED);
		assertThat(HostKeys.read(host)).isEqualTo(keys);
		assertThat(HostKeys.material(host)).extracting(HostMaterial::keys).isEqualTo(keys);
	}

	// Such as the code of a user who looks into the bundle
	@Test
	void whenOthersUseTheKeyStoreOfAHostThenItIsAnOrdinaryOne() throws Exception {
		List<HostKey> keys = List.of(key("rsa.crt"), key("p256.crt"));
		KeyStore keyStore = HostKeyStore.of(new HostMaterial(keys, null, List.of(), List.of()));
		assertThat(keyStore.size()).isEqualTo(2);
		assertThat(keyStore.getKey(HostKeyStore.ALIAS, new char[0])).isEqualTo(keys.get(0).key());
		assertThat(keyStore.getCertificateChain(HostKeyStore.ALIAS + "-2")).containsExactly(keys.get(1).leaf());
	}

	@ParameterizedTest
	@CsvSource({ "EC, p256", "RSA, rsa" })
	void whenTypeIsGivenThenFirstKeyOfTheTypeIsServed(Type type, String name) throws Exception {
		assertThat(HostKeys.read(host(keyStore("PKCS12"), type))).extracting(HostKeysTests::name)
			.containsExactly("CN=" + name);
	}

	@Test
	void whenAliasIsGivenThenItsKeyIsServed() throws Exception {
		SSLHostConfig host = host(keyStore("PKCS12"), Type.UNDEFINED);
		SSLHostConfigCertificate certificate = host.getCertificates().iterator().next();
		certificate.setCertificateKeyAlias("server-2");
		assertThat(HostKeys.read(host)).extracting(HostKeysTests::name).containsExactly("CN=rsa");
		certificate.setCertificateKeyAlias("gone");
		fails(host, SettingName.KEY_ALIAS,
				"the key store of the virtual host '_default_' has no key with the alias 'gone', only those with the aliases 'server', 'server-2'",
				"Set 'key alias', or 'key.alias' of the SSL bundle, to one of them, or remove it");
		assertThat(HostKeys.readable(host)).isEmpty();
		HostReader.dropOutdatedAlias(host);
		assertThat(HostKeys.read(host)).extracting(HostKeysTests::name).containsExactly("CN=p256");
	}

	@ParameterizedTest
	@CsvSource({ "JKS, wrong", "JKS, ", "PKCS12, wrong", "PKCS12, " })
	void whenPasswordOfTheKeyIsWrongOrMissingThenSaysSo(String type, @Nullable String password) throws Exception {
		SSLHostConfig host = host(keyStore(type), Type.UNDEFINED);
		SSLHostConfigCertificate certificate = host.getCertificates().iterator().next();
		certificate.setCertificateKeyAlias("server");
		certificate.setCertificateKeystorePassword(password);
		fails(host, SettingName.KEY_PASSWORD,
				"the key with the alias 'server' of the virtual host '_default_' cannot be decrypted "
						+ ((password != null) ? "with the password that is set" : "without a password"),
				"Set 'key store password', or 'keystore.password' of the SSL bundle, to the password of the key store. If the key has another password, set 'key password', or 'key.password' of the SSL bundle, to that one");
		certificate.setCertificateKeyPassword(PASSWORD);
		assertThat(HostKeys.read(host)).hasSize(1);
	}

	@ParameterizedTest
	@CsvSource({ "EC, EC", "RSA, RSA", "UNDEFINED, any" })
	void whenKeyStoreHasNoKeyThenSaysSo(Type type, String named) throws Exception {
		KeyStore keyStore = KeyStore.getInstance("PKCS12");
		keyStore.load(null, null);
		keyStore.setCertificateEntry("ca", certificates.certificate("ca.crt"));
		fails(host(keyStore, type), SettingName.CERTIFICATE,
				"the key store of the virtual host '_default_' has no private key"
						+ (named.equals("any") ? "" : " of the type '%s'".formatted(named)) + ", only 1 certificates",
				"In an SSL bundle of PEM files, set 'keystore.private-key'");
	}

	// As a PKCS #12 key store is without its password
	@Test
	void whenKeyHasNoCertificateThenSaysSo() throws Exception {
		KeyStore keyStore = KeyStore.getInstance("PKCS12");
		ByteArrayOutputStream content = new ByteArrayOutputStream();
		keyStore("PKCS12").store(content, PASSWORD.toCharArray());
		keyStore.load(new ByteArrayInputStream(content.toByteArray()), null);
		fails(host(keyStore, Type.UNDEFINED), SettingName.CERTIFICATE,
				"the key with the alias 'server' of the virtual host '_default_' has no certificate that can be read",
				"Set 'key store password', or 'keystore.password' of the SSL bundle, to the password of the key store");
	}

	@Test
	void whenThereIsNeitherFileNorKeyStoreThenSaysSo() {
		SSLHostConfig host = new SSLHostConfig();
		host.addCertificate(new SSLHostConfigCertificate(host, Type.UNDEFINED));
		fails(host, SettingName.CERTIFICATE, "the virtual host '_default_' has no certificate with its private key",
				"Set a certificate and its private key below 'certificate', or in the SSL bundle below 'keystore'");
	}

	private static void fails(SSLHostConfig host, SettingName setting, String reason, String action) {
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> HostKeys.read(host)).satisfies((ex) -> {
			assertThat(ex.isAbout(setting)).isTrue();
			assertThat(ex.getReason(SettingName::toString)).isEqualTo(reason);
			assertThat(ex.getAction(SettingName::toString)).contains(action);
		});
	}

	@Test
	void whenFilesAreGivenThenTheirChainIsRead() throws Exception {
		SSLHostConfig host = new SSLHostConfig();
		for (String name : List.of("leaf", "rsa")) {
			SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(host,
					name.equals("rsa") ? Type.RSA : Type.EC);
			certificate.setCertificateFile(certificates.file(name + ".crt").toString());
			certificate.setCertificateKeyFile(certificates.file(name + ".key").toString());
			if (name.equals("leaf")) {
				certificate.setCertificateChainFile(certificates.file("intermediate.crt").toString());
			}
			host.addCertificate(certificate);
		}
		assertThat(HostKeys.read(host)).extracting((key) -> key.chain().size()).containsExactlyInAnyOrder(2, 1);
		assertThat(HostReader.hasExportableKeys(host)).isTrue();
	}

	@Test
	void whenKeyIsShownThenItsCertificatesAreShownOnly() throws Exception {
		assertThat(key("p256.crt")).hasToString("HostKey[chain=[CN=p256]]");
	}

	private static String name(HostKey key) {
		return key.leaf().getSubjectX500Principal().getName();
	}

	private static HostKey key(String certificate) throws Exception {
		return new HostKey(newKey(), List.of(certificates.certificate(certificate)));
	}

	private static PrivateKey newKey() throws Exception {
		return KeyPairGenerator.getInstance("EC").generateKeyPair().getPrivate();
	}

	// With the aliases of ours
	private static KeyStore keyStore(String type) throws Exception {
		KeyStore keyStore = KeyStore.getInstance(type);
		keyStore.load(null, null);
		keyStore.setKeyEntry(HostKeyStore.ALIAS, newKey(), PASSWORD.toCharArray(),
				new Certificate[] { certificates.certificate("p256.crt") });
		keyStore.setKeyEntry(HostKeyStore.ALIAS + "-2", newKey(), PASSWORD.toCharArray(),
				new Certificate[] { certificates.certificate("rsa.crt") });
		return keyStore;
	}

	// As Spring Boot does
	private static SSLHostConfig host(KeyStore keyStore, Type type) throws IOException {
		SSLHostConfig host = new SSLHostConfig();
		SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(host, type);
		certificate.setCertificateKeystore(keyStore);
		certificate.setCertificateKeystorePassword(PASSWORD);
		host.addCertificate(certificate);
		return host;
	}

}
