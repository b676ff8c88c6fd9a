// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
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
import org.jspecify.annotations.Nullable;
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
		jar("1.0.0", "library");
		damage();
		LoadAttempt attempt = load();
		assertThat(attempt).returns(Result.NOT_EXTRACTED, LoadAttempt::result);
		assertThat(attempt.reason()).contains(this.work + "/tomcat-openssl-", "does not have the content");
		assertThat(files()).isEmpty();
	}

	@Test
	void whenFolderCannotBeWrittenThenSaysSo() throws IOException {
		jar("1.0.0", "library");
		Files.delete(this.work);
		LoadAttempt attempt = load();
		assertThat(attempt).returns(Result.NOT_EXTRACTED, LoadAttempt::result);
		assertThat(attempt.reason()).startsWith("it cannot be extracted into '" + this.work + "'");
	}

	@ParameterizedTest
	@ValueSource(strings = { "0.9.12", "1.0.0-SNAPSHOT", "1.0.0", "1.0.1", "1.10.0", "1.99.99-RC1", "2.0.0-SNAPSHOT",
			"2.0.0", "10.0.0" })
	void whenJarHasAnotherVersionThenItIsExtractedOnlyIfItsMajorVersionFits(String version) throws IOException {
		jar(version, "library");
		damage();
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
		jar(version, "library");
		assertThat(load()).returns(Result.OTHER_NATIVES, LoadAttempt::result);
	}

	@Test
	void whenThereAreMoreJarsThenTakesAllFromTheNewestThatFits() throws IOException {
		jar("1.0.9", "old");
		jar("2.0.0", "too new");
		jar("1.0.10", "new");
		jar("0.1.0", "too old");
		try (URLClassLoader classLoader = classLoader()) {
			NativesJar jar = Objects.requireNonNull(NativesJar.find(PLATFORM, classLoader));
			assertThat(jar.version()).isEqualTo("1.0.10");
			Path library = this.work.resolve("library");
			assertThat(jar.extract(LIBRARY, library)).isTrue();
			assertThat(library).hasContent("new");
		}
	}

	@Test
	void whenNewestJarIsIncompleteThenTakesNothingFromTheOther() throws IOException {
		jar("1.0.0", "library");
		jar("1.0.1", null);
		LoadAttempt attempt = load();
		assertThat(attempt).returns(Result.NOT_EXTRACTED, LoadAttempt::result);
		assertThat(attempt.reason()).contains("FileNotFoundException").doesNotContain("does not have the content");
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

	private void jar(String version, @Nullable String library) throws IOException {
		Path jar = this.folder.resolve(this.jars.size() + ".jar");
		try (FileSystem content = FileSystems.newFileSystem(jar,
				Map.of("create", "true", "compressionMethod", "STORED"))) {
			Path parent = Files.createDirectories(content.getPath(PLATFORM.folder()));
			Files.writeString(parent.resolve("natives.properties"), "version=" + version);
			if (library != null) {
				Files.writeString(parent.resolve(LIBRARY), library);
			}
		}
		this.jars.add(jar.toUri().toURL());
	}

	// Of the last jar, after its checksums were computed
	private void damage() throws IOException {
		Path jar = this.folder.resolve((this.jars.size() - 1) + ".jar");
		String content = Files.readString(jar, StandardCharsets.ISO_8859_1);
		Files.writeString(jar, content.replace("library", "damaged"), StandardCharsets.ISO_8859_1);
	}

	private List<Path> files() throws IOException {
		try (Stream<Path> files = Files.list(this.work)) {
			return files.toList();
		}
	}

}
