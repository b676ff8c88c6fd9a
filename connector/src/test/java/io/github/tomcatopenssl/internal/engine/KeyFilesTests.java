// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.PBEParameterSpec;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.host.ClientMaterial;
import io.github.tomcatopenssl.internal.host.PemBlocks;
import io.github.tomcatopenssl.internal.host.PolicySettings;
import io.github.tomcatopenssl.internal.host.RevocationChecks;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import io.github.tomcatopenssl.test.TestCertificates;
import org.apache.tomcat.jni.SSL;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests that the files that Tomcat itself is configured with are served on both engines,
 * whatever type and format their key has.
 */
@Tag("servers")
@Tag("jdk")
@ExtendWith(NativeMemoryIsFreed.class)
class KeyFilesTests {

	private static final String PASSWORD = "correct h\u00f6rse";

	private static final long OPENSSL_3_5 = 0x30500000L;

	private static final TestCertificates certificates = TestCertificates.get();

	@BeforeAll
	static void loadLibraryAndMakeKeys() {
		Engine.load();
		certificates.write("key-files.pwd", PASSWORD);
		make("rsa", "rsa:2048");
		make("pss", "rsa-pss", "-pkeyopt", "rsa_keygen_bits:2048");
		make("p256", "ec", "-pkeyopt", "ec_paramgen_curve:P-256");
		make("p384", "ec", "-pkeyopt", "ec_paramgen_curve:P-384");
		make("p521", "ec", "-pkeyopt", "ec_paramgen_curve:P-521");
		make("ed25519", "ed25519");
		make("ed448", "ed448");
	}

	private static void make(String type, String... key) {
		List<String> command = new ArrayList<>(List.of("req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=" + type,
				"-keyout", "key-files-" + type + ".key", "-out", "key-files-" + type + ".crt", "-newkey"));
		command.addAll(List.of(key));
		certificates.openssl(command.toArray(String[]::new));
	}

	@ParameterizedTest
	@CsvSource({ "rsa, pkcs8 -topk8 -nocrypt", "pss, pkcs8 -topk8 -nocrypt", "p256, pkcs8 -topk8 -nocrypt",
			"p384, pkcs8 -topk8 -nocrypt", "p521, pkcs8 -topk8 -nocrypt", "ed25519, pkcs8 -topk8 -nocrypt",
			"ed448, pkcs8 -topk8 -nocrypt", "rsa, rsa -traditional", "p256, ec", "p384, ec", "p521, ec",
			"rsa, rsa -traditional -aes128", "rsa, rsa -traditional -aes192", "rsa, rsa -traditional -aes256",
			"rsa, rsa -traditional -des3", "p256, ec -aes128", "p384, ec -aes192", "p521, ec -aes256", "p256, ec -des3",
			"rsa, pkcs8 -topk8 -v2 aes128", "rsa, pkcs8 -topk8 -v2 aes256", "rsa, pkcs8 -topk8 -scrypt",
			"rsa, pkcs8 -topk8 -v2 des3", "pss, pkcs8 -topk8 -v2 aes128", "p256, pkcs8 -topk8 -v2 aes192",
			"p256, pkcs8 -topk8 -scrypt -v2 aes128", "p384, pkcs8 -topk8 -v2 des3 -v2prf hmacWithSHA1",
			"p521, pkcs8 -topk8 -v2 aes256 -v2prf hmacWithSHA512", "ed25519, pkcs8 -topk8 -v2 aes256",
			"ed25519, pkcs8 -topk8 -scrypt", "ed448, pkcs8 -topk8 -v2 aes128" })
	void whenOpensslHasWrittenTheKeyThenBothEnginesServeIt(String type, String command) {
		write(type, command);
		serves("key-files-" + type + ".crt", PASSWORD);
	}

	private static void write(String type, String command) {
		List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
		arguments.addAll(List.of("-in", "key-files-" + type + ".key", "-out", "written.key", "-passout",
				"file:" + certificates.file("key-files.pwd")));
		certificates.openssl(arguments.toArray(String[]::new));
	}

	private static void serves(String certificateFile, String password) {
		for (Engine engine : Engine.values()) {
			VirtualHosts hosts = create(engine, host(certificateFile, "written.key", password));
			assertThat(hosts.current().get("_default_").context()).isNotNull();
			hosts.removeAll();
		}
	}

	// The old ciphers of PKCS#8, for which Java has passwords in ASCII only
	@ParameterizedTest
	@ValueSource(strings = { "pkcs8 -topk8 -v1 PBE-SHA1-3DES" })
	void whenPasswordIsNotAsciiThenOldEncryptionIsNamed(String command) {
		write("p256", command);
		TlsSettingException failure = fails(host("key-files-p256.crt", "written.key", PASSWORD));
		assertThat(failure.getReason(SettingName::toString))
			.contains("encrypted in a way for which Java supports only passwords in ASCII");
		assertThat(failure.getAction(SettingName::toString)).contains("openssl pkcs8 -topk8 -v2 aes256 -in");
	}

	@ParameterizedTest
	@ValueSource(strings = { "rsa -traditional -aes128", "pkcs8 -topk8 -scrypt", "pkcs8 -topk8 -v2 des3" })
	void whenPasswordIsWrongThenItsSettingIsNamed(String command) {
		write("rsa", command);
		TlsSettingException failure = fails(host("key-files-rsa.crt", "written.key", "battery staple"));
		assertThat(failure.getSetting(SettingName::toString)).isEqualTo("certificateKeyFile");
		assertThat(failure.getFile()).isEqualTo(certificates.file("written.key").toString());
		assertThat(failure.getReason(SettingName::toString))
			.contains("cannot be decrypted with the password in 'certificateKeyPassword'");
		assertThat(failure.getAction(SettingName::toString))
			.isEqualTo("Correct the password in 'certificateKeyPassword'");
		assertThat(failure).hasMessageNotContaining("staple");
	}

	@Test
	void whenPasswordIsInAFileThenItIsRead() {
		write("rsa", "rsa -traditional -aes128");
		SSLHostConfig host = host("key-files-rsa.crt", "written.key", null);
		certificate(host).setCertificateKeyPasswordFile(certificates.file("key-files.pwd").toString());
		VirtualHosts hosts = create(Engine.JSSE, host);
		hosts.removeAll();
		certificate(host).setCertificateKeyPasswordFile(certificates.file("missing.pwd").toString());
		assertThat(fails(host).getSetting(SettingName::toString)).isEqualTo("certificateKeyPasswordFile");
	}

	// Tomcat takes the parameters from the file of the certificate
	@Test
	void whenFileHasAllThenItIsServed() {
		certificates.openssl("ecparam", "-name", "prime256v1", "-out", "parameters.key");
		certificates.join("written.key", "parameters.key", "key-files-p256.key", "key-files-p256.crt");
		certificates.join("all.crt", "written.key");
		serves("all.crt", PASSWORD);
	}

	@Test
	void whenFileCannotBeUsedThenSettingFileAndRemedyAreNamed() {
		SSLHostConfig host = host("key-files-p256.crt", "written.key", null);
		certificates.openssl("pkey", "-in", "key-files-p256.key", "-outform", "DER", "-out", "key-files.der");
		certificate(host).setCertificateKeyFile(certificates.file("key-files.der").toString());
		TlsSettingException failure = fails(host);
		assertThat(failure.getSetting(SettingName::toString)).isEqualTo("certificateKeyFile");
		assertThat(failure.getReason(SettingName::toString)).contains("DER format");
		assertThat(failure.getAction(SettingName::toString)).contains("openssl pkey -inform DER");
		certificate(host).setCertificateFile(certificates.file("missing.crt").toString());
		assertThat(fails(host)).hasMessageContaining("'certificateFile' ('", "missing.crt'): it does not exist");
		certificate(host).setCertificateFile("/dev/zero");
		assertThat(fails(host)).hasMessageContaining("'certificateFile' ('/dev/zero'): it is larger than 4 MiB");
	}

	@Test
	void whenCaFileCannotBeUsedThenSettingFileAndRemedyAreNamed() {
		SSLHostConfig host = host("key-files-p256.crt", "key-files-p256.key", null);
		host.setCertificateVerification("required");
		host.setCaCertificateFile(certificates.file("key-files-p256.key").toString());
		assertThat(fails(host)).hasMessageContaining("'caCertificateFile' ('");
		host.setCaCertificateFile(certificates.file("ca.crt").toString());
		create(Engine.JSSE, host).removeAll();
	}

	// The system's OpenSSL may be too old to serve it, and JSSE does not
	@ParameterizedTest
	@ValueSource(strings = { "ml-dsa-44", "ml-dsa-65", "ml-dsa-87" })
	void whenKeyIsMlDsaThenItIsServedOrTheReasonIsItsOwn(String name) throws Exception {
		certificates.write("written.key", encrypt(certificates.read(name + ".key")));
		for (String key : List.of(name + ".key", "written.key")) {
			SSLHostConfig host = host(name + ".crt", key, TestCertificates.PASSWORD);
			if (Runtime.version().feature() < 24) {
				TlsSettingException failure = fails(host);
				assertThat(failure.getReason(SettingName::toString)).contains("is of the type 'ML-DSA", "Java ");
				assertThat(failure.getAction(SettingName::toString)).contains("Use Java 24 or later");
				continue;
			}
			assertThat(fails(host).getReason(SettingName::toString)).contains("only OpenSSL 3.5 or later can serve");
			if (SSL.version() >= OPENSSL_3_5) {
				create(Engine.OPENSSL, host).removeAll();
			}
		}
	}

	// The openssl command may not know the key
	private static String encrypt(String key) throws Exception {
		String algorithm = "PBEWithSHA1AndDESede";
		Cipher cipher = Cipher.getInstance(algorithm);
		cipher.init(Cipher.ENCRYPT_MODE,
				SecretKeyFactory.getInstance(algorithm)
					.generateSecret(new PBEKeySpec(TestCertificates.PASSWORD.toCharArray())),
				new PBEParameterSpec(new byte[8], 1000));
		byte[] encrypted = cipher.doFinal(Base64.getMimeDecoder().decode(key.replaceAll("-----.*-----", "")));
		return PemBlocks.of("ENCRYPTED PRIVATE KEY", Base64.getMimeEncoder(64, new byte[] { '\n' })
			.encodeToString(new EncryptedPrivateKeyInfo(cipher.getParameters(), encrypted).getEncoded()));
	}

	private static TlsSettingException fails(SSLHostConfig host) {
		TlsSettingException failure = catchThrowableOfType(TlsSettingException.class,
				() -> create(Engine.JSSE, host).removeAll());
		assertThat(failure).isNotNull();
		return failure;
	}

	private static SSLHostConfig host(String certificateFile, String keyFile, String password) {
		SSLHostConfig host = new SSLHostConfig();
		SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(host, Type.UNDEFINED);
		certificate.setCertificateFile(certificates.file(certificateFile).toString());
		certificate.setCertificateKeyFile(certificates.file(keyFile).toString());
		certificate.setCertificateKeyPassword(password);
		host.addCertificate(certificate);
		return host;
	}

	private static SSLHostConfigCertificate certificate(SSLHostConfig host) {
		return host.getCertificates().iterator().next();
	}

	private static VirtualHosts create(Engine engine, SSLHostConfig host) {
		VirtualHosts hosts = new VirtualHosts(engine.served(),
				new TlsSettings(List.of(), PolicySettings.NONE, RevocationChecks.NONE, (name) -> ClientMaterial.NONE,
						null, null, null, null, null, false, TlsAlpnChallenges.NONE, (any) -> null));
		hosts.create(host, List.of(), "_default_");
		return hosts;
	}

}
