// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.github.tomcatopenssl.internal.library.TomcatNativeLoader;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.ForkedApplication;
import io.github.tomcatopenssl.test.NettyApplication;
import io.github.tomcatopenssl.test.ParallelApplications;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.ReusedJvm;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Tests of what {@link TomcatNativeLoader} and {@link TlsEngines} make of every kind of
 * library, in every mode, in JVMs of their own. The system property {@code parallel.jvms}
 * says in how many of them applications start at the same time.
 */
@Tag("jdk")
@Tag("forked")
class LibrarySelectionTests {

	private static final String ACTIVE = "OpenSSL is active on port ";

	private static final String NOT_ACTIVE = "(https), JSSE serves TLS: ";

	private static final int PARALLEL_JVMS = Integer.getInteger("parallel.jvms", 1);

	@TempDir
	private Path folder;

	private static ReusedJvm jvm;

	@BeforeAll
	static void startJvm() {
		jvm = new ReusedJvm(certificate());
	}

	@AfterAll
	static void endJvm() {
		jvm.close();
	}

	@Test
	void whenLibraryIsOnLibraryPathThenOpenSslIsActive() throws IOException {
		Path library = copy();
		Commands.Result result = start(List.of("-Djava.library.path=" + this.folder));
		assertActive(result, library);
	}

	@Test
	void whenLibraryIsInCatalinaHomeThenOpenSslIsActive() throws IOException {
		Path bin = Files.createDirectory(this.folder.resolve("bin"));
		Path library = Files.copy(Provided.tomcatNative(), bin.resolve("libtcnative-2.so"));
		assertActive(start(List.of("-Djava.library.path=/nowhere", "-Dcatalina.home=" + this.folder)), library);
	}

	@Test
	void whenLibraryPathIsFileOrFolderThenOpenSslIsActive() throws IOException {
		Path library = copy();
		assertActive(start(List.of(), "library-path=" + this.folder, "mode=always"), library);
		assertActive(startInSameJvm(List.of(), "library-path=" + library, "mode=always"), library);
	}

	@Test
	void whenLibraryIsLoadedThenItIsSharedAlsoAfterItIsDeletedButForAnotherPathIsNot() throws IOException {
		Path library = copy();
		assertActive(start(List.of(), "library-path=" + library), library);
		Path other = Files.copy(library, this.folder.resolve("libtcnative-1.so"));
		Files.delete(library);
		assertActive(startInSameJvm(List.of(), "library-path=" + library, "mode=always"), library);
		assertActive(startInSameJvm(List.of(), "library=bundled", "mode=always"), library);
		assertNotActive(startInSameJvm(List.of(), "library-path=" + other), "'" + other
				+ "': this JVM has already loaded '" + library + "' and cannot load a second Tomcat Native");
	}

	@Test
	void whenFileHasAnotherNameThenOpenSslIsActive() throws IOException {
		Path library = Files.copy(Provided.tomcatNative(), this.folder.resolve("tomcat native"));
		assertActive(start(List.of(), "library-path=" + library), library);
	}

	@Test
	void whenUseAprIsAlwaysThenLibraryPathIsUsed() throws IOException {
		Path library = copy();
		assertActive(start(List.of("-Djava.library.path=/nowhere", "-Dserver.tomcat.use-apr=always"),
				"library-path=" + library), library);
	}

	@Test
	void whenThereIsNoLibraryThenJsseServes() {
		List<String> options = List.of("-Djava.library.path=" + this.folder);
		String absence = "'java.library.path': no libtcnative-2.so in " + this.folder;
		assertNotActive(start(options), absence + "; 'bundled linux-",
				". Add the dependency 'io.github.tomcatopenssl:tomcat-openssl-natives'");
		assertNotActive(start(options, "library=system"), absence
				+ ". Set 'server.ssl.openssl.library-path' to a libtcnative-2 library of version 2.0.16 or later");
	}

	@Test
	void whenLibraryIsInWorkingDirectoryOnlyThenItIsNotLoaded() throws IOException {
		Path library = Path.of("bin/libtcnative-2.so");
		Files.createDirectory(library.getParent());
		try {
			Files.copy(Provided.tomcatNative(), library);
			assertNotActive(start(List.of("-Djava.library.path=bin")), "no libtcnative-2.so in bin");
		}
		finally {
			FileSystemUtils.deleteRecursively(library.getParent());
		}
	}

	@Test
	void whenVersionHasHolesThenIsRefused() throws IOException {
		Path library = Files.copy(Provided.oldTomcatNative(), this.folder.resolve("libtcnative-1.so"));
		assertIsTooOld(library, start(List.of("-Djava.library.path=" + this.folder)));
		failsWithAnalysis(start(List.of(), "library-path=" + library, "mode=always"));
		// No longer told before it is loaded
		replace(library, "\0001.2.35\0", "\0009.9.99\0");
		assertIsTooOld(library, start(List.of("-Djava.library.path=" + this.folder)));
		failsWithAnalysis(startInSameJvm(List.of(), "library-path=" + library, "mode=always"));
	}

	private static void assertIsTooOld(Path library, Commands.Result result) {
		assertNotActive(result, "'" + library + "': its version is 1.2.35",
				", older than 2.0.16 (or 1.3.9), which fixes CVE-2026-86243",
				". Install Tomcat Native 2.0.16 (or 1.3.9) or later");
	}

	@Test
	void whenVersionIsKnownToHaveHolesThenIsNotEvenLoaded() throws IOException {
		Path packaged = Files.copy(Provided.oldTomcatNative(), this.folder.resolve("libtcnative-1.so.0.2.35"));
		Path link = Files.createSymbolicLink(this.folder.resolve("libtcnative-1.so"), packaged.getFileName());
		Path good = Files.copy(Provided.tomcatNative(),
				Files.createDirectory(this.folder.resolve("good")).resolve("libtcnative-1.so"));
		assertActive(start(List.of("-Djava.library.path=" + this.folder + ":" + good.getParent())), good);
		assertNotActive(start(List.of("-Djava.library.path=" + this.folder)),
				"'" + link + "': its version is 1.2.35, older than 2.0.16");
	}

	@Test
	void whenLibraryIsForAnotherCLibraryThenIsNotEvenLoaded() throws IOException {
		Path library = Files.copy(Provided.muslTomcatNative(), this.folder.resolve("libtcnative-2.so"));
		assertNotActive(start(List.of(), "library-path=" + library),
				"'" + library + "': it is for musl, but this JVM is for glibc. Use a library compiled on this");
		assertThat(start(List.of(), "library-path=" + library, "mode=always")).satisfies(this::failsWithAnalysis);
	}

	@ParameterizedTest
	@ValueSource(ints = { 4, 64, 40, 95 })
	void whenLibraryIsCutOffThenIsNotEvenLoaded(int percent) throws IOException {
		byte[] content = Files.readAllBytes(Provided.tomcatNative());
		Path library = Files.write(this.folder.resolve("libtcnative-2.so"),
				Arrays.copyOf(content, content.length * percent / 100));
		assertNotActive(start(List.of("-Djava.library.path=" + this.folder)),
				"'" + library + "': it is an incomplete library. Check that the file is a Tomcat Native");
	}

	@Test
	void whenLibraryIsForAnotherProcessorThenJsseServes() throws IOException {
		Path library = copy();
		try (RandomAccessFile file = new RandomAccessFile(library.toFile(), "rw")) {
			// e_machine of the ELF header
			file.seek(18);
			file.write(System.getProperty("os.arch").equals("aarch64") ? 0x3E : 0xB7);
		}
		assertNotActive(start(List.of("-Djava.library.path=" + this.folder)),
				"'" + library + "': it cannot be loaded: " + library, "can't load A",
				". Use a library compiled on this system");
	}

	@Test
	void whenDependencyIsMissingThenJsseServes() throws IOException {
		Path library = copy();
		replace(library, "libapr-1.so.0", "libxpr-1.so.0");
		assertNotActive(start(List.of("-Djava.library.path=" + this.folder)),
				"'" + library + "': it cannot be loaded: ", "libxpr-1.so.0: cannot open shared object file",
				"Install the libraries that it needs (on Debian and Ubuntu, APR is in libapr1");
	}

	@Test
	void whenLibcIsOlderThenJsseServes() throws IOException {
		Path library = copy();
		replace(library, "GLIBC_2.2.5", "GLIBC_9.9.9");
		assertNotActive(start(List.of("-Djava.library.path=" + this.folder)),
				"'" + library + "': it cannot be loaded: ", "GLIBC_9.9.9' not found",
				". Use a library compiled on this system, or on an older system");
	}

	@Test
	void whenFirstLibraryCannotBeLoadedThenTriesTheNext() throws IOException {
		Path broken = Files.writeString(
				Files.createDirectory(this.folder.resolve("broken")).resolve("libtcnative-2.so"), "no library");
		Path library = Files.copy(Provided.tomcatNative(),
				Files.createDirectory(this.folder.resolve("good")).resolve("libtcnative-2.so"));
		Commands.Result result = start(List.of("-Djava.library.path=" + broken.getParent() + ":" + library.getParent(),
				"-Dlogging.level.io.github.tomcatopenssl=debug"));
		assertActive(result, library);
		assertThat(result.output()).contains("DEBUG", "'" + broken + "': it is not Tomcat Native");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/nowhere/libtcnative-2.so", "empty", "text", "other" })
	void whenLibraryPathIsNoLibraryThenFails(String kind) throws IOException {
		String path = switch (kind) {
			case "empty" -> this.folder.toString();
			case "text" -> Files.writeString(this.folder.resolve("text"), "no library").toString();
			case "other" -> otherLibrary();
			default -> kind;
		};
		Commands.Result result = start(List.of(), "library-path=" + path);
		failsWithAnalysis(result);
		assertThat(result.output()).contains("Property: server.ssl.openssl.library-path",
				"Reason: it is '" + path + "', but Tomcat Native cannot be used: '");
	}

	@Test
	void whenModeIsAlwaysAndThereIsNoLibraryThenFails() {
		Commands.Result result = start(List.of("-Djava.library.path=" + this.folder), "mode=always");
		failsWithAnalysis(result);
		assertThat(result.output()).contains("Property: server.ssl.openssl.mode",
				"Reason: it is 'always', but OpenSSL cannot serve TLS: Tomcat Native cannot be used: ",
				"no libtcnative-2.so in " + this.folder, "set 'server.ssl.openssl.mode' to 'when-available'");
	}

	@Test
	void whenLibraryIsBundledAndThereIsNoneThenJsseServes() {
		assertNotActive(start(List.of(), "library=bundled"), "no dependency provides a library for linux-");
	}

	@Test
	void whenFipsIsRequiredAndOpenSslIsWithoutThenFailsAndOtherApplicationsAreServed() throws IOException {
		Path library = copy();
		List<String> options = List.of("-Djava.library.path=" + this.folder);
		assertIsNotFips(start(options, "fips-mode=required"),
				"'" + library + "': its OpenSSL does not take its algorithms from the FIPS provider");
		Commands.Result other = startInSameJvm(options, "fips-mode=off");
		assertActive(other, library);
		assertThat(other.output()).doesNotContain("FIPS");
		assertIsNotFips(startInSameJvm(options, "fips-mode=required", "mode=when-available"), "'" + library + "': ");
	}

	@ParameterizedTest
	@ValueSource(strings = { "auto", "bundled" })
	void whenFipsIsRequiredThenBundledLibraryIsNotEvenLoaded(String library) {
		assertIsNotFips(
				start(List.of("-Djava.library.path=" + this.folder), "fips-mode=required", "library=" + library),
				"'bundled " + Provided.platform() + "': it has no FIPS provider, and is not loaded");
		assertThat(jvm.isUsable()).isTrue();
	}

	@Test
	void whenFipsIsRequiredAndJsseIsWantedThenFails() {
		Commands.Result result = start(List.of(), "fips-mode=required", "mode=never");
		failsWithAnalysis(result);
		assertThat(result.output()).contains("Property: server.ssl.openssl.fips-mode",
				"Reason: it is 'required', but 'server.ssl.openssl.mode' is 'never', and the two contradict each other");
		result = start(List.of("-Dserver.tomcat.use-apr=never"), "fips-mode=required");
		failsWithAnalysis(result);
		assertThat(result.output()).contains("server.tomcat.use-apr is 'never'");
	}

	// Tomcat would crash the JVM
	@Test
	void whenOpenSslIsConfiguredWithoutAlgorithmsThenJsseServes() throws IOException {
		Path library = copy();
		Path configuration = Files.writeString(this.folder.resolve("openssl.cnf"), """
				openssl_conf = openssl
				[openssl]
				providers = providers
				alg_section = algorithms
				[providers]
				base = base
				[base]
				activate = 1
				[algorithms]
				default_properties = fips=yes
				""");
		List<String> command = new ArrayList<>(List.of("env", "OPENSSL_CONF=" + configuration));
		command.addAll(ForkedApplication.command(ForkedApplication.class,
				List.of("-Djava.library.path=" + this.folder, "-Dspring.devtools.restart.enabled=false"),
				certificate()));
		assertNotActive(Commands.run("", command), "'" + library + "': its OpenSSL has no algorithms for TLS (",
				"library has no ciphers", ". Correct OpenSSL's configuration file");
	}

	private void assertIsNotFips(Commands.Result result, String reason) {
		failsWithAnalysis(result);
		assertThat(result.output())
			.contains("Property: server.ssl.openssl.fips-mode",
					"Reason: it is 'required', but OpenSSL cannot serve TLS: Tomcat Native cannot be used: " + reason,
					"set 'default_properties = fips=yes'")
			.doesNotContain("when-available");
	}

	@ParameterizedTest
	@ValueSource(strings = { "mode", "library", "fips-mode" })
	void whenValueIsUnknownThenFails(String property) {
		Commands.Result result = start(List.of(), property + "=sometimes");
		failsWithAnalysis(result);
		assertThat(result.output()).contains("Property: server.ssl.openssl." + property, "Value: \"sometimes\"");
	}

	@Test
	void whenModeIsNeverThenLibraryIsNotLoaded() throws IOException {
		copy();
		Commands.Result result = start(List.of("-Djava.library.path=" + this.folder), "mode=never");
		assertThat(result.output()).contains(NOT_ACTIVE + "server.ssl.openssl.mode is 'never'")
			.doesNotContain(" WARN ", "AprLifecycleListener");
	}

	@Test
	void whenUseAprIsNeverThenItIsRespected() throws IOException {
		copy();
		List<String> options = List.of("-Djava.library.path=" + this.folder, "-Dserver.tomcat.use-apr=never");
		assertNotActive(start(options), "server.tomcat.use-apr is 'never'. Remove 'server.tomcat.use-apr'");
		assertThat(start(options, "mode=always")).satisfies(this::failsWithAnalysis);
	}

	@Test
	void whenTlsIsOffThenNothingIsLoadedOrLogged() throws IOException {
		copy();
		Commands.Result result = start(List.of("-Djava.library.path=" + this.folder, "-Dserver.ssl.enabled=false"),
				"mode=always");
		assertThat(result).returns(0, Commands.Result::status);
		assertThat(result.output()).contains("Tomcat started on port").doesNotContain("OpenSSL", "(https)");
	}

	@ParameterizedTest
	@ValueSource(strings = { "netty application", "application netty application", "netty tomcat application",
			"tomcat netty application" })
	void whenNettysLibraryIsLoadedTooThenIsNotTakenForTomcatNative(String steps) throws IOException {
		Path library = copy();
		Commands.Result result = fork(NettyApplication.class,
				List.of("-Dsteps=" + steps, "-Djava.library.path=" + this.folder), "mode=always");
		assertActive(result, library);
		assertThat(result.output()).doesNotContain("netty");
	}

	@Test
	void whenApplicationsStartAtTheSameTimeThenAllAreActive() throws IOException {
		Path library = copy();
		assertParallel(library.toString(), List.of("-Djava.library.path=" + this.folder));
	}

	@Test
	void whenApplicationsWithBundledLibraryStartAtTheSameTimeThenAllAreActive() {
		Provided.bundledLibrary(this.folder);
		assertParallel("bundled " + Provided.platform() + " 1.0.0", List.of("-Xbootclasspath/a:" + this.folder),
				"mode=always", "library=bundled");
	}

	private Path copy() throws IOException {
		return Files.copy(Provided.tomcatNative(), this.folder.resolve("libtcnative-2.so"));
	}

	private static void replace(Path library, String text, String replacement) throws IOException {
		String content = Files.readString(library, StandardCharsets.ISO_8859_1);
		assertThat(content).contains(text);
		Files.writeString(library, content.replace(text, replacement), StandardCharsets.ISO_8859_1);
	}

	private static String otherLibrary() {
		Path library = Path.of(System.getProperty("java.home"), "lib", "libprefs.so");
		assumeThat(library).exists();
		return library.toString();
	}

	private static Commands.Result start(List<String> options, String... properties) {
		if (!jvm.isUsable()) {
			jvm.close();
			jvm = new ReusedJvm(certificate());
		}
		return startInSameJvm(options, properties);
	}

	private static Commands.Result startInSameJvm(List<String> options, String... properties) {
		List<String> arguments = new ArrayList<>(options);
		Arrays.stream(properties).forEach((property) -> arguments.add("--server.ssl.openssl." + property));
		return jvm.run(arguments);
	}

	private static Commands.Result fork(Class<?> application, List<String> options, String... properties) {
		List<String> arguments = new ArrayList<>(certificate());
		Arrays.stream(properties).forEach((property) -> arguments.add("--server.ssl.openssl." + property));
		List<String> allOptions = new ArrayList<>(options);
		allOptions.add("-Dspring.devtools.restart.enabled=false");
		return ForkedApplication.run(application, allOptions, arguments.toArray(String[]::new));
	}

	private static List<String> certificate() {
		TestCertificates certificates = TestCertificates.get();
		return List.of("--server.ssl.certificate-file=" + certificates.file("p256.crt"),
				"--server.ssl.certificate-key-file=" + certificates.file("p256.key"));
	}

	private static void assertActive(Commands.Result result, Path library) {
		assertThat(result).returns(0, Commands.Result::status);
		assertThat(result.output()).contains(ACTIVE, ", library " + library).doesNotContain(" WARN ");
	}

	private static void assertParallel(String library, List<String> options, String... properties) {
		for (int i = 1; i <= PARALLEL_JVMS; i++) {
			Commands.Result result = fork(ParallelApplications.class, options, properties);
			assertThat(result).as("JVM %d: %s", i, result.output()).returns(0, Commands.Result::status);
			assertThat(result.output().lines().filter((line) -> line.contains(ACTIVE)))
				.as("JVM %d: %s", i, result.output())
				.hasSize(ParallelApplications.COUNT)
				.allSatisfy((line) -> assertThat(line).endsWith(", library " + library));
			assertThat(result.output()).doesNotContain(" WARN ", " ERROR ");
		}
	}

	private static void assertNotActive(Commands.Result result, String... reasons) {
		assertThat(result).returns(0, Commands.Result::status);
		List<String> warnings = result.output().lines().filter((line) -> line.contains(" WARN ")).toList();
		assertThat(warnings).singleElement().asString().contains(NOT_ACTIVE).contains(reasons);
		assertThat(result.output()).doesNotContain(ACTIVE);
	}

	private void failsWithAnalysis(Commands.Result result) {
		assertThat(result).returns(1, Commands.Result::status);
		assertThat(result.output()).contains("APPLICATION FAILED TO START", "Description:", "Action:")
			.doesNotContain("Tomcat started", "	at ");
	}

}
