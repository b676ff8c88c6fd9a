// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.TestCertificates;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests for {@link DevelopmentCertificate}, which {@link CertificateIssuer} or
 * {@link MkcertAuthority} issues.
 */
@ExtendWith(OutputCaptureExtension.class)
class DevelopmentCertificateTests {

	// Later than what the tests make, by which another clock goes
	private static final Instant NOW = Instant.now().plus(Duration.ofMinutes(10));

	private static final Pattern LOG = Pattern
		.compile("WARN.* A development certificate is in use, which is not for production\\. .* trust '(.+)'\\. "
				+ "SHA-256 fingerprint ((?:[0-9A-F]{2}:){31}[0-9A-F]{2}), for (.+), until (.+Z)\n");

	@TempDir
	private Path folder;

	private TestCertificates certificates;

	private MockEnvironment environment;

	@BeforeEach
	void setUp() {
		this.certificates = TestCertificates.get();
		this.environment = new MockEnvironment().withProperty("os.name", "Linux")
			.withProperty("XDG_CACHE_HOME", this.folder.resolve("cache").toString())
			.withProperty("CAROOT", this.folder.resolve("mkcert").toString());
	}

	@Test
	void whenThereIsNoneThenMakesOneThatOpenSslVerifies(CapturedOutput output) throws Exception {
		Path file = obtain("*.Example.test", "192.168.1.20", "bücher.example", "my_app", "fe80::1");
		Path trusted = trusted(file);
		verify(trusted, trusted, "localhost", "127.0.0.1", "::1", InetAddress.getLocalHost().getHostName(),
				"a.example.test", "192.168.1.20", "xn--bcher-kva.example", "my_app", "fe80::1");
		assertThat(
				openssl("verify", "-CAfile", trusted.toString(), "-verify_hostname", "other.test", trusted.toString())
					.status())
			.isNotZero();
		assertThat(openssl("x509", "-noout", "-text", "-in", trusted.toString()).orFail().output())
			.contains("Version: 3 (0x2)", "Signature Algorithm: ecdsa-with-SHA256", "NIST CURVE: P-256")
			.containsPattern("Issuer: O ?= ?Development certificate, CN ?= ?localhost\n")
			.containsPattern("Subject: O ?= ?Development certificate, CN ?= ?localhost\n")
			.containsPattern("X509v3 Basic Constraints: critical\\s+CA:FALSE")
			.containsPattern("X509v3 Extended Key Usage: \\s+TLS Web Server Authentication\n")
			.doesNotContain("X509v3 Key Usage", "Authority");
		X509Certificate certificate = certificate(file);
		assertThat(certificate.getSerialNumber()).isPositive();
		Duration validity = Duration.between(certificate.getNotBefore().toInstant(),
				certificate.getNotAfter().toInstant());
		assertThat(validity).isEqualTo(Duration.ofDays(365));
		Matcher log = LOG.matcher(output);
		assertThat(log.find()).as(output.toString()).isTrue();
		assertThat(log.group(1)).isEqualTo(trusted.toString());
		assertThat(openssl("x509", "-noout", "-fingerprint", "-sha256", "-in", trusted.toString()).output())
			.containsIgnoringCase("sha256 Fingerprint=" + log.group(2));
		assertThat(log.group(3)).startsWith("localhost, 127.0.0.1, ::1, ").contains("*.example.test, 192.168.1.20");
		assertThat(log.group(4)).isEqualTo(certificate.getNotAfter().toInstant().toString());
		assertThat(log.find()).isFalse();
	}

	@Test
	void whenItIsMadeThenOthersCannotReadIt() throws Exception {
		Path file = obtain();
		assertThat(permissions(file.getParent())).isEqualTo("rwx------");
		try (Stream<Path> files = Files.list(file.getParent())) {
			assertThat(files).hasSize(3).allSatisfy((path) -> assertThat(permissions(path)).isEqualTo("rw-------"));
		}
		assertThat(Files.readString(trusted(file))).doesNotContain("PRIVATE");
		Files.setPosixFilePermissions(file.getParent(), PosixFilePermissions.fromString("rwxrwxrwx"));
		obtain();
		assertThat(permissions(file.getParent())).isEqualTo("rwx------");
	}

	@Test
	void whenItIsThereThenKeepsIt() throws Exception {
		Path file = obtain("b.test", "a.test");
		byte[] content = Files.readAllBytes(file);
		assertThat(obtain("A.test", "b.test", "localhost")).isEqualTo(file).hasBinaryContent(content);
		assertThat(obtain(NOW.plus(Duration.ofDays(334)), "a.test", "b.test")).hasBinaryContent(content);
	}

	@Test
	void whenNamesChangeThenHasOneForEach() throws Exception {
		Path file = obtain();
		X509Certificate first = certificate(file);
		Path other = obtain("a.test");
		assertThat(certificate(other)).isNotEqualTo(first);
		verify(trusted(other), trusted(other), "localhost", "a.test");
		assertThat(certificate(obtain())).isEqualTo(first);
	}

	@ParameterizedTest
	@ValueSource(longs = { 335, 400, -1 })
	void whenItRunsOutThenMakesItAnew(long days) throws Exception {
		Path file = obtain();
		X509Certificate before = certificate(file);
		Instant later = NOW.plus(Duration.ofDays(days));
		assertThat(obtain(later)).isEqualTo(file);
		X509Certificate after = certificate(file);
		assertThat(after).isNotEqualTo(before);
		assertThat(after.getNotAfter().toInstant()).isAfter(later.plus(Duration.ofDays(364)));
		assertThat(certificate(trusted(file))).isEqualTo(after);
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "empty", "garbled", "truncated", "foreign-key", "missing", "trusted-missing", "trusted-other" })
	void whenFilesAreDamagedThenMakesThemAnew(String damage) throws Exception {
		Path file = obtain();
		String content = Files.readString(file);
		X509Certificate before = certificate(file);
		switch (damage) {
			case "empty" -> Files.writeString(file, "");
			case "garbled" -> Files.writeString(file, content.replaceAll("[a-m]", "x"));
			case "truncated" -> Files.writeString(file, content.substring(0, content.length() / 2));
			case "foreign-key" ->
				Files.writeString(file, Files.readString(trusted(file)) + this.certificates.read("p256.key"));
			case "missing" -> Files.delete(file);
			case "trusted-missing" -> Files.delete(trusted(file));
			default ->
				Files.copy(this.certificates.file("p256.crt"), trusted(file), StandardCopyOption.REPLACE_EXISTING);
		}
		assertThat(obtain()).isEqualTo(file);
		assertThat(certificate(file)).isNotEqualTo(before);
		assertThat(certificate(trusted(file))).isEqualTo(certificate(file));
		KeyMaterial.read(new CertificateFiles("test", file.toString()));
	}

	@Test
	void whenYearIsPast2049ThenHasTimesOfItsOwnKind() throws Exception {
		Path file = obtain(Instant.parse("2049-06-01T00:00:00Z"));
		assertThat(certificate(file).getNotAfter()).isEqualTo("2050-05-31T23:00:00Z");
		assertThat(openssl("asn1parse", "-in", trusted(file).toString()).orFail().output())
			.containsPattern("UTCTIME +:490531230000Z")
			.containsPattern("GENERALIZEDTIME +:20500531230000Z");
	}

	@Tag("forked")
	@Test
	void whenApplicationsStartAtOnceThenShareOne() throws Exception {
		List<Process> processes = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			processes.add(new ProcessBuilder(
					Commands.java(ParallelCertificates.class, List.of(), List.of(this.folder.toString())))
				.redirectErrorStream(true)
				.start());
		}
		List<BufferedReader> outputs = processes.stream().map(Process::inputReader).toList();
		for (BufferedReader output : outputs) {
			assertThat(output.readLine()).isEqualTo("ready");
		}
		for (Process process : processes) {
			process.outputWriter().append("go\n").flush();
		}
		List<String> lines = new ArrayList<>();
		for (BufferedReader output : outputs) {
			output.lines().filter((line) -> line.startsWith("made")).forEach(lines::add);
		}
		assertThat(lines).hasSize(4 * ParallelCertificates.THREADS).allMatch(lines.get(0)::equals);
		Path file = obtain();
		assertThat(lines.get(0)).isEqualTo("made " + certificate(file).getSerialNumber());
		try (Stream<Path> files = Files.list(file.getParent())) {
			assertThat(files).hasSize(3);
		}
	}

	// As an application in another class loader does
	@Test
	void whenSomethingElseInTheJvmHasTheLockThenWaits() throws Exception {
		Path lock = obtain().resolveSibling("lock");
		CompletableFuture<Path> other;
		try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE)) {
			channel.lock();
			other = CompletableFuture.supplyAsync(() -> obtain("other.test"));
			assertThat(other).failsWithin(Duration.ofMillis(300)).withThrowableOfType(TimeoutException.class);
		}
		assertThat(other).succeedsWithin(Duration.ofSeconds(30));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a b", "https://a.test", "a.test:8443", "a..test", ".test", "-a.test", "a.*.test",
			"*", "300.1.1.1", "1.2.3", "12:34", "fe80::1%eth0", "::1/64", "a.test\nb.test" })
	void whenNameIsNoneThenFails(String name) {
		fails(() -> obtain(name)).hasMessage(
				"'server.ssl.development-certificate-names': '%s' is neither a host name nor an IP address", name);
	}

	@Test
	void whenFolderCannotBeMadeThenFails() throws Exception {
		Path file = Files.createFile(this.folder.resolve("file"));
		this.environment.setProperty("XDG_CACHE_HOME", file.toString());
		fails(this::obtain)
			.hasMessage(
					"'server.ssl.development-certificate' ('%s'): the certificate cannot be stored in this folder: %s",
					file.resolve("tomcat-openssl/development-certificate"), "Not a directory")
			.extracting("action")
			.asString()
			.contains("or set the environment variable 'XDG_CACHE_HOME'");
	}

	@Test
	void whenUserHasNoHomeThenFails() {
		this.environment.setProperty("XDG_CACHE_HOME", "relative");
		this.environment.setProperty("user.home", "?");
		fails(this::obtain).hasMessageContaining("has no home folder to store the certificate in");
	}

	@ParameterizedTest
	@ValueSource(strings = { "rsa:2048", "ec" })
	void whenMkcertHasCaThenIsIssuedByIt(String key, CapturedOutput output) throws Exception {
		Path self = obtain();
		Path root = ca(key, "10");
		Path file = obtain("a.test");
		X509Certificate first = certificate(file);
		verify(root, trusted(file), "localhost", "127.0.0.1", "a.test");
		assertThat(openssl("verify", "-x509_strict", "-CAfile", root.toString(), trusted(file).toString()).output())
			.contains(": OK");
		assertThat(openssl("x509", "-noout", "-text", "-in", trusted(file).toString()).output())
			.containsPattern("Issuer: O ?= ?mkcert development CA, CN ?= ?mkcert \\\\C3\\\\A9\n")
			.contains("X509v3 Authority Key Identifier");
		assertThat(output).contains("The CA of mkcert issued it", "trust '" + root + "'. SHA-256");
		assertThat(certificate(obtain("a.test"))).isEqualTo(first);
		ca(key, "10");
		X509Certificate second = certificate(obtain("a.test"));
		assertThat(second).isNotEqualTo(first);
		second.verify(certificate(root).getPublicKey());
		Files.delete(root);
		assertThat(obtain()).isEqualTo(self);
		assertThat(output).doesNotContain("cannot issue");
	}

	@ParameterizedTest
	@CsvSource({ "no-key,rootCA-key.pem,it does not exist", "folder,rootCA-key.pem,it is a folder",
			"garbled,rootCA.pem,is not an X.509 certificate", "other-key,rootCA-key.pem,does not belong",
			"leaf,rootCA.pem,it is not the certificate of a CA",
			"ed25519,rootCA.pem,'its key is of the type ''EdDSA'''", "expired,rootCA.pem,it is valid only from" })
	void whenCaCannotIssueThenIsSelfSigned(String problem, String file, String reason, CapturedOutput output)
			throws Exception {
		Path root = ca(problem.equals("ed25519") ? "ed25519" : "ec", "10");
		Path key = root.resolveSibling("rootCA-key.pem");
		switch (problem) {
			case "no-key" -> Files.delete(key);
			case "folder" -> {
				Files.delete(key);
				Files.createDirectory(key);
			}
			case "garbled" -> Files.writeString(root, Files.readString(root).replaceAll("[a-m]", "x"));
			case "other-key" ->
				Files.copy(this.certificates.file("p256.key"), key, StandardCopyOption.REPLACE_EXISTING);
			case "leaf" -> {
				Files.copy(this.certificates.file("client.key"), key, StandardCopyOption.REPLACE_EXISTING);
				Files.copy(this.certificates.file("client.crt"), root, StandardCopyOption.REPLACE_EXISTING);
			}
			default -> assertThat(problem).isIn("ed25519", "expired");
		}
		Path made = obtain(NOW.plus(Duration.ofDays(problem.equals("expired") ? 11 : 0)));
		certificate(made).verify(certificate(made).getPublicKey());
		assertThat(output.toString().lines().filter((line) -> line.contains("cannot issue"))).singleElement()
			.asString()
			.contains("WARN", "which is self-signed instead. '" + root.resolveSibling(file) + "': ", reason);
		assertThat(output).contains("It is self-signed: clients have to trust '" + trusted(made) + "'");
	}

	@ParameterizedTest
	@ValueSource(strings = { "prod", "production", "Prod" })
	void whenProfileIsForProductionThenFailsUnlessSaidTwice(String profile) {
		this.environment.setActiveProfiles("other", profile);
		failsInProduction("the profile '" + profile + "' is active");
	}

	@Test
	void whenDefaultProfileIsForProductionThenFailsUnlessSaidTwice() {
		this.environment.setDefaultProfiles("prod");
		failsInProduction("the profile 'prod' is active");
	}

	@Test
	void whenPlatformIsKubernetesThenFailsUnlessSaidTwice() {
		this.environment.setProperty("spring.main.cloud-platform", "kubernetes");
		failsInProduction("the application runs in Kubernetes");
	}

	private void failsInProduction(String reason) {
		fails(this::obtain)
			.hasMessage("'server.ssl.development-certificate': " + reason
					+ ", but the development certificate is not for production")
			.extracting("action")
			.asString()
			.contains("'server.ssl.development-certificate-in-production' to 'true' as well");
		assertThat(this.folder.resolve("cache")).doesNotExist();
		assertThat(obtain(NOW, true)).exists();
	}

	@ParameterizedTest
	@CsvSource({ "Linux,,,/home/me/.cache,/home/me/.local/share/mkcert", "Linux,/x,/y,/x,/y/mkcert",
			"Linux,relative,,/home/me/.cache,/home/me/.local/share/mkcert",
			"Mac OS X,,,/home/me/Library/Caches,/home/me/Library/Application Support/mkcert",
			"Mac OS X,/x,/y,/x,/y/mkcert", "Windows 11,/x,/y,/local,/local/mkcert" })
	void foldersAreThoseOfTheSystem(String system, String cacheHome, String dataHome, Path cache, Path mkcert) {
		MockEnvironment environment = new MockEnvironment().withProperty("os.name", system)
			.withProperty("user.home", "/home/me")
			.withProperty("LOCALAPPDATA", "/local");
		if (cacheHome != null) {
			environment.setProperty("XDG_CACHE_HOME", cacheHome);
		}
		if (dataHome != null) {
			environment.setProperty("XDG_DATA_HOME", dataHome);
		}
		assertThat(PrivateFiles.cacheFolder(environment)).isEqualTo(cache);
		assertThat(MkcertAuthority.folder(environment)).isEqualTo(mkcert);
		environment.setProperty("HOME", "/root");
		assertThat(PrivateFiles.cacheFolder(environment).startsWith("/root")).isEqualTo(cache.startsWith("/home"));
		environment.setProperty("CAROOT", "/ca");
		assertThat(MkcertAuthority.folder(environment)).isEqualTo(Path.of("/ca"));
	}

	private Path obtain(String... names) {
		return obtain(NOW, names);
	}

	private Path obtain(Instant now, String... names) {
		return obtain(now, false, names);
	}

	private Path obtain(Instant now, boolean inProduction, String... names) {
		Clock clock = Clock.fixed(now, ZoneOffset.UTC);
		List<Path> files = new DevelopmentCertificate(this.environment, List.of(names), inProduction, clock)
			.validateAndWriteFiles();
		assertThat(files).hasSize(1);
		return files.get(0);
	}

	private static Path trusted(Path file) {
		return file.resolveSibling(file.getFileName().toString().replace(".pem", ".crt"));
	}

	private Path ca(String key, String days) throws IOException {
		Path root = Files.createDirectories(this.folder.resolve("mkcert")).resolve("rootCA.pem");
		List<String> arguments = new ArrayList<>(List.of("req", "-x509", "-newkey", key));
		if (key.equals("ec")) {
			arguments.addAll(List.of("-pkeyopt", "ec_paramgen_curve:P-384"));
		}
		arguments.addAll(List.of("-nodes", "-days", days, "-utf8", "-subj", "/O=mkcert development CA/CN=mkcert é",
				"-addext", "keyUsage=critical,keyCertSign", "-keyout", root.resolveSibling("rootCA-key.pem").toString(),
				"-out", root.toString()));
		openssl(arguments.toArray(String[]::new)).orFail();
		return root;
	}

	private static void verify(Path trusted, Path certificate, String... names) {
		for (String name : names) {
			String option = name.matches("[\\d.]+|.*:.*") ? "-verify_ip" : "-verify_hostname";
			assertThat(openssl("verify", "-purpose", "sslserver", "-CAfile", trusted.toString(), "-no-CAstore",
					"-no-CApath", option, name.toLowerCase(Locale.ROOT), certificate.toString())
				.output()).as(name).contains(": OK");
		}
	}

	private static Commands.Result openssl(String... arguments) {
		List<String> command = new ArrayList<>(List.of("openssl"));
		command.addAll(List.of(arguments));
		return Commands.run("", command);
	}

	private static X509Certificate certificate(Path file) throws Exception {
		try (InputStream in = Files.newInputStream(file)) {
			return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
		}
	}

	private static String permissions(Path file) throws IOException {
		return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
	}

	private static AbstractThrowableAssert<?, TlsSettingException> fails(ThrowingCallable obtain) {
		return assertThat(catchThrowableOfType(TlsSettingException.class, obtain)).isNotNull();
	}

}
