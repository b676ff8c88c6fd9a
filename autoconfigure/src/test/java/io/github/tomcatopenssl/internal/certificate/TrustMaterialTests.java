// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.pem.PemSource.Content;
import io.github.tomcatopenssl.test.TestCertificates;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.boot.io.ApplicationResourceLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link TrustMaterial}, which is read from {@link VirtualHostFiles}.
 */
class TrustMaterialTests {

	private static TestCertificates certificates;

	@BeforeAll
	static void makeCertificates() {
		certificates = TestCertificates.get();
		certificates.revocationList("ca", "ca.crl");
		certificates.revocationList("other-ca", "other-ca.crl");
	}

	@Test
	void whenThereAreSeveralCasAndListsThenLoadsAll() {
		certificates.join("cas.crt", "ca.crt", "other-ca.crt");
		certificates.join("cas.crl", "ca.crl", "other-ca.crl");
		TrustMaterial files = load("cas.crt", "cas.crl");
		assertThat(files.caCertificates()).extracting(X509Certificate::getSubjectX500Principal)
			.extracting(Object::toString)
			.containsExactly("CN=Test CA", "CN=Other CA");
		assertThat(files.revocationLists()).hasSize(2);
		assertThat(files.missingLists()).isEmpty();
	}

	@Test
	void whenListsAreInSeveralFilesThenLoadsAll() {
		certificates.join("cas.crt", "ca.crt", "other-ca.crt");
		TrustMaterial files = load("cas.crt", "ca.crl", "other-ca.crl");
		assertThat(files.revocationLists()).extracting((list) -> list.getIssuerX500Principal().toString())
			.containsExactly("CN=Test CA", "CN=Other CA");
		assertThat(files.missingLists()).isEmpty();
	}

	@Test
	void whenOneOfSeveralFilesCannotBeUsedThenNamesIt() {
		String property = "server.ssl.certificate-revocation-list-file";
		certificates.revocationList("ca", "outdated.crl", "-crl_lastupdate", "20250101000000Z", "-crl_nextupdate",
				"20250201000000Z");
		for (String bad : List.of("missing.crl", "ca.crt", "outdated.crl")) {
			assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> load("ca.crt", "ca.crl", bad))
				.returns(property + "[1]", (failure) -> failure.getSetting(SettingName::toString))
				.satisfies((failure) -> assertThat(failure.getFile()).endsWith(bad));
		}
		assertThat(load("ca.crt", "other-ca.crl", "other-ca.crl").missingLists()).singleElement()
			.returns(property, (problem) -> problem.getSetting(SettingName::toString))
			.returns(null, TlsSettingException::getFile);
	}

	@Test
	void whenNothingIsSetThenIsEmpty() {
		TrustMaterial files = load(null);
		assertThat(files.caCertificates()).isEmpty();
		assertThat(files.revocationLists()).isEmpty();
	}

	@Test
	void whenCaHasNoListThenTells() {
		certificates.join("cas.crt", "ca.crt", "other-ca.crt");
		assertThat(load("cas.crt", "ca.crl").missingLists()).singleElement()
			.satisfies((problem) -> assertThat(problem.getReason(SettingName::toString))
				.isEqualTo("it has no list from the CA 'CN=Other CA', so all clients of that CA are refused"))
			.satisfies((problem) -> assertThat(problem.getFile()).endsWith("ca.crl"));
		assertThat(load("cas.crt").missingLists()).isEmpty();
	}

	@Test
	void whenListIsLargerThanOtherFilesThenItIsRead() throws Exception {
		certificates.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
				"30", "-subj", "/CN=Large CA", "-keyout", "large-ca.key", "-out", "large-ca.crt");
		certificates.revocationList("large-ca", "large.crl");
		certificates.write("large-ca.index",
				IntStream.range(0, 120_000)
					.mapToObj("R\t270101000000Z\t260101000000Z\t7F%030X\tunknown\t/CN=client\n"::formatted)
					.collect(Collectors.joining()));
		Path file = certificates.revocationList("large-ca", "large.crl");
		assertThat(file).satisfies((list) -> assertThat(Files.size(list)).isGreaterThan(4 * 1024 * 1024));
		assertThat(load("large-ca.crt", "large.crl").revocationLists()).singleElement()
			.satisfies((list) -> assertThat(list.getRevokedCertificates()).hasSize(120_000));
		fails("large.crl", null, "server.ssl.ca-certificate-file", "it is larger than 4 MiB", "Correct");
	}

	@Test
	void whenCaHasExpiredThenTells() {
		certificates.issue("ca", "trust-late", "basicConstraints=critical,CA:TRUE", "20250101000000Z",
				"20250201000000Z");
		certificates.join("cas.crt", "ca.crt", "trust-late.crt");
		VirtualHostFiles host = host(path("cas.crt"));
		TrustMaterial files = load("cas.crt");
		assertThat(files.invalidCas(host, Instant.now())).singleElement()
			.satisfies((problem) -> assertThat(problem.getReason(SettingName::toString))
				.startsWith("the CA 'CN=trust-late' has expired on 2025-02-01T00:00:00Z, so its clients are refused"))
			.satisfies((problem) -> assertThat(problem.getFile()).endsWith("cas.crt"));
		assertThat(files.invalidCas(host, Instant.parse("2025-01-15T00:00:00Z"))).singleElement()
			.satisfies((problem) -> assertThat(problem.getReason(SettingName::toString))
				.startsWith("the CA 'CN=Test CA' is not valid before"));
	}

	@Test
	void whenCaFileCannotBeUsedThenFails() {
		fails("missing-ca.crt", null, "server.ssl.ca-certificate-file", "does not exist", "Create the file");
		fails("client.csr", null, "server.ssl.ca-certificate-file", "no certificate, only 'CERTIFICATE REQUEST'",
				"Have a CA issue a certificate from the request");
	}

	@Test
	void whenListCannotBeReadThenFails() {
		String property = "server.ssl.certificate-revocation-list-file";
		fails("ca.crt", "missing.crl", property, "does not exist", "Create the file");
		fails("ca.crt", "ca.crt", property, "which is not a certificate revocation list", "Leave only");
		certificates.openssl("crl", "-in", certificates.file("ca.crl").toString(), "-outform", "DER", "-out",
				certificates.file("der.crl").toString());
		fails("ca.crt", "der.crl", property, "DER format", "openssl crl -inform DER -in ");
		certificates.write("damaged.crl",
				certificates.read("ca.crl").replaceFirst("\n.{20}", "\nAAAAAAAAAAAAAAAAAAAA"));
		fails("ca.crt", "damaged.crl", property, "is not a certificate revocation list", "Write the file again");
		certificates.write("truncated.crl", certificates.read("ca.crl").substring(0, 100));
		fails("ca.crt", "truncated.crl", property, "truncated", "Write the file again");
	}

	@Test
	void whenListIsNotInTheFileSystemThenFails() {
		String location = "base64:" + java.util.Base64.getEncoder()
			.encodeToString(certificates.read("ca.crl").getBytes(java.nio.charset.StandardCharsets.US_ASCII));
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> loadFiles(certificates.file("ca.crt").toString(), location))
			.satisfies((failure) -> assertThat(failure.getReason(SettingName::toString))
				.contains("not a file in the file system"));
	}

	@Test
	void whenListIsNotInForceThenFails() {
		String property = "server.ssl.certificate-revocation-list-file";
		certificates.revocationList("ca", "outdated.crl", "-crl_lastupdate", "20250101000000Z", "-crl_nextupdate",
				"20250201000000Z");
		fails("ca.crt", "outdated.crl", property, "is outdated: a new one was due on 2025-02-01T00:00:00Z",
				"Get the current one");
		certificates.revocationList("ca", "future.crl", "-crl_lastupdate", "20990101000000Z", "-crl_nextupdate",
				"20990201000000Z");
		fails("ca.crt", "future.crl", property, "is not valid before 2099", "Correct the clock");
	}

	@Test
	void whenListIsSignedByAnotherCaOfTheSameNameThenFails() {
		certificates.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
				"/CN=Test CA", "-keyout", "false-ca.key", "-out", "false-ca.crt");
		certificates.revocationList("false-ca", "false-ca.crl");
		fails("ca.crt", "false-ca.crl", "server.ssl.certificate-revocation-list-file",
				"is not signed by the CA with that name", "Get the list from the CA");
	}

	private static void fails(String ca, @Nullable String revocationList, String property, String reason,
			String action) {
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> load(ca, Stream.ofNullable(revocationList).toArray(String[]::new)))
			.satisfies((failure) -> {
				assertThat(failure.getSetting(SettingName::toString)).isEqualTo(property);
				assertThat(failure.getFile()).endsWith((revocationList != null) ? revocationList : ca);
				assertThat(failure.getReason(SettingName::toString)).contains(reason);
				assertThat(failure.getAction(SettingName::toString)).contains(action).doesNotEndWith(".");
			});
	}

	private static TrustMaterial load(@Nullable String ca, String... revocationLists) {
		return loadFiles(path(ca), Stream.of(revocationLists).map(TrustMaterialTests::path).toArray(String[]::new));
	}

	private static TrustMaterial loadFiles(@Nullable String ca, String... revocationLists) {
		VirtualHostFiles host = host(ca, revocationLists);
		TrustMaterial trust = TrustMaterial.parse(host,
				FileContent.read(host.files(), Map.of(), ApplicationResourceLoader.get(), System.nanoTime()));
		trust.requireInForce(Instant.now());
		return trust;
	}

	private static VirtualHostFiles host(@Nullable String ca, String... revocationLists) {
		return new VirtualHostFiles(null, List.of(), file("ca-certificate-file", ca),
				ConfiguredFile.revocationLists("server.ssl.certificate-revocation-list-file", List.of(revocationLists)),
				null, null);
	}

	private static @Nullable ConfiguredFile file(String property, @Nullable String location) {
		return (location != null) ? new ConfiguredFile("server.ssl." + property, location, Content.CAS) : null;
	}

	private static @Nullable String path(@Nullable String name) {
		return (name != null) ? certificates.file(name).toString() : null;
	}

}
