// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.spi.FileSystemProvider;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.pem.PemFile;
import io.github.tomcatopenssl.internal.pem.PrivateKeys;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.TestCertificates;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.io.ApplicationResourceLoader;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.mockito.Answers.RETURNS_DEEP_STUBS;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link KeyMaterial}: how a {@link PemFile} and {@link PrivateKeys} are read,
 * what {@link CertificateChain} refuses, and what {@link FileFailure} says.
 */
class KeyMaterialTests {

	private static TestCertificates certificates;

	@BeforeAll
	static void makeCertificates() {
		certificates = TestCertificates.get();
	}

	@ParameterizedTest
	@CsvSource({ "rsa,RSA", "p256,EC", "p384,EC", "ed25519,EdDSA" })
	void whenKeyIsInItsOwnFileThenLoads(String name, String algorithm) {
		KeyMaterial files = load(name + ".crt", name + ".key");
		assertThat(files.privateKey().getAlgorithm()).isEqualTo(algorithm);
		assertThat(files.certificates()).extracting(KeyMaterialTests::subject).containsExactly("CN=" + name);
	}

	@Test
	void whenKeyIsInCertificateFileThenLoads() {
		certificates.join("key-and-chain.crt", "leaf.key", "leaf.crt", "intermediate.crt");
		KeyMaterial files = load("key-and-chain.crt", null);
		assertThat(files.certificates()).extracting(KeyMaterialTests::subject)
			.containsExactly("CN=leaf", "CN=Intermediate CA");
	}

	@Test
	void whenChainIsInItsOwnFileThenIsAppended() {
		certificates.join("chain.crt", "intermediate.crt", "ca.crt");
		KeyMaterial files = load(files("leaf.crt", "leaf.key", null, "chain.crt"));
		assertThat(files.certificates()).extracting(KeyMaterialTests::subject)
			.containsExactly("CN=leaf", "CN=Intermediate CA", "CN=Test CA");
	}

	@ParameterizedTest
	@ValueSource(strings = { "rsa", "p256", "p384" })
	void whenKeyIsInTraditionalFormatThenLoads(String name) {
		certificates.openssl("pkey", "-in", name + ".key", "-traditional", "-out", name + "-traditional.key");
		assertThat(certificates.read(name + "-traditional.key")).containsAnyOf("RSA PRIVATE KEY", "EC PRIVATE KEY");
		assertThat(load(name + ".crt", name + "-traditional.key").privateKey().getFormat()).isEqualTo("PKCS#8");
	}

	@Test
	void whenParametersStandBeforeEcKeyThenLoads() {
		certificates.openssl("ecparam", "-name", "prime256v1", "-genkey", "-out", "param.key");
		certificates.openssl("req", "-x509", "-key", "param.key", "-subj", "/CN=param", "-out", "param.crt");
		assertThat(certificates.read("param.key")).contains("EC PARAMETERS");
		assertThat(load("param.crt", "param.key").privateKey().getAlgorithm()).isEqualTo("EC");
	}

	@ParameterizedTest
	@CsvSource({ "rsa,aes256", "p256,aes256", "p384,aes128", "ed25519,aes256" })
	void whenKeyIsEncryptedThenLoadsWithPassword(String name, String cipher) {
		certificates.openssl("pkcs8", "-topk8", "-v2", cipher, "-in", name + ".key", "-passout",
				"pass:" + TestCertificates.PASSWORD, "-out", name + "-encrypted.key");
		KeyMaterial files = load(files(name + ".crt", name + "-encrypted.key", TestCertificates.PASSWORD, null));
		assertThat(files.privateKey()).isEqualTo(load(name + ".crt", name + ".key").privateKey());
	}

	@ParameterizedTest
	@CsvSource({ "rsa, -aes128", "rsa, -aes256", "rsa, -des3", "p256, -aes128", "p384, -aes256" })
	void whenKeyIsTraditionallyEncryptedThenLoadsWithPassword(String name, String cipher) {
		encryptTraditionally(name, cipher);
		assertThat(load(files(name + ".crt", name + "-traditional-encrypted.key", TestCertificates.PASSWORD, null))
			.keyAlgorithm()).isEqualTo(load(name + ".crt", name + ".key").keyAlgorithm());
	}

	@Test
	void whenKeyIsTraditionallyEncryptedWithACipherThatJavaLacksThenSaysHowToConvertIt() {
		encryptTraditionally("p256", "-camellia128");
		fails(() -> load(files("p256.crt", "p256-traditional-encrypted.key", TestCertificates.PASSWORD, null)),
				"certificate-key-file", "p256-traditional-encrypted.key",
				"is encrypted in a way that Java does not support: cipher CAMELLIA-128-CBC", "openssl pkcs8 -topk8");
	}

	@Test
	void whenLocationIsResourceThenLoads() throws Exception {
		assertThat(load(files("p256.crt", "p256.key", null, null, (path) -> "file:" + path),
				ApplicationResourceLoader.get())
			.certificates()).hasSize(1);
		Path classPath = Path.of(getClass().getResource("/").toURI());
		Files.copy(certificates.file("p256.crt"), classPath.resolve("tls.crt"), StandardCopyOption.REPLACE_EXISTING);
		Files.copy(certificates.file("p256.key"), classPath.resolve("tls.key"), StandardCopyOption.REPLACE_EXISTING);
		assertThat(load(new CertificateFiles("server.ssl.", "classpath:tls.crt", "classpath:tls.key", null, null),
				ApplicationResourceLoader.get())
			.certificates()).hasSize(1);
	}

	@Test
	void whenFileHasWindowsLineEndsByteOrderMarkAndProseThenLoads() {
		certificates.write("windows.crt",
				"\uFEFF" + ("Bag Attributes\n" + certificates.read("p256.crt")).replace("\n", "\r\n"));
		certificates.write("windows-bom.crt", "\uFEFF" + certificates.read("p256.crt"));
		assertThat(load("windows.crt", "p256.key").certificates()).hasSize(1);
		assertThat(load("windows-bom.crt", "p256.key").certificates()).hasSize(1);
	}

	@Test
	void whenFileIsMissingThenFails() {
		fails(() -> load("missing.crt", null), "certificate-file", "missing.crt", "does not exist", "correct");
		fails(() -> load("p256.crt", "missing.key"), "certificate-key-file", "missing.key", "does not exist", "");
		fails(() -> load(files("p256.crt", "p256.key", null, "missing-chain.crt")), "certificate-chain-file",
				"missing-chain.crt", "does not exist", "");
	}

	@Test
	void whenFileIsFolderThenFails(@TempDir Path folder) {
		fails(() -> load(new CertificateFiles("server.ssl.", folder.toString(), null, null, null),
				ApplicationResourceLoader.get()), "certificate-file", folder.toString(), "is a folder", "");
	}

	// Root can enter any folder and read any file, so the file system says that it cannot
	@Test
	void whenFolderCannotBeEnteredThenSaysSo() throws IOException {
		Path path = mock(Path.class, RETURNS_DEEP_STUBS);
		FileSystemProvider provider = mock(FileSystemProvider.class, (invocation) -> {
			throw new AccessDeniedException("/etc/tls/p256.crt");
		});
		given(path.getFileSystem().provider()).willReturn(provider);
		given(path.toAbsolutePath().toString()).willReturn("/etc/tls/p256.crt");
		Resource resource = new FileSystemResource("/etc/tls/p256.crt") {

			@Override
			public Path getFilePath() {
				return path;
			}

		};
		ResourceLoader forbidden = new DefaultResourceLoader() {

			@Override
			public Resource getResource(String location) {
				return resource;
			}

		};
		fails(() -> load(files("p256.crt", null, null, null), forbidden), "certificate-file", "p256.crt",
				"it cannot be read: access is denied",
				"to the folders above it. In Kubernetes, set 'fsGroup' in the pod's 'securityContext', and 'defaultMode: 0440' of the secret");
	}

	@Test
	void whenLinksLeadInACircleThenSaysSo(@TempDir Path folder) throws IOException {
		Path link = Files.createSymbolicLink(folder.resolve("a"), folder.resolve("b"));
		Files.createSymbolicLink(folder.resolve("b"), link);
		fails(() -> load(new CertificateFiles("server.ssl.", link.toString(), null, null, null),
				ApplicationResourceLoader.get()), "certificate-file", link.toString(), "its symbolic links form a loop",
				"Point the link to the file");
	}

	@Test
	void whenPathLeadsNowhereThenNamesThePartThatIsWrong(@TempDir Path folder) throws IOException {
		Path link = Files.createSymbolicLink(folder.resolve("tls.crt"), Path.of("..data", "tls.crt"));
		failsToRead(link, "it is a symbolic link to '..data/tls.crt', which does not exist",
				"Create what the link points to");
		Path linkedFolder = Files.createSymbolicLink(folder.resolve("live"), Path.of("gone"));
		failsToRead(linkedFolder.resolve("tls.crt"),
				"'%s' is a symbolic link to 'gone', which does not exist".formatted(linkedFolder), "correct the link");
		failsToRead(folder.resolve("missing/deeper/tls.crt"),
				"its folder '%s' does not exist".formatted(folder.resolve("missing")), "Create the folder");
		Path file = Files.createFile(folder.resolve("file"));
		failsToRead(file.resolve("tls.crt"), "'%s' is a file, not a folder".formatted(file),
				"Correct 'server.ssl.certificate-file'");
		failsToRead(folder.resolve("missing.crt"), "it does not exist", "Create the file");
	}

	@ParameterizedTest
	@CsvSource({ "Too many open files, lsof -p", "Too many open files in system, lsof -p",
			"No file descriptors available, lsof -p", "No space left on device, Free space",
			"Disk quota exceeded, Free space", "Input/output error, the file system that it is on",
			"Stale file handle, the file system that it is on", "Eingabe-/Ausgabefehler, the file system that it is on",
			"File name too long, correct 'server.ssl.certificate-file'", "Is a directory, Check the file" })
	void whenTheSystemFailsThenGivesItsReasonAndDoesNotAdvisePermissions(String reason, String action) {
		Path file = certificates.file("p256.crt");
		for (IOException failure : List.of(new FileSystemException(file.toString(), null, reason),
				new IOException(reason))) {
			assertThat(FileFailure.of(file, "server.ssl.certificate-file", failure))
				.returns("it cannot be read: " + reason, FileFailure::reason)
				.satisfies((described) -> assertThat(described.action()).contains(action).doesNotContain("access"));
		}
	}

	@Test
	void whenReadingFailsThenFails() {
		Path file = Path.of("/proc/self/mem");
		assumeThat(file).as("a file that cannot be read from its start").exists();
		failsToRead(file, "it cannot be read: Input/output error", "Check the file and the file system");
		failsToRead(Path.of("/" + "a".repeat(300)), "it cannot be read: File name too long",
				"correct 'server.ssl.certificate-file'");
	}

	@Test
	void whenLocationIsInvalidThenSaysSo() {
		fails(() -> load(new CertificateFiles("server.ssl.", "base64:***", null, null, null)), "certificate-file",
				"base64:...", "it is not a valid location: Illegal base64", "Correct");
	}

	@ParameterizedTest
	@ValueSource(strings = { "http://localhost:1/tls.crt", "https://example.com/tls.crt", "HTTPS://example.com/tls.crt",
			"ftp://example.com/tls.crt" })
	void whenLocationIsOnAnotherMachineThenSaysSo(String location) {
		fails(() -> load(new CertificateFiles("server.ssl.", location, null, null, null)), "certificate-file", location,
				"it is a URL, and files of other machines are not supported",
				"Copy the file to this machine, and set 'server.ssl.certificate-file' to the copy");
	}

	@ParameterizedTest
	@ValueSource(strings = { " ", "\t", "\u00a0", "\u200b" })
	void whenLocationEndsOrBeginsWithWhiteSpaceThenSaysSo(String space) {
		String file = certificates.file("p256.crt").toString();
		for (String location : List.of(file + space, file + ".missing" + space, "file:" + space + file)) {
			fails(() -> load(new CertificateFiles("server.ssl.", location, null, null, null)), "certificate-file",
					location.replace("file:" + space, space).replace("file:", ""),
					location.endsWith(space) ? "it does not exist: its name ends with white space"
							: "it does not exist: its name begins with white space",
					"Remove the white space in 'server.ssl.certificate-file'");
		}
	}

	// NGINX serves them
	@Test
	void whenCertificateIsTwiceInTheChainThenItIsDroppedWithAWarning() {
		certificates.join("twice.crt", "leaf.crt", "leaf.crt", "intermediate.crt", "leaf.crt");
		certificates.join("chain-twice.crt", "leaf.crt", "intermediate.crt", "ca.crt", "ca.crt");
		KeyMaterial material = load(files("twice.crt", "leaf.key", null, "chain-twice.crt"));
		assertThat(material.certificates()).extracting(KeyMaterialTests::subject)
			.containsExactly("CN=leaf", "CN=Intermediate CA", "CN=Test CA");
		String file = certificates.file("twice.crt").toString();
		String chain = certificates.file("chain-twice.crt").toString();
		assertThat(material.certificates()).map(material::origin)
			.containsExactly("number 1 in '%s' of 'server.ssl.certificate-file'".formatted(file),
					"number 3 in '%s' of 'server.ssl.certificate-file'".formatted(file),
					"number 3 in '%s' of 'server.ssl.certificate-chain-file'".formatted(chain));
		assertThat(material.duplicates()).map(Throwable::getMessage)
			.containsExactly(
					"'server.ssl.certificate-file' ('%s'): its certificate 2 ('CN=leaf') is in the chain twice, and is left out"
						.formatted(file),
					"'server.ssl.certificate-file' ('%s'): its certificate 4 ('CN=leaf') is in the chain twice, and is left out"
						.formatted(file),
					"'server.ssl.certificate-chain-file' ('%s'): its certificate 1 ('CN=leaf') is in the chain twice, and is left out"
						.formatted(chain),
					"'server.ssl.certificate-chain-file' ('%s'): its certificate 2 ('CN=Intermediate CA') is in the chain twice, and is left out"
						.formatted(chain),
					"'server.ssl.certificate-chain-file' ('%s'): its certificate 4 ('CN=Test CA') is in the chain twice, and is left out"
						.formatted(chain));
	}

	private static void failsToRead(Path file, String reason, String action) {
		fails(() -> load(new CertificateFiles("server.ssl.", file.toString(), null, null, null)), "certificate-file",
				file.toString(), reason, action);
	}

	@Test
	void whenFileIsEmptyThenFails() {
		certificates.write("empty.crt", "");
		fails(() -> load("empty.crt", "p256.key"), "certificate-file", "empty.crt", "is empty", "");
	}

	@Test
	void whenPropertyIsEmptyThenFails() {
		fails(() -> load(new CertificateFiles("server.ssl.", " ", null, null, null), ApplicationResourceLoader.get()),
				"certificate-file", null, "is empty", "server.ssl.enabled");
	}

	@Test
	void whenFileIsNotPemThenFails() {
		certificates.write("text.crt", "Hello");
		fails(() -> load("text.crt", "p256.key"), "certificate-file", "text.crt", "not in PEM format", "");
	}

	@Test
	void whenFileIsDerThenFails() {
		certificates.openssl("x509", "-in", "p256.crt", "-outform", "DER", "-out", "p256.der");
		fails(() -> load("p256.der", "p256.key"), "certificate-file", "p256.der", "DER format",
				"openssl x509 -inform DER -in " + certificates.file("p256.der"));
		certificates.openssl("pkey", "-in", "p256.key", "-outform", "DER", "-out", "p256-key.der");
		fails(() -> load("p256.crt", "p256-key.der"), "certificate-key-file", "p256-key.der", "DER format",
				"openssl pkey -inform DER -in ");
	}

	@Test
	void whenFileIsKeyStoreThenCommandOfMessageConvertsIt() throws Exception {
		certificates.openssl("pkcs12", "-export", "-inkey", "p256.key", "-in", "p256.crt", "-passout", "pass:secret",
				"-out", "store.p12");
		Path store = certificates.file("store.p12");
		Path occupied = certificates.write("store.p12.pem", "mine");
		TlsSettingException failure = catchThrowableOfType(TlsSettingException.class,
				() -> load("store.p12", "store.p12"));
		assertThat(failure).hasMessageContaining("it is a PKCS #12 key store, not a PEM file");
		assertThat(failure.getAction(SettingName::toString))
			.startsWith("Set 'server.ssl.key-store' to it instead, or write a PEM file with '");
		String command = failure.getAction(SettingName::toString).split("'")[3];
		assertThat(command).endsWith("-out " + store + ".2.pem)");
		assertThat(new ProcessBuilder("sh", "-c", command.replace("pkcs12 ", "pkcs12 -passin pass:secret ")).start()
			.waitFor()).isZero();
		assertThat(load("store.p12.2.pem", "store.p12.2.pem").certificates()).hasSize(1);
		assertThat(PrivateFiles.isOpenToOthers(Path.of(store + ".2.pem"))).isFalse();
		assertThat(occupied).hasContent("mine");
		Files.delete(occupied);
		Files.delete(Path.of(store + ".2.pem"));
	}

	@Test
	void whenFileIsInAnotherFormatThenSaysWhichAndHowToConvertIt() throws Exception {
		Path utf16 = certificates.file("utf16.crt");
		for (Charset charset : List.of(StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE)) {
			for (String mark : List.of("", "\uFEFF")) {
				Files.writeString(utf16, mark + certificates.read("p256.crt"), charset);
				fails(() -> load("utf16.crt", "p256.key"), "certificate-file", "utf16.crt", "it is encoded in UTF-16",
						"iconv -f " + charset + " -t UTF-8");
			}
		}
		certificates.write("encoded.crt", Base64.getMimeEncoder()
			.encodeToString(certificates.read("p256.crt").getBytes(StandardCharsets.US_ASCII)));
		fails(() -> load("encoded.crt", "p256.key"), "certificate-file", "encoded.crt",
				"it is a PEM file encoded in Base64", "base64 -d " + certificates.file("encoded.crt"));
		KeyStore keyStore = KeyStore.getInstance("JKS");
		keyStore.load(null, null);
		try (OutputStream out = Files.newOutputStream(certificates.file("store.jks"))) {
			keyStore.store(out, "secret".toCharArray());
		}
		fails(() -> load("store.jks", null), "certificate-file", "store.jks", "it is a Java key store (JKS)",
				"Set 'server.ssl.key-store' to it instead");
		certificates.write("dashes.crt", certificates.read("p256.crt").replace("-----", "----"));
		fails(() -> load("dashes.crt", "p256.key"), "certificate-file", "dashes.crt",
				"its line 1 is not a proper '-----BEGIN' or '-----END' line", "Write the file again");
	}

	// The key store of a host name cannot be set
	@Test
	void whenHostNameHasAKeyStoreThenSaysOnlyHowToConvertIt() {
		certificates.openssl("pkcs12", "-export", "-inkey", "p256.key", "-in", "p256.crt", "-passout", "pass:secret",
				"-out", "name.p12");
		String store = certificates.file("name.p12").toString();
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(
				() -> load(new CertificateFiles("server.ssl.server-name-certificates[0].", store, null, null, null)))
			.satisfies((failure) -> assertThat(failure.getAction(SettingName::toString))
				.startsWith("Write a PEM file with"));
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> load(new CertificateFiles("management.server.ssl.", store, null, null, null)))
			.satisfies((failure) -> assertThat(failure.getAction(SettingName::toString))
				.startsWith("Set 'management.server.ssl.key-store' to it instead, or write a PEM file with"));
	}

	@Test
	void whenFileIsEndlessThenFails() {
		assumeThat(Path.of("/dev/zero")).exists();
		fails(() -> load(new CertificateFiles("server.ssl.", "/dev/zero", null, null, null),
				ApplicationResourceLoader.get()), "certificate-file", "/dev/zero", "not a regular file", "");
	}

	@Test
	void whenFileHasNoCertificateThenFails() {
		fails(() -> load("p256.key", "p256.key"), "certificate-file", "p256.key", "no certificate", "");
	}

	@Test
	void whenThereIsNoPrivateKeyThenFails() {
		fails(() -> load("p256.crt", null), "certificate-file", "p256.crt", "no private key",
				"server.ssl.certificate-key-file");
		fails(() -> load("p256.crt", "p256.crt"), "certificate-key-file", "p256.crt", "no private key", "");
	}

	@Test
	void whenThereAreTwoPrivateKeysThenFails() {
		certificates.join("two.key", "p256.key", "p384.key");
		fails(() -> load("p256.crt", "two.key"), "certificate-key-file", "two.key", "more than one private key", "");
	}

	@ParameterizedTest
	@CsvSource({ "p256,other", "p256,rsa", "rsa,p256", "p256,p384", "ed25519,p256", "ml-dsa-44,p256" })
	void whenKeyDoesNotBelongToCertificateThenFails(String certificate, String key) {
		fails(() -> load(certificate + ".crt", key + ".key"), "certificate-key-file", key + ".key",
				"does not belong to the certificate 'CN=" + certificate.replace("ml-dsa", "ML-DSA") + "'", "");
	}

	@ParameterizedTest
	@ValueSource(strings = { "brainpoolP256r1", "secp256k1" })
	void whenCurveIsNotSupportedThenSaysSo(String curve) {
		certificates.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:" + curve, "-nodes",
				"-subj", "/CN=" + curve, "-keyout", curve + ".key", "-out", curve + ".crt");
		fails(() -> load(curve + ".crt", curve + ".key"), "certificate-key-file", curve + ".key",
				"the private key has the curve '" + curve + " (1.3.", "P-256");
		fails(() -> load(curve + ".crt", "p256.key"), "certificate-key-file", "p256.key",
				"does not belong to the certificate 'CN=" + curve + "'", "");
	}

	@Test
	void whenCaHasACurveThatIsNotSupportedThenLoads() {
		certificates.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:brainpoolP384r1", "-nodes",
				"-subj", "/CN=Brainpool CA", "-keyout", "brainpool-ca.key", "-out", "brainpool-ca.crt");
		certificates.openssl("x509", "-req", "-in", "leaf.csr", "-CA", "brainpool-ca.crt", "-CAkey", "brainpool-ca.key",
				"-CAcreateserial", "-days", "30", "-out", "brainpool-leaf.crt");
		assertThat(load(files("brainpool-leaf.crt", "leaf.key", null, "brainpool-ca.crt")).certificates()).hasSize(2);
	}

	@ParameterizedTest
	@ValueSource(ints = { 512, 1024, 2040 })
	void whenRsaKeyIsTooShortThenSaysItsSizeAndTheMinimum(int bits) {
		String name = "rsa-" + bits;
		certificates.openssl("req", "-x509", "-newkey", "rsa:" + bits, "-nodes", "-subj", "/CN=" + name, "-keyout",
				name + ".key", "-out", name + ".crt");
		fails(() -> load(name + ".crt", name + ".key"), "certificate-file", name + ".crt",
				"the RSA key of the certificate 'CN=" + name + "' has " + bits + " bits, but the minimum is 2048",
				"at least 2048 bits");
	}

	@ParameterizedTest
	@ValueSource(strings = { "ml-dsa-44", "ml-dsa-65" })
	void whenKeyIsMlDsaThenLoadsItWithAndWithoutItsSeedOrNamesTheJavaThatCan(String name) throws Exception {
		CertificateFiles files = files(name + ".crt", name + ".key", null, null);
		if (Runtime.version().feature() >= 24) {
			assertThat(load(files, ApplicationResourceLoader.get()).keyAlgorithm()).isEqualTo("ML-DSA");
			return;
		}
		fails(() -> load(files, ApplicationResourceLoader.get()), "certificate-key-file", name + ".key",
				"the private key 'PRIVATE KEY' at line 1 is of the type 'ML-DSA",
				"Use Java 24 or later, or a certificate with an EC, RSA or Ed25519 key");
	}

	@Test
	void whenCurveHasParametersInsteadOfANameThenTheCommandOfTheMessageHelps() {
		certificates.openssl("ecparam", "-name", "prime256v1", "-genkey", "-param_enc", "explicit", "-noout", "-out",
				"explicit.key");
		certificates.openssl("req", "-x509", "-key", "explicit.key", "-subj", "/CN=explicit", "-out", "explicit.crt");
		certificates.openssl("pkcs8", "-topk8", "-nocrypt", "-in", "explicit.key", "-out", "explicit-pkcs8.key");
		certificates.openssl("pkcs8", "-topk8", "-in", "explicit.key", "-passout", "pass:" + TestCertificates.PASSWORD,
				"-out", "explicit-encrypted.key");
		fails(() -> load("explicit.crt", "explicit.key"), "certificate-file", "explicit.crt",
				"the certificate 'CERTIFICATE' at line 1 has the parameters of an elliptic curve instead of its name",
				"Have it issued again");
		fails(() -> load(files("leaf.crt", "leaf.key", null, "explicit.crt")), "certificate-chain-file", "explicit.crt",
				"has the parameters of an elliptic curve instead of its name", "Have it issued again");
		certificates.openssl("pkey", "-in", "explicit.key", "-ec_param_enc", "named_curve", "-out", "renamed.key");
		certificates.openssl("req", "-x509", "-key", "renamed.key", "-subj", "/CN=explicit", "-out", "renamed.crt");
		for (String key : List.of("explicit.key", "explicit-pkcs8.key", "explicit-encrypted.key")) {
			CertificateFiles files = files("renamed.crt", key, TestCertificates.PASSWORD, null);
			TlsSettingException failure = fails(() -> load(files), "certificate-key-file", key,
					"has the parameters of an elliptic curve instead of its name", "openssl pkey -in ");
			String command = failure.getAction(SettingName::toString).split("'")[1];
			assertThat(command.contains("-aes256")).isEqualTo(key.contains("encrypted"));
			Commands
				.run("", List.of("sh", "-c", command.replace("-aes256",
						"-aes256 -passin 'pass:%1$s' -passout 'pass:%1$s'".formatted(TestCertificates.PASSWORD))))
				.orFail();
			assertThat(load(files("renamed.crt", key + ".pem", TestCertificates.PASSWORD, null)).certificates())
				.hasSize(1);
			assertThat(certificates.file(key + ".pem").toFile().delete()).isTrue();
		}
	}

	@ParameterizedTest
	@CsvSource({ "-scrypt, false", "-v2 des3, false", "-v2 camellia256, true", "-v2 aria256, true",
			"-v1 PBE-SHA1-3DES, false", "-v2 aes128 -v2prf hmacWithSHA1, false" })
	void whenKeyIsEncryptedInAWayThatJavaLacksThenSaysThatRatherThanBlamingThePassword(String options, boolean lacks) {
		List<String> arguments = new ArrayList<>(List.of("pkcs8", "-topk8", "-in", "p256.key", "-passout",
				"pass:" + TestCertificates.PASSWORD, "-out", "lacking.key"));
		arguments.addAll(List.of(options.split(" ")));
		certificates.openssl(arguments.toArray(String[]::new));
		for (String password : List.of(TestCertificates.PASSWORD, "battery staple")) {
			CertificateFiles files = files("p256.crt", "lacking.key", password, null);
			if (lacks) {
				fails(() -> load(files), "certificate-key-file", "lacking.key",
						"is encrypted in a way that Java does not support: ", "openssl pkcs8 -topk8 -v2 aes256 -in ");
			}
			else if (password.equals(TestCertificates.PASSWORD)) {
				assertThat(load(files).certificates()).hasSize(1);
			}
			else {
				fails(() -> load(files), "certificate-key-file", "lacking.key",
						"cannot be decrypted with the password in 'server.ssl.certificate-key-password'",
						"Correct the password in 'server.ssl.certificate-key-password'");
			}
		}
		certificates.write("cut.key",
				certificates.read("lacking.key").replaceFirst("\n[A-Za-z0-9+/=]+\n-----END", "\n-----END"));
		fails(() -> load(files("p256.crt", "cut.key", TestCertificates.PASSWORD, null)), "certificate-key-file",
				"cut.key", "it is damaged", "Write the file again");
	}

	@Test
	void whenPasswordIsRightOrCannotBeThenSaysWhatElseIsWrong() {
		certificates.openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:SM2", "-out", "sm2.key");
		certificates.openssl("pkcs8", "-topk8", "-in", "sm2.key", "-passout", "pass:" + TestCertificates.PASSWORD,
				"-out", "sm2-encrypted.key");
		fails(() -> load(files("p256.crt", "sm2-encrypted.key", TestCertificates.PASSWORD, null)),
				"certificate-key-file", "sm2-encrypted.key", "Java does not support its curve",
				"use a certificate with a key on the curve P-256");
		fails(() -> load("p256.crt", "sm2.key"), "certificate-key-file", "sm2.key", "Java does not support its curve",
				"use a certificate with a key on the curve P-256");
		fails(() -> load(files("p256.crt", "sm2-encrypted.key", "pässword", null)), "certificate-key-file",
				"sm2-encrypted.key", "cannot be decrypted with the password in 'server.ssl.certificate-key-password'",
				"Correct the password");
	}

	@Test
	void whenKeyIsOfAnotherProgramThenSaysWhatConvertsIt() {
		Path key = certificates.file("ssh.key");
		assertThat(key.toFile().exists() && !key.toFile().delete()).isFalse();
		Commands.run("", List.of("ssh-keygen", "-q", "-t", "ecdsa", "-N", "", "-f", key.toString())).orFail();
		TlsSettingException failure = fails(() -> load("p256.crt", "ssh.key"), "certificate-key-file", "ssh.key",
				"the key format of the block 'OPENSSH PRIVATE KEY' at line 1 is not supported",
				"set 'server.ssl.certificate-key-file' to the copy");
		String command = failure.getAction(SettingName::toString).split("'")[1];
		Commands.run("", List.of("sh", "-c", command.replace("COPY", key.toString()) + " -N ''")).orFail();
		fails(() -> load("p256.crt", "ssh.key"), "certificate-key-file", "ssh.key", "does not belong", "");
	}

	@ParameterizedTest
	@CsvSource({ "X25519, type 'X", "DH -pkeyopt group:ffdhe2048, type 'D", "X448, type 'X" })
	void whenKeyIsOfATypeThatCannotSignThenSaysSo(String algorithm, String reason) {
		List<String> arguments = new ArrayList<>(List.of("genpkey", "-out", "unsigned.key", "-algorithm"));
		arguments.addAll(List.of(algorithm.split(" ")));
		certificates.openssl(arguments.toArray(String[]::new));
		fails(() -> load("p256.crt", "unsigned.key"), "certificate-key-file", "unsigned.key", reason,
				"a certificate with an EC");
	}

	@Test
	void whenLeafIsNotFirstThenSaysSo() {
		certificates.join("reversed.crt", "intermediate.crt", "leaf.crt");
		fails(() -> load("reversed.crt", "leaf.key"), "certificate-file", "reversed.crt",
				"belongs to its certificate 2 ('CN=leaf'), not to the first", "leaf certificate first");
	}

	@Test
	void whenChainDoesNotLeadFromLeafThenFails() {
		certificates.join("broken-chain.crt", "leaf.crt", "ca.crt");
		fails(() -> load("broken-chain.crt", "leaf.key"), "certificate-file", "broken-chain.crt",
				"'CN=leaf' is not followed by its issuer 'CN=Intermediate CA', but by 'CN=Test CA'", "");
		fails(() -> load(files("leaf.crt", "leaf.key", null, "other-ca.crt")), "certificate-chain-file", "other-ca.crt",
				"do not form a chain", "");
	}

	@Test
	void whenIssuerHasRightNameButOtherKeyThenFails() {
		certificates.openssl("req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=Intermediate CA", "-keyout",
				"impostor.key", "-out", "impostor.crt");
		fails(() -> load(files("leaf.crt", "leaf.key", null, "impostor.crt")), "certificate-chain-file", "impostor.crt",
				"do not form a chain", "");
	}

	@ParameterizedTest
	@ValueSource(strings = { "rsa-encrypted.key", "rsa-traditional-encrypted.key" })
	void whenKeyIsEncryptedAndThereIsNoPasswordThenFails(String key) {
		encryptTraditionally("rsa", "-aes256");
		whenKeyIsEncryptedThenLoadsWithPassword("rsa", "aes256");
		fails(() -> load("rsa.crt", key), "certificate-key-file", key, "is encrypted, but no password is set",
				"server.ssl.certificate-key-password");
	}

	@ParameterizedTest
	@ValueSource(strings = { "rsa-encrypted.key", "rsa-traditional-encrypted.key" })
	void whenPasswordIsWrongThenFailsWithoutShowingIt(String key) {
		encryptTraditionally("rsa", "-aes256");
		whenKeyIsEncryptedThenLoadsWithPassword("rsa", "aes256");
		TlsSettingException failure = fails(() -> load(files("rsa.crt", key, "battery staple", null)),
				"certificate-key-file", key, "cannot be decrypted with the password", "Correct the password");
		assertThat(failure).hasMessageNotContaining("battery staple").hasStackTraceContaining("decrypted");
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			assertThat(String.valueOf(cause.getMessage())).doesNotContain("battery staple");
		}
	}

	@Test
	void whenBlockEndsWithAnotherLabelThenFails() {
		certificates.write("mixed-labels.crt",
				certificates.read("p256.crt").replace("END CERTIFICATE", "END TRUSTED CERTIFICATE"));
		fails(() -> load("mixed-labels.crt", "p256.key"), "certificate-file", "mixed-labels.crt",
				"its block at line 1 has no proper '-----END' line", "Write the file again");
	}

	@Test
	void whenBase64IsTruncatedThenFails() {
		String certificate = certificates.read("p256.crt");
		certificates.write("no-end.crt", certificate.substring(0, certificate.length() / 2));
		certificates.write("no-middle.crt", certificate.replaceFirst("[A-Za-z0-9+/]{37}\n", "\n"));
		certificates.write("shorter.crt", certificate.replaceFirst("\n[A-Za-z0-9+/]{64}\n", "\n"));
		fails(() -> load("no-end.crt", "p256.key"), "certificate-file", "no-end.crt", "truncated", "");
		fails(() -> load("no-middle.crt", "p256.key"), "certificate-file", "no-middle.crt",
				"'CERTIFICATE' at line 1 is not", "");
		fails(() -> load("shorter.crt", "p256.key"), "certificate-file", "shorter.crt", "not an X.509 certificate", "");
	}

	@Test
	void whenIntermediateIsDamagedThenFailsRatherThanShorteningTheChain() {
		certificates.write("damaged-chain.crt",
				certificates.read("leaf.crt") + certificates.read("intermediate.crt").replaceFirst("\nMII", "\n*II"));
		fails(() -> load("damaged-chain.crt", "leaf.key"), "certificate-file", "damaged-chain.crt",
				"'CERTIFICATE' at line ", "");
	}

	@Test
	void whenKeyIsDamagedThenFailsWithoutShowingIt() {
		String key = certificates.read("p256.key");
		certificates.write("damaged.key", key.replaceFirst("\nM", "\n*"));
		certificates.write("shorter.key", key.replaceFirst("\n[A-Za-z0-9+/]{64}\n", "\n"));
		String secret = key.lines().skip(1).findFirst().orElseThrow().substring(8, 20);
		for (String name : new String[] { "damaged.key", "shorter.key" }) {
			TlsSettingException failure = fails(() -> load("p256.crt", name), "certificate-key-file", name, "", "");
			assertThat(failure).hasMessageNotContaining(secret);
		}
	}

	@Test
	void whenPropertyHoldsContentThenFailsWithoutShowingIt() {
		String key = certificates.read("p256.key");
		TlsSettingException failure = fails(
				() -> load(files("p256.crt", key, null, null, (path) -> path), ApplicationResourceLoader.get()),
				"certificate-key-file", null, "contains PEM content", "");
		assertThat(failure).hasMessageNotContaining("PRIVATE KEY");
	}

	@Test
	void whenCertificateIsOutOfItsPeriodThenSaysFileAndDate() {
		KeyMaterial expired = load("expired.crt", null);
		assertThat(leafProblem("expired.crt", null)).get()
			.satisfies((problem) -> assertThat(problem.getReason(SettingName::toString))
				.isEqualTo("the certificate 'CN=expired' expired on "
						+ expired.certificates().get(0).getNotAfter().toInstant()))
			.satisfies((problem) -> assertThat(problem.getAction(SettingName::toString)).startsWith("Renew it"));
		assertThat(leafProblem("not-yet-valid.crt", null)).get()
			.satisfies((problem) -> assertThat(problem.getReason(SettingName::toString))
				.startsWith("the certificate 'CN=not-yet-valid' is not valid before 20"))
			.satisfies((problem) -> assertThat(problem.getAction(SettingName::toString)).contains("clock")
				.doesNotContain("Renew"));
		assertThat(leafProblem("p256.crt", "p256.key")).isEmpty();
	}

	private static Optional<TlsSettingException> leafProblem(String certificate, @Nullable String key) {
		return load(certificate, key).leafProblem(Instant.now());
	}

	@Test
	void toStringDoesNotShowSecrets() {
		CertificateFiles files = files("p256.crt", "p256.key", TestCertificates.PASSWORD, null);
		assertThat(files.toString()).doesNotContain(TestCertificates.PASSWORD);
		assertThat(load("p256.crt", "p256.key").toString()).isEqualTo("KeyMaterial[certificates=[CN=p256]]");
	}

	private static void encryptTraditionally(String name, String cipher) {
		certificates.openssl("pkey", "-in", name + ".key", "-traditional", cipher, "-passout",
				"pass:" + TestCertificates.PASSWORD, "-out", name + "-traditional-encrypted.key");
		assertThat(certificates.read(name + "-traditional-encrypted.key")).contains("Proc-Type: 4,ENCRYPTED");
	}

	private static String subject(X509Certificate certificate) {
		return certificate.getSubjectX500Principal().getName();
	}

	private static TlsSettingException fails(ThrowingCallable load, String property, @Nullable String file,
			String reason, String action) {
		return assertThatExceptionOfType(TlsSettingException.class).isThrownBy(load).satisfies((failure) -> {
			assertThat(failure.getSetting(SettingName::toString)).isEqualTo("server.ssl." + property);
			if (file == null) {
				assertThat(failure.getFile()).isNull();
			}
			else {
				assertThat(failure.getFile()).endsWith(file);
			}
			assertThat(failure.getReason(SettingName::toString)).contains(reason);
			assertThat(failure.getAction(SettingName::toString)).contains(action).doesNotEndWith(".");
		}).actual();
	}

	private static KeyMaterial load(String certificate, @Nullable String key) {
		return load(files(certificate, key, null, null));
	}

	private static KeyMaterial load(CertificateFiles files) {
		return load(files, ApplicationResourceLoader.get());
	}

	private static KeyMaterial load(CertificateFiles files, ResourceLoader resourceLoader) {
		return KeyMaterial.parse(files, FileContent.read(files.files(), Map.of(), resourceLoader, System.nanoTime()));
	}

	private static CertificateFiles files(String certificate, @Nullable String key, @Nullable String password,
			@Nullable String chain) {
		return files(certificate, key, password, chain, (path) -> path);
	}

	private static CertificateFiles files(String certificate, @Nullable String key, @Nullable String password,
			@Nullable String chain, UnaryOperator<String> location) {
		return new CertificateFiles("server.ssl.", path(certificate, location), path(key, location), password,
				path(chain, location));
	}

	private static @Nullable String path(@Nullable String name, UnaryOperator<String> location) {
		return (name == null || name.contains("\n")) ? name : location.apply(certificates.file(name).toString());
	}

}
