// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.Closeable;
import java.io.File;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.tomcatopenssl.certificate.ProcessLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests for {@link AcmeStore}.
 */
class AcmeStoreTests {

	@TempDir
	private Path folder;

	// A process that closes any channel of a file loses its locks on the file (POSIX)
	@Test
	@Tag("forked")
	void whenAnotherApplicationOfTheJvmAsksForTheLockThenOtherProcessesStillHaveToWait() throws Exception {
		AcmeStore store = store(this.folder);
		store.create();
		try (Closeable lock = store.tryLock()) {
			assertThat(lock).isNotNull();
			assertThat(store(this.folder).tryLock()).isNull();
			assertThat(isLocked(this.folder)).isTrue();
		}
		assertThat(isLocked(this.folder)).isFalse();
		try (Closeable lock = store(this.folder).tryLock()) {
			assertThat(lock).isNotNull();
		}
	}

	@Test
	@Tag("forked")
	void whenAnotherClassLoaderAsksForTheLockThenOtherProcessesStillHaveToWait() throws Exception {
		AcmeStore store = store(this.folder);
		store.create();
		List<URL> classes = new ArrayList<>();
		for (String path : System.getProperty("java.class.path").split(File.pathSeparator)) {
			classes.add(Path.of(path).toUri().toURL());
		}
		try (Closeable lock = store.tryLock();
				URLClassLoader other = new URLClassLoader(classes.toArray(URL[]::new),
						ClassLoader.getPlatformClassLoader());
				Stream<Path> files = Files.walk(this.folder)) {
			assertThat(lock).isNotNull();
			Path file = files.filter((any) -> any.toString().endsWith(".lock")).findFirst().orElseThrow();
			Method tryLock = other.loadClass(ProcessLock.class.getName()).getDeclaredMethod("tryLock", Path.class);
			tryLock.setAccessible(true);
			assertThat(tryLock.invoke(null, file)).isNull();
			assertThat(isLocked(this.folder)).isTrue();
		}
	}

	@Test
	void whenAnotherProcessDoesNotEndItsWorkThenItIsNamed() throws Exception {
		AcmeStore store = store(this.folder);
		store.create();
		store.exclusively(() -> {
			assertThatIOException().isThrownBy(() -> store(this.folder).exclusively(() -> null))
				.withMessageContaining("write.lock' cannot be used: another process has locked it for 10 seconds");
			return null;
		});
	}

	private static boolean isLocked(Path folder) throws Exception {
		return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), LockingApplication.class.getName(), folder.toString())
			.inheritIO()
			.start()
			.waitFor() == LockingApplication.LOCKED;
	}

	static AcmeStore store(Path folder) {
		return new AcmeStore(folder, URI.create("https://ca.example.com/directory"), List.of("localhost"));
	}

}
