// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link WatchedFiles}. The time is that of the test.
 */
class WatchedFilesTests {

	@TempDir
	private Path folder;

	private Path file;

	private final List<String> read = new ArrayList<>();

	private long now = System.nanoTime();

	@BeforeEach
	void write() throws IOException {
		this.file = Files.writeString(this.folder.resolve("tls.crt"), "first");
	}

	@Test
	void whenFileIsWrittenThenIsReadAtTheNextLook() throws IOException {
		WatchedFiles files = files();
		FileSnapshot before = look(files, 1);
		assertThat(look(files, 1)).isEqualTo(before);
		Files.writeString(this.file, "second one");
		assertThat(look(files, 1)).isNotEqualTo(before).hasToString("FileSnapshot[" + this.file + "]");
	}

	@Test
	void whenFileIsRenamedOverOrBehindAnotherLinkThenIsReadAtTheNextLook() throws IOException {
		FileTime time = Files.getLastModifiedTime(this.file);
		WatchedFiles files = files();
		FileSnapshot first = look(files, 1);
		Path next = Files.writeString(this.folder.resolve("next"), "other");
		Files.setLastModifiedTime(next, time);
		Files.move(next, this.file, StandardCopyOption.ATOMIC_MOVE);
		FileSnapshot second = look(files, 1);
		assertThat(second).isNotEqualTo(first);
		Path target = Files.writeString(this.folder.resolve("target"), "third");
		Files.setLastModifiedTime(target, time);
		Files.delete(this.file);
		Files.createSymbolicLink(this.file, target);
		assertThat(look(files, 1)).isNotEqualTo(second).isNotEqualTo(first);
	}

	@Test
	void whenOnlyTheContentChangesThenIsReadWithinFiveSeconds() throws IOException {
		FileTime time = FileTime.fromMillis(1_000_000);
		Files.setLastModifiedTime(this.file, time);
		WatchedFiles files = files();
		FileSnapshot before = look(files, 5);
		Files.writeString(this.file, "other");
		Files.setLastModifiedTime(this.file, time);
		assertThat(look(files, 4)).isEqualTo(before);
		assertThat(look(files, 1)).isNotEqualTo(before);
	}

	@Test
	void whenFileIsTheSameThenIsReadEveryFiveSecondsOnly() {
		WatchedFiles files = files();
		look(files, 5);
		this.read.clear();
		for (int second = 0; second < 60; second++) {
			look(files, 1);
		}
		assertThat(this.read).hasSize(12);
	}

	@Test
	void whenFileDisappearsAndComesBackThenTellsBoth() throws IOException {
		WatchedFiles files = files();
		FileSnapshot before = look(files, 1);
		Files.delete(this.file);
		FileSnapshot missing = look(files, 1);
		assertThat(missing).isNotEqualTo(before);
		assertThat(look(files, 1)).isEqualTo(missing);
		Files.writeString(this.file, "first");
		assertThat(look(files, 1)).isEqualTo(before);
	}

	@Test
	void whenNothingIsInTheFileSystemThenNothingCanChange() {
		assertThat(files().isAnyChangeable()).isTrue();
		assertThat(new WatchedFiles(List.of("data:,certificate"), new DefaultResourceLoader()).isAnyChangeable())
			.isFalse();
	}

	private FileSnapshot look(WatchedFiles files, int seconds) {
		this.now += Duration.ofSeconds(seconds).toNanos();
		return files.look(this.now);
	}

	private WatchedFiles files() {
		return new WatchedFiles(List.of(this.file.toString()), new DefaultResourceLoader() {

			@Override
			public Resource getResource(String location) {
				return new FileSystemResource(location) {

					@Override
					public boolean isFile() {
						WatchedFilesTests.this.read.add(location);
						return super.isFile();
					}

				};
			}

		});
	}

}
