// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link BundledLibrary} and {@link NativesJar}, with libraries that cannot be
 * loaded. {@code LibrarySelectionTests} has those with one that can.
 */
class BundledLibraryTests {

	private static final Platform PLATFORM = new Platform("test-platform");

	private static final String LIBRARY = LibraryCandidates.preferredFileName();

	@TempDir
	private Path folder;

	private Path work;

	private final List<URL> jars = new ArrayList<>();

	@BeforeEach
	void createWorkFolder() throws IOException {
		this.work = Files.createDirectory(this.folder.resolve("work"));
	}

	@Test
	void whenThereIsNoLibraryForPlatformThenSaysSo() throws IOException {
		assertThat(load()).returns("bundled test-platform", LoadAttempt::location)
			.returns(Result.NOT_BUNDLED, LoadAttempt::result)
			.returns("no dependency provides a library for test-platform", LoadAttempt::reason);
	}

	@Test
	void whenContentIsWrongThenRefusesItAndLeavesNothing() throws IOException {
		jar("1.0.0", "library", "wrong");
		LoadAttempt attempt = load();
		assertThat(attempt).returns(Result.NOT_EXTRACTED, LoadAttempt::result);
		assertThat(attempt.reason()).contains(this.work + "/tomcat-openssl-", "does not have the content");
		assertThat(files()).isEmpty();
	}

	@Test
	void whenFolderCannotBeWrittenThenSaysSo() throws IOException {
		jar("1.0.0", "library", "wrong");
		Files.delete(this.work);
		LoadAttempt attempt = load();
		assertThat(attempt).returns(Result.NOT_EXTRACTED, LoadAttempt::result);
		assertThat(attempt.reason()).startsWith("it cannot be extracted into '" + this.work + "'");
	}

	@ParameterizedTest
	@ValueSource(strings = { "0.9.12", "1.0.0-SNAPSHOT", "1.0.0", "1.0.1", "1.10.0", "1.99.99-RC1", "2.0.0-SNAPSHOT",
			"2.0.0", "10.0.0" })
	void whenJarHasAnotherVersionThenItIsExtractedOnlyIfItsMajorVersionFits(String version) throws IOException {
		jar(version, "library", "wrong");
		LoadAttempt attempt = load();
		assertThat(attempt.location()).isEqualTo("bundled test-platform " + version);
		if (version.startsWith("1.")) {
			assertThat(attempt.reason()).contains("does not have the content");
		}
		else {
			assertThat(attempt).returns(Result.OTHER_NATIVES, LoadAttempt::result)
				.returns(
						"this connector works with versions of 'tomcat-openssl-natives' from 1.0.0 up to, but not including, 2.0.0",
						LoadAttempt::reason);
		}
		assertThat(files()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "x", "${version}" })
	void whenJarHasNoVersionThenRefusesIt(String version) throws IOException {
		jar(version, "library", "wrong");
		assertThat(load()).returns(Result.OTHER_NATIVES, LoadAttempt::result);
	}

	@Test
	void whenThereAreMoreJarsThenTakesAllFromTheNewestThatFits() throws IOException {
		jar("1.0.9", "old", "of the old one");
		jar("2.0.0", "too new", "of the one that is too new");
		jar("1.0.10", "new", "of the new one");
		jar("0.1.0", "too old", "of the one that is too old");
		try (URLClassLoader classLoader = classLoader()) {
			NativesJar jar = Objects.requireNonNull(NativesJar.find(PLATFORM, classLoader));
			assertThat(jar.version()).isEqualTo("1.0.10");
			assertThat(jar.open(LIBRARY)).hasContent("new");
			assertThat(jar.open(LIBRARY + ".sha256")).hasContent("of the new one");
		}
	}

	@Test
	void whenNewestJarIsIncompleteThenTakesNothingFromTheOther() throws IOException {
		jar("1.0.0", "library", "wrong");
		jar("1.0.1", "library", null);
		LoadAttempt attempt = load();
		assertThat(attempt).returns(Result.NOT_EXTRACTED, LoadAttempt::result);
		assertThat(attempt.reason()).contains("1.jar").doesNotContain("does not have the content");
		assertThat(files()).isEmpty();
	}

	private LoadAttempt load() throws IOException {
		try (URLClassLoader classLoader = classLoader()) {
			return Objects.requireNonNull(new BundledLibrary(PLATFORM, this.work, classLoader).load());
		}
	}

	private URLClassLoader classLoader() {
		return new URLClassLoader(this.jars.toArray(URL[]::new), null);
	}

	private void jar(String version, String library, String checksum) throws IOException {
		Path jar = this.folder.resolve(this.jars.size() + ".jar");
		try (FileSystem content = FileSystems.newFileSystem(jar, Map.of("create", "true"))) {
			Path parent = Files.createDirectories(content.getPath(PLATFORM.folder()));
			Files.writeString(parent.resolve("natives.properties"), "version=" + version);
			Files.writeString(parent.resolve(LIBRARY), library);
			if (checksum != null) {
				Files.writeString(parent.resolve(LIBRARY + ".sha256"), checksum);
			}
		}
		this.jars.add(jar.toUri().toURL());
	}

	private List<Path> files() throws IOException {
		try (Stream<Path> files = Files.list(this.work)) {
			return files.toList();
		}
	}

}
