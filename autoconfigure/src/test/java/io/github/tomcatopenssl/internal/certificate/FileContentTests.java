// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.tomcatopenssl.internal.pem.PemSource.Content;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.io.ApplicationResourceLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FileContent}: when a file is read again.
 */
class FileContentTests {

	private static final String PROPERTY = "server.ssl.certificate-key-file";

	@TempDir
	private Path folder;

	private Path file;

	private Map<String, FileContent> contents = Map.of();

	private long now = System.nanoTime();

	@BeforeEach
	void create() throws IOException {
		this.file = Files.writeString(this.folder.resolve("tls.key"), "first");
	}

	@Test
	void whenAttributesProveThatNothingHasChangedThenDoesNotReadForFiveSeconds() throws Exception {
		settle();
		FileContent settled = read(0);
		assertThat(read(1)).isSameAs(settled);
		assertThat(read(3)).isSameAs(settled);
		assertThat(read(1)).isNotSameAs(settled).isEqualTo(settled);
	}

	// A change that follows within the resolution of the clock leaves the same attributes
	@Test
	void whenFileHasJustChangedThenReadsItAgain() {
		FileContent first = read(0);
		FileContent second = read(1);
		assertThat(second).isNotSameAs(first);
		assertThat(read(1)).isNotSameAs(second);
	}

	@Test
	void whenSizeAndTimeOfModificationStayTheSameThenReadsIt() throws Exception {
		settle();
		FileTime time = Files.getLastModifiedTime(this.file);
		Files.writeString(this.file, "other");
		Files.setLastModifiedTime(this.file, time);
		assertContent("other");
		settle();
		Path next = Files.writeString(this.folder.resolve("next.key"), "third");
		Files.setLastModifiedTime(next, time);
		Files.move(next, this.file, StandardCopyOption.ATOMIC_MOVE);
		assertContent("third");
	}

	// As Kubernetes does with a volume
	@Test
	void whenFolderBehindALinkIsSwappedThenReadsTheOtherFile() throws Exception {
		FileTime time = FileTime.fromMillis(0);
		for (String version : new String[] { "..1", "..2" }) {
			Path key = Files.createDirectory(this.folder.resolve(version)).resolve("tls.key");
			Files.setLastModifiedTime(Files.writeString(key, version), time);
		}
		Path data = Files.createSymbolicLink(this.folder.resolve("..data"), Path.of("..1"));
		Files.delete(this.file);
		Files.createSymbolicLink(this.file, Path.of("..data", "tls.key"));
		assertContent("..1");
		settle();
		Files.move(Files.createSymbolicLink(this.folder.resolve("..tmp"), Path.of("..2")), data,
				StandardCopyOption.ATOMIC_MOVE);
		assertContent("..2");
	}

	@Test
	void whenFileIsMissingForAWhileThenReadsItAtOnce() throws Exception {
		settle();
		Files.delete(this.file);
		assertThat(read(0).problem()).hasMessageContaining("it does not exist");
		Files.writeString(this.file, "first");
		assertContent("first");
	}

	@Test
	void whenFileIsLargerThanAnyPemFileThenItIsRefused() throws Exception {
		byte[] largest = new byte[4 * 1024 * 1024];
		Files.write(this.file, largest);
		assertThat(read(0).bytes()).hasSameSizeAs(largest);
		Files.write(this.file, new byte[1], StandardOpenOption.APPEND);
		assertThat(read(0).problem()).hasMessageContaining("it is larger than 4 MiB");
	}

	private void settle() {
		for (int second = 0; second < 4; second++) {
			read(1);
		}
	}

	private void assertContent(String expected) {
		assertThat(new String(read(0).bytes())).isEqualTo(expected);
	}

	private FileContent read(int seconds) {
		this.now += Duration.ofSeconds(seconds).toNanos();
		this.contents = FileContent.read(
				List.of(new ConfiguredFile(PROPERTY, this.file.toString(), Content.CERTIFICATES)), this.contents,
				ApplicationResourceLoader.get(), this.now);
		return this.contents.get(PROPERTY);
	}

}
