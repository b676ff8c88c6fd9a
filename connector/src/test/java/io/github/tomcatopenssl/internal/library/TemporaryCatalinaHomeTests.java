// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.Provided;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TemporaryCatalinaHome}.
 */
@Tag("jdk")
public class TemporaryCatalinaHomeTests {

	@TempDir
	private Path folder;

	@Test
	void whenCreatedThenOnlyOwnerCanEnterAndWhenClosedThenIsGone() throws IOException {
		try (TemporaryCatalinaHome created = TemporaryCatalinaHome.createIn(this.folder)) {
			assertThat(PosixFilePermissions
				.toString(Files.getPosixFilePermissions(created.library().getParent().getParent())))
				.isEqualTo("rwx------");
			Files.createFile(created.library());
		}
		assertThat(this.folder).isEmptyDirectory();
	}

	@Tag("forked")
	@Test
	void whenManyJvmsUseFoldersAtOnceThenNoneTakesThatOfAnother() {
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		List<String> command = List.of(java, "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
				TemporaryCatalinaHomeTests.class.getName(), this.folder.toString());
		List<CompletableFuture<Commands.Result>> jvms = Stream
			.generate(() -> CompletableFuture.supplyAsync(() -> Commands.run("", command)))
			.limit(4)
			.toList();
		assertThat(jvms).extracting(CompletableFuture::join)
			.allSatisfy((result) -> assertThat(result.status()).as(result.output()).isZero());
		assertThat(this.folder).isEmptyDirectory();
	}

	/**
	 * Use folders as a JVM that loads a library does.
	 * @param arguments where to create them
	 * @throws Exception if a folder is gone
	 */
	public static void main(String[] arguments) throws Exception {
		for (int i = 0; i < 40; i++) {
			try (TemporaryCatalinaHome created = TemporaryCatalinaHome.createIn(Path.of(arguments[0]))) {
				Files.write(created.library(), new byte[1024 * 1024]);
				Files.delete(created.library());
			}
		}
	}

	@Test
	void whenKilledJvmsHaveLeftFoldersThenDeletesThem() throws IOException {
		Path leftover = folder("tomcat-openssl-1");
		Path empty = Files.createDirectory(this.folder.resolve("tomcat-openssl-2"));
		Files.createFile(empty.resolve("lock"));
		// Its JVM has not locked it yet
		Path begun = Files.createDirectory(this.folder.resolve("tomcat-openssl-4"));
		Path notOurs = Files.createDirectory(this.folder.resolve("something-else"));
		Path target = Files.createDirectory(this.folder.resolve("target"));
		Path link = Files.createSymbolicLink(this.folder.resolve("tomcat-openssl-3"), target);
		TemporaryCatalinaHome.createIn(this.folder).close();
		assertThat(List.of(leftover, empty)).allSatisfy((path) -> assertThat(path).doesNotExist());
		assertThat(List.of(begun, notOurs, link, target)).allSatisfy((path) -> assertThat(path).exists());
	}

	// Neither the clock of the file system nor that of the JVM counts
	@ParameterizedTest
	@ValueSource(ints = { -60, -10, 10 })
	void whenFolderIsInUseThenIsLeftHoweverOldItSeems(int minutes) throws IOException {
		try (TemporaryCatalinaHome inUse = TemporaryCatalinaHome.createIn(this.folder)) {
			Files.createFile(inUse.library());
			Path used = inUse.library().getParent().getParent();
			FileTime time = FileTime.from(Instant.now().plus(minutes, ChronoUnit.MINUTES));
			for (Path path : List.of(inUse.library(), inUse.library().getParent(), used.resolve("lock"), used)) {
				Files.setLastModifiedTime(path, time);
			}
			TemporaryCatalinaHome.createIn(this.folder).close();
			assertThat(inUse.library()).exists();
		}
		assertThat(this.folder).isEmptyDirectory();
	}

	@Test
	void whenFolderIsOfAnotherUserThenItIsLeftAndItsLinksAreNotFollowed() throws IOException {
		Provided.root();
		Path target = Files.createDirectory(this.folder.resolve("target"));
		Path library = Files.createFile(target.resolve("libtcnative-2.so"));
		Path planted = Files.createDirectory(this.folder.resolve("tomcat-openssl-1"));
		Files.createSymbolicLink(planted.resolve("bin"), target);
		Files.createFile(planted.resolve("lock"));
		Files.setAttribute(planted, "unix:uid", 65534);
		TemporaryCatalinaHome.createIn(this.folder).close();
		assertThat(library).exists();
	}

	private Path folder(String name) throws IOException {
		Path created = Files.createDirectory(this.folder.resolve(name));
		Files.createFile(Files.createDirectory(created.resolve("bin")).resolve("libtcnative-2.so"));
		Files.createFile(created.resolve("lock"));
		return created;
	}

}
