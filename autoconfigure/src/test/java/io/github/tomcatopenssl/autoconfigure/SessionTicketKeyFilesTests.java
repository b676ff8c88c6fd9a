// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.ReloadableFiles;
import io.github.tomcatopenssl.host.SessionTicketKey;
import io.github.tomcatopenssl.host.SessionTicketKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.io.ApplicationResourceLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of {@link SessionTicketKeyFiles}, without a server.
 */
class SessionTicketKeyFilesTests {

	private final List<ReloadableFiles<?>> watched = new ArrayList<>();

	private final List<List<SessionTicketKey>> used = new ArrayList<>();

	private long now = System.nanoTime();

	@TempDir
	private Path folder;

	@ParameterizedTest
	@CsvSource({ "0, it has 0 bytes", "16, it has 16 bytes", "47, it has 47 bytes", "49, it has 49 bytes",
			"79, it has 79 bytes", "81, it has more than 80 bytes", "100000, it has more than 80 bytes" })
	void whenLengthIsWrongThenFails(int length, String reason) throws Exception {
		fails(write("ticket.key", length, "rw-------"), reason + ", but a key has 48 or 80",
				"Create another file with 'openssl rand -out FILE 80'");
	}

	@ParameterizedTest
	@ValueSource(strings = { "rw-r--r--", "rw-----w-", "r--r--r--" })
	void whenAllUsersCanReadOrWriteItThenFails(String permissions) throws Exception {
		Path file = write("ticket.key", 80, permissions);
		Path link = Files.createSymbolicLink(this.folder.resolve("link.key"), file);
		for (Path location : List.of(file, link)) {
			fails(location, "all users of this machine can read or write it", "'defaultMode: 0440'");
		}
	}

	@Test
	void whenThereIsNoFileThenFails() throws Exception {
		fails(this.folder.resolve("missing.key"), "it does not exist", "openssl rand -out ");
		fails(this.folder, "it is not a regular file", "Set 'server.ssl.session-ticket-key-files[0]' to a file");
		fails(Path.of("/dev/zero"), "it is not a regular file", "Set 'server.ssl.session-ticket-key-files[0]'");
		for (String location : List.of("", "classpath:application.properties", "https://localhost/ticket.key")) {
			assertThatExceptionOfType(CertificateFileException.class).isThrownBy(() -> keys(location).of(true))
				.returns("it is not a file in the file system", CertificateFileException::getReason);
		}
	}

	@Test
	void whenLocationIsTheKeyItselfThenDoesNotShowIt() {
		assertThatExceptionOfType(CertificateFileException.class).isThrownBy(() -> keys("base64:c2VjcmV0").of(true))
			.withMessageNotContaining("c2VjcmV0")
			.returns("base64:...", CertificateFileException::getFile)
			.returns("it is not a file in the file system", CertificateFileException::getReason);
	}

	@Test
	void whenFilesAreGoodThenTheyAreReadInTheirOrderAndWatched() throws Exception {
		Path first = write("first.key", 48, "r--r-----");
		Path second = write("second.key", 80, "r--------");
		SessionTicketKeyFiles keys = keys(first.toString(), second.toString());
		assertThat(keys.of(true)).isSameAs(keys.of(true));
		assertThat(shared(keys).keys()).containsExactly(SessionTicketKey.of(Files.readAllBytes(first)),
				SessionTicketKey.of(Files.readAllBytes(second)));
		assertThat(this.watched).containsExactly(keys);
		assertThat(keys.of(false)).isNull();
		assertThat(keys().of(true)).isNull();
	}

	@Test
	void whenFilesChangeThenTheyAreUsedOnceTheyStayTheSame() throws Exception {
		Path file = write("ticket.key", 80, "rw-------");
		SessionTicketKeyFiles keys = keys(file.toString());
		keys.of(true);
		shared(keys).addUser((replaced) -> () -> this.used.add(replaced));
		poll(keys, 5);
		assertThat(this.used).isEmpty();
		byte[] replacement = Files.readAllBytes(write("other.key", 48, "rw-------"));
		Files.write(file, new byte[10]);
		poll(keys, 1);
		Files.write(file, replacement);
		poll(keys, 2);
		assertThat(this.used).isEmpty();
		assertThat(keys.status().problem()).isNull();
		poll(keys, 1);
		assertThat(this.used).containsExactly(List.of(SessionTicketKey.of(replacement)));
		assertThat(keys.status().succeeded()).isOne();
	}

	@Test
	void whenFilesAreRefusedThenKeysStay() throws Exception {
		Path file = write("ticket.key", 80, "rw-------");
		SessionTicketKeyFiles keys = keys(file.toString());
		keys.of(true);
		List<SessionTicketKey> before = shared(keys).keys();
		Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
		poll(keys, 60);
		assertThat(shared(keys).keys()).isEqualTo(before);
		assertThat(keys.status().failed()).isOne();
		assertThat(keys.status().problem()).startsWith("The session ticket keys were not replaced")
			.contains("all users of this machine can read");
	}

	@Test
	void whenUserRefusesThenKeysBeforeStayAndItIsTriedAgain() throws Exception {
		Path file = write("ticket.key", 80, "rw-------");
		SessionTicketKeyFiles keys = keys(file.toString());
		keys.of(true);
		List<SessionTicketKey> before = shared(keys).keys();
		SessionTicketKeys.User user = (replaced) -> {
			throw new IllegalArgumentException("no context");
		};
		shared(keys).addUser((replaced) -> () -> this.used.add(replaced));
		shared(keys).addUser(user);
		Files.write(file, Files.readAllBytes(write("other.key", 80, "rw-------")));
		poll(keys, 3);
		assertThat(shared(keys).keys()).isEqualTo(before);
		assertThat(keys.status().problem()).contains("no context");
		assertThat(this.used).isEmpty();
		shared(keys).removeUser(user);
		poll(keys, 2);
		assertThat(shared(keys).keys()).isNotEqualTo(before);
		assertThat(keys.status().problem()).isNull();
	}

	private void fails(Path file, String reason, String action) {
		assertThatExceptionOfType(CertificateFileException.class).isThrownBy(() -> keys(file.toString()).of(true))
			.satisfies((ex) -> {
				assertThat(ex.getProperty()).isEqualTo("server.ssl.session-ticket-key-files[0]");
				assertThat(ex.getFile()).isEqualTo(file.toString());
				assertThat(ex.getReason()).isEqualTo(reason);
				assertThat(ex.getAction()).contains(action);
			});
		assertThat(this.watched).isEmpty();
	}

	private void poll(SessionTicketKeyFiles keys, int seconds) {
		for (int i = 0; i < seconds; i++) {
			this.now += Duration.ofSeconds(1).toNanos();
			keys.poll(Duration.ofSeconds(2), this.now);
		}
	}

	private static SessionTicketKeys shared(SessionTicketKeyFiles files) {
		return Objects.requireNonNull(files.of(true));
	}

	private SessionTicketKeyFiles keys(String... files) {
		return new SessionTicketKeyFiles(List.of(files), ApplicationResourceLoader.get(), this.watched::add);
	}

	private Path write(String name, int length, String permissions) throws Exception {
		byte[] content = new byte[length];
		new SecureRandom().nextBytes(content);
		Path file = Files.write(this.folder.resolve(name), content);
		return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
	}

}
