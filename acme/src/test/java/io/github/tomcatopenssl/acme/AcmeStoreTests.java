// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import javax.security.auth.x500.X500Principal;

import io.github.tomcatopenssl.internal.certificate.CertificateIssuer;
import io.github.tomcatopenssl.internal.certificate.PrivateFiles;
import io.github.tomcatopenssl.internal.certificate.ProcessLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests for {@link AcmeStore}, with its {@link ProcessLock} and the file of an
 * {@link AcmeCertificate}.
 */
class AcmeStoreTests {

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

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
				.withMessageContaining(
						"write.lock' cannot be used: another process has held a lock on it for 10 seconds");
			return null;
		});
	}

	@Test
	void whenTimesOfFailuresAreWrittenThenTheyAreReadAgain() throws Exception {
		AcmeStore store = store(this.folder);
		store.create();
		AcmeStore.Failures failures = new AcmeStore.Failures(3, NOW, NOW.plusSeconds(600), NOW, NOW.minusSeconds(3600));
		store.write(failures);
		assertThat(store.failures()).isEqualTo(failures);
		store.write(AcmeStore.Failures.NONE);
		assertThat(store.failuresFile()).doesNotExist();
		assertThat(store.failures()).isEqualTo(AcmeStore.Failures.NONE);
	}

	// The last ones would keep the server from asking for years
	@ParameterizedTest
	@ValueSource(strings = { "", "\u00ff\u0000", "1", "x y z a b", "-1 {now} {now} {now} {now}",
			"99999999999 {now} {now} {now} {now}", "1 {now} {now} {now} soon",
			"1 +1000000000-12-31T23:59:59Z +1000000000-12-31T23:59:59Z -1000000000-01-01T00:00:00Z {now}",
			"1 {now} 2036-01-01T00:00:00Z {now} {now}", "1 2026-01-03T00:00:00Z {now} {now} {now}" })
	void whenTimesOfFailuresAreDamagedThenThereAreNone(String content) throws Exception {
		AcmeStore store = store(this.folder);
		store.create();
		Files.write(store.failuresFile(),
				content.replace("{now}", NOW.toString()).getBytes(StandardCharsets.ISO_8859_1));
		assertThat(store.failures()).isEqualTo(AcmeStore.Failures.NONE);
	}

	@ParameterizedTest
	@CsvSource({ "PT0S, PT10M", "PT1M, PT9M", "PT10M, PT0S", "P300D, -P299DT23H50M", "-P300D, PT10M" })
	void whenClockIsChangedThenTheWaitIsNoLonger(Duration passed, Duration left) {
		AcmeStore.Failures failures = new AcmeStore.Failures(1, NOW.plusSeconds(600), NOW.plusSeconds(1200), NOW,
				NOW.minusSeconds(3600));
		assertThat(failures.left(true, failures.machine().plus(passed))).isEqualTo(left);
		assertThat(failures.left(false, failures.machine().plus(passed))).isEqualTo(left.plusSeconds(600));
	}

	@Test
	void whenNamesAreLongThenFilesAreDifferent() throws Exception {
		String host = "a.".repeat(124) + "com";
		URI ca = URI.create("https://%s/directory".formatted(host));
		List<AcmeStore> stores = List.of(new AcmeStore(this.folder, ca, List.of(host)),
				new AcmeStore(this.folder, ca, List.of(host.replace("com", "org"))));
		for (AcmeStore store : stores) {
			store.create();
			assertThat(store.certificate("ec")).doesNotExist();
			assertThat(store.challenge(host)).isNotEqualTo(store.challenge(host.replace("com", "org")));
			for (Path file : List.of(store.certificate("ec"), store.order("rsa"), store.orderKey("rsa"),
					store.failuresFile(), store.challenge(host))) {
				store.write(file, "content");
			}
			try (Closeable lock = store.tryLock()) {
				assertThat(lock).isNotNull();
			}
		}
	}

	// What an earlier version has written is found again
	@Test
	void whenNamesAreShortThenFilesAreNamedAfterThem() {
		AcmeStore store = store(this.folder);
		assertThat(this.folder.relativize(store.certificate("ec")))
			.hasToString("ca.example.com-84b92c5c/localhost-49960de5-ec.pem");
		assertThat(store.challenge("www.example.com").getFileName()).hasToString("www.example.com.pem");
	}

	// As on a share; permissions in /proc cannot be changed
	@Test
	@EnabledOnOs(OS.LINUX)
	void whenFolderIsOpenToAllUsersThenTheReasonAndTheRemedyAreNamed() {
		IOException open = catchThrowableOfType(IOException.class,
				() -> PrivateFiles.createFolder(Path.of("/proc/self/task")));
		AcmeStoreException ex = new AcmeStoreException(this.folder, open);
		assertThat(ex).hasMessageStartingWith(
				"'%s' cannot be used: all users of this machine can enter it (r-xr-xr-x)".formatted(this.folder));
		assertThat(AcmeStoreException.action(ex)).contains("mount the share with the options")
			.endsWith("Or use a folder on another file system, by setting 'server.ssl.acme.directory'");
	}

	@Test
	void whenFileHasBytesThatAreNoCharactersThenItIsDamagedAndNotUnusable() throws Exception {
		AcmeStore store = store(this.folder);
		store.create();
		Files.write(store.certificate("ec"), new byte[] { (byte) 0xFF, (byte) 0xC3, 0 });
		assertThat(store.readCertificate(store.certificate("ec"))).isNull();
	}

	// Whatever the file says, the certificate is neither due for good nor never
	@ParameterizedTest
	@CsvSource({ "Obtained 2026-01-05T00:00:00Z, 2026-01-05T00:00:00Z",
			"Obtained 2025-01-05T00:00:00Z, 2026-01-01T00:00:00Z",
			"Obtained +1000000000-12-31T23:59:59Z, 2026-01-11T00:00:00Z",
			"Obtained -1000000000-01-01T00:00:00Z, 2026-01-01T00:00:00Z",
			"Obtained 2026-13-45T00:00:00Z, 2026-01-01T00:00:00Z", "Obtained soon, 2026-01-01T00:00:00Z",
			"Obtained, 2026-01-01T00:00:00Z" })
	void whenFileSaysWhenTheCertificateArrivedThenItIsWhileTheCertificateIsValid(String line, Instant begin)
			throws Exception {
		X509Certificate leaf = new CertificateIssuer(new X500Principal("CN=CA"), Duration.ofDays(10))
			.selfSign(AcmeKeyType.EC.createKey(), List.of("localhost"), NOW);
		Instant notBefore = leaf.getNotBefore().toInstant();
		AcmeCertificate certificate = new AcmeCertificate("Issued by a for b\n" + line + "\n-----BEGIN", leaf);
		assertThat(certificate.begin()).isEqualTo(
				begin.equals(NOW) ? notBefore : begin.isAfter(certificate.expiry()) ? certificate.expiry() : begin);
	}

	@Test
	void whenPauseIsWrittenThenItIsReadAgain() throws Exception {
		AcmeStore store = store(this.folder);
		store.create();
		AcmeStore.Pause pause = new AcmeStore.Pause(3, NOW);
		store.write("ec", pause);
		assertThat(store.pause("ec")).isEqualTo(pause);
		assertThat(store.pause("rsa")).isEqualTo(AcmeStore.Pause.NONE);
		store.write("ec", AcmeStore.Pause.NONE);
		assertThat(store.pauseFile("ec")).doesNotExist();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "\u00ff\u0000", "1", "x y", "-1 2026-01-01T00:00:00Z", "0 2026-01-01T00:00:00Z",
			"99999999999 2026-01-01T00:00:00Z", "1 soon", "1 2026-13-45T00:00:00Z" })
	void whenPauseIsDamagedThenThereIsNone(String content) throws Exception {
		AcmeStore store = store(this.folder);
		store.create();
		Files.write(store.pauseFile("ec"), content.getBytes(StandardCharsets.ISO_8859_1));
		assertThat(store.pause("ec")).isEqualTo(AcmeStore.Pause.NONE);
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
