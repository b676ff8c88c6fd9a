// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.host.PemBlocks;
import io.github.tomcatopenssl.internal.pem.PemSource.Content;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.TestCertificates;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.io.ApplicationResourceLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests that each block of a PEM file is used or named, wherever it stands.
 */
class UnusedBlockTests {

	/**
	 * The labels that OpenSSL (include/openssl/pem.h), the JDK, GnuPG and OpenSSH write.
	 */
	private static final List<String> LABELS = List.of("TRUSTED CERTIFICATE", "ATTRIBUTE CERTIFICATE", "X509 CRL",
			"PKCS7", "PKCS #7 SIGNED DATA", "CMS", "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST", "PUBLIC KEY",
			"RSA PUBLIC KEY", "DSA PUBLIC KEY", "DH PARAMETERS", "X9.42 DH PARAMETERS", "DSA PARAMETERS",
			"EC PARAMETERS", "SM2 PARAMETERS", "PARAMETERS", "SSL SESSION PARAMETERS", "PRIVATE KEY",
			"ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY", "DSA PRIVATE KEY", "EC PRIVATE KEY", "ANY PRIVATE KEY",
			"OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK", "PGP PUBLIC KEY BLOCK");

	private static final String CERTIFICATE = "server.ssl.certificate-file";

	private static final String KEY = "server.ssl.certificate-key-file";

	private static final String CHAIN = "server.ssl.certificate-chain-file";

	private static final String CAS = "server.ssl.ca-certificate-file";

	private static final String LISTS = "server.ssl.certificate-revocation-list-file";

	private static TestCertificates certificates;

	private final Map<String, String> files = new LinkedHashMap<>();

	@BeforeAll
	static void makeCertificates() {
		certificates = TestCertificates.get();
		certificates.revocationList("ca", "unused-block.crl");
	}

	private static List<String> labels() {
		return LABELS;
	}

	@ParameterizedTest
	@MethodSource("labels")
	void whenABlockIsNotUsedThenNamesIt(String label) {
		String block = PemBlocks.of(label, "MAA=");
		for (String property : List.of(CERTIFICATE, KEY, CHAIN, CAS, LISTS)) {
			for (boolean isFirst : new boolean[] { true, false }) {
				if (property.equals(KEY) && label.endsWith("PRIVATE KEY")
						|| property.equals(LISTS) && label.equals("X509 CRL")) {
					continue;
				}
				usableFiles();
				this.files.merge(property, block, (content, unused) -> isFirst ? unused + content : content + unused);
				int line = isFirst ? 1 : this.files.get(property).split("\n").length - 2;
				TlsSettingException failure = catchThrowableOfType(TlsSettingException.class, this::load);
				assertThat(failure).as(property + ", " + (isFirst ? "first" : "last")).isNotNull();
				assertThat(failure.getSetting(SettingName::toString)).isEqualTo(property);
				assertThat(failure.getReason(SettingName::toString))
					.contains("'%s' at line %d, which is not ".formatted(label, line));
				assertThat(failure.getAction(SettingName::toString)).isNotEmpty().doesNotEndWith(".");
			}
		}
	}

	@ParameterizedTest
	@MethodSource("labels")
	void whenItIsTheOnlyBlockThenNamesIt(String label) {
		for (String property : List.of(CERTIFICATE, CHAIN, CAS)) {
			usableFiles();
			this.files.put(property, PemBlocks.of(label, "MAA="));
			TlsSettingException failure = catchThrowableOfType(TlsSettingException.class, this::load);
			assertThat(failure.getSetting(SettingName::toString)).isEqualTo(property);
			assertThat(failure.getReason(SettingName::toString))
				.isEqualTo("it contains no certificate, only '%s' at line 1".formatted(label));
		}
	}

	@Test
	void whenAllBlocksAreUsedThenLoads() {
		usableFiles();
		load();
		// The whole content in each file
		String all = "Subject: leaf\n" + certificates.read("leaf.crt") + "\nKey\n" + certificates.read("leaf.key");
		this.files.put(CERTIFICATE, all);
		this.files.put(KEY, all + certificates.read("intermediate.crt"));
		load();
		this.files.remove(KEY);
		load();
		this.files.put(CAS, certificates.read("ca.crt").replace("CERTIFICATE", "X509 CERTIFICATE"));
		load();
	}

	@Test
	void whenTheFilesHaveDifferentKeysOrCertificatesThenNamesTheUnusedOne() {
		usableFiles();
		this.files.merge(CERTIFICATE, certificates.read("p256.key"), String::concat);
		assertThat(catchThrowableOfType(TlsSettingException.class, this::load))
			.returns(CERTIFICATE, (ex) -> ex.getSetting(SettingName::toString))
			.returns("Remove it from the file", (ex) -> ex.getAction(SettingName::toString));
		usableFiles();
		this.files.merge(KEY, certificates.read("other-ca.crt"), String::concat);
		assertThat(catchThrowableOfType(TlsSettingException.class, this::load))
			.returns(KEY, (ex) -> ex.getSetting(SettingName::toString))
			.hasMessageContaining("which is not the private key of the certificate");
	}

	@ParameterizedTest
	@CsvSource({ "x509 -trustout, TRUSTED CERTIFICATE", "x509 -addtrust serverAuth, TRUSTED CERTIFICATE",
			"crl2pkcs7 -nocrl, PKCS7", "cms -outform PEM -sign -signer, CMS" })
	void whenABlockCanBeConvertedThenTheCommandOfTheMessageDoesIt(String command, String label) {
		Path source = certificates.file("leaf.crt");
		Path converted = certificates.file("converted.crt");
		List<String> options = switch (label) {
			case "PKCS7" -> List.of("-certfile", source.toString());
			case "CMS" -> List.of(source.toString(), "-inkey", certificates.file("leaf.key").toString(), "-in",
					source.toString());
			default -> List.of("-in", source.toString());
		};
		List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
		arguments.addAll(options);
		arguments.addAll(List.of("-out", converted.toString()));
		certificates.openssl(arguments.toArray(String[]::new));
		assertThat(converted).content().startsWith("-----BEGIN " + label);
		usableFiles();
		this.files.put(CERTIFICATE, certificates.read("converted.crt"));
		TlsSettingException failure = catchThrowableOfType(TlsSettingException.class, this::load);
		Path file = certificates.file("unused-" + CERTIFICATE);
		String conversion = failure.getAction(SettingName::toString).split("'")[1];
		assertThat(conversion).contains(" -in " + file + " ").endsWith(" -out " + file + ".pem");
		Commands.run("", List.of("sh", "-c", conversion)).orFail();
		this.files.put(CERTIFICATE, certificates.read("unused-" + CERTIFICATE + ".pem"));
		load();
		assertThat(Path.of(file + ".pem").toFile().delete()).isTrue();
	}

	private void usableFiles() {
		this.files.clear();
		this.files.put(CERTIFICATE, certificates.read("leaf.crt"));
		this.files.put(KEY, certificates.read("leaf.key"));
		this.files.put(CHAIN, certificates.read("intermediate.crt"));
		this.files.put(CAS, certificates.read("ca.crt"));
		this.files.put(LISTS, certificates.read("unused-block.crl"));
	}

	private void load() {
		CertificateFiles certificate = new CertificateFiles("server.ssl.", file(CERTIFICATE), file(KEY), null,
				file(CHAIN));
		VirtualHostFiles host = new VirtualHostFiles(null, List.of(certificate),
				new ConfiguredFile(CAS, String.valueOf(file(CAS)), Content.CAS),
				List.of(new ConfiguredFile(LISTS, String.valueOf(file(LISTS)), Content.REVOCATION_LISTS)), null, null);
		Map<String, FileContent> contents = FileContent.read(host.files(), Map.of(), ApplicationResourceLoader.get(),
				System.nanoTime());
		assertThat(KeyMaterial.parse(certificate, contents).certificates()).hasSize(2);
		assertThat(TrustMaterial.parse(host, contents).caCertificates()).hasSize(1);
	}

	private @Nullable String file(String property) {
		String content = this.files.get(property);
		return (content != null) ? certificates.write("unused-" + property, content).toString() : null;
	}

}
