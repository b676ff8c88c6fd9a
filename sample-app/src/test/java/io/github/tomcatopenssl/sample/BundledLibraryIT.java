// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.github.tomcatopenssl.test.Provided;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the bundled library.
 */
@Tag("jdk")
class BundledLibraryIT {

	private static final String ACTIVE = ", library bundled " + Provided.platform();

	@TempDir
	private Path folder;

	@BeforeEach
	void requireLibrary() {
		Provided.bundledLibrary(getClass());
	}

	@ParameterizedTest
	@ValueSource(strings = { "auto", "bundled" })
	void whenStarterIsADependencyThenOpenSslIsActive(String library) throws Exception {
		try (RunningSample sample = RunningSample.startWithTemporaryFolder(this.folder, null,
				"--server.ssl.openssl.mode=always", "--server.ssl.openssl.library=" + library)) {
			assertThat(sample.log()).contains("OpenSSL is active on port ", "OpenSSL 3.5.", ACTIVE)
				.doesNotContain("restricted method", "native access", " WARN ");
			assertThat(sample.get("/hello").body()).asString().isEqualTo("ok");
			assertThat(extracted()).isEmpty();
			assertThat(sample.terminate()).isEqualTo(143);
		}
	}

	@Test
	void whenLibraryOfTheSystemIsTooOldThenBundledOneIsActive() throws Exception {
		Files.copy(Provided.oldTomcatNative(), this.folder.resolve("libtcnative-2.so"));
		try (RunningSample sample = RunningSample.startWithJvmOption("-Djava.library.path=" + this.folder)) {
			assertThat(sample.log()).contains("OpenSSL is active on port ", ACTIVE).doesNotContain(" WARN ");
			assertThat(sample.get("/hello").body()).asString().isEqualTo("ok");
		}
	}

	@Test
	void whenTwoJvmsStartAtOnceThenBothAreActive() throws Exception {
		List<RunningSample> samples = Stream.of(1, 2).parallel().map((number) -> {
			try {
				return RunningSample.startWithTemporaryFolder(this.folder, null, "--server.ssl.openssl.mode=always");
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}).toList();
		for (RunningSample sample : samples) {
			try (sample) {
				assertThat(sample.log()).contains(ACTIVE);
				assertThat(sample.get("/hello").body()).asString().isEqualTo("ok");
			}
		}
		assertThat(extracted()).isEmpty();
	}

	@Test
	void whenTemporaryFolderIsNotExecutableThenSaysSoAndWorkDirHelps(@TempDir Path workDir) throws Exception {
		try (RunningSample sample = RunningSample.startWithTemporaryFolder(this.folder, "noexec,size=64m")) {
			assertThat(sample.log()).contains("JSSE serves TLS: Tomcat Native cannot be used: 'bundled ",
					"it cannot be loaded: " + this.folder + "/tomcat-openssl-", "failed to map segment",
					"Put the library on a file system that is not mounted with 'noexec'",
					"'server.ssl.openssl.work-dir'");
		}
		try (RunningSample sample = RunningSample.startWithTemporaryFolder(this.folder, "noexec,size=64m",
				"--server.ssl.openssl.work-dir=" + workDir)) {
			assertThat(sample.log()).contains(ACTIVE);
		}
	}

	@Test
	void whenTemporaryFolderIsFullThenSaysSo() throws Exception {
		try (RunningSample sample = RunningSample.startWithTemporaryFolder(this.folder, "size=1m")) {
			assertThat(sample.log()).contains("JSSE serves TLS: Tomcat Native cannot be used: 'bundled ",
					"it cannot be extracted into '" + this.folder + "': ", "No space left on device",
					"Set 'server.ssl.openssl.work-dir'");
			assertThat(sample.get("/hello").body()).asString().isEqualTo("ok");
		}
	}

	@Test
	void whenWorkDirIsReadOnlyThenSaysSo() throws Exception {
		try (RunningSample sample = RunningSample.startWithReadOnlyFolder(this.folder,
				"--server.ssl.openssl.work-dir=" + this.folder)) {
			assertThat(sample.log()).contains("it cannot be extracted into '" + this.folder + "': ",
					"Read-only file system", "Set 'server.ssl.openssl.work-dir'");
		}
		try (RunningSample sample = RunningSample.startWithReadOnlyFolder(this.folder,
				"--server.ssl.openssl.work-dir=" + this.folder,
				"--server.ssl.openssl.library-path=" + Provided.tomcatNative())) {
			assertThat(sample.log()).contains(
					"'" + Provided.tomcatNative() + "': a link to it cannot be created in '" + this.folder + "': ",
					"Read-only file system", "Set 'server.ssl.openssl.work-dir'");
		}
	}

	private List<Path> extracted() throws IOException {
		try (Stream<Path> files = Files.list(this.folder)) {
			return files.filter((file) -> file.getFileName().toString().startsWith("tomcat-openssl-")).toList();
		}
	}

}
