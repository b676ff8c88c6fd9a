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
import java.util.Set;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.certificate.ReloadableFiles;
import io.github.tomcatopenssl.internal.host.EngineCapabilities;
import io.github.tomcatopenssl.internal.host.SessionTicketKey;
import io.github.tomcatopenssl.test.Commands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.io.ApplicationResourceLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests of {@link SessionTicketKeyFile}, without a server.
 */
class SessionTicketKeyFileTests {

	private final List<ReloadableFiles<?>> watched = new ArrayList<>();

	private long now = System.nanoTime();

	@TempDir
	private Path folder;

	@ParameterizedTest
	@CsvSource({ "0, it has 0 bytes", "16, it has 16 bytes", "47, it has 47 bytes", "49, it has 49 bytes",
			"79, it has 79 bytes", "81, it has more than 80 bytes", "100000, it has more than 80 bytes" })
	void whenLengthIsWrongThenFails(int length, String reason) throws Exception {
		fails(write("ticket.key", length, "rw-------"), reason + ", but a key has 48 or 80",
				"Create another file with '(umask 077 && openssl rand -out FILE 80)'");
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
		fails(this.folder, "it is not a regular file", "Set 'server.ssl.session-ticket-key-file' to a file");
		fails(Path.of("/dev/zero"), "it is not a regular file", "Set 'server.ssl.session-ticket-key-file'");
		for (String location : List.of("", "classpath:application.properties", "https://localhost/ticket.key")) {
			assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> ticketKey(location).of(engine(true)))
				.returns("it is not a file in the file system", (ex) -> ex.getReason(SettingName::toString));
		}
	}

	@Test
	void whenCommandOfTheMessageIsRunThenTheFileIsAccepted() throws Exception {
		Path file = Files.createDirectory(this.folder.resolve("my $keys")).resolve("ticket.key");
		run(action(file));
		assertThat(inUse(ticketKey(file.toString()))).isNotNull();
		Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
		run(action(file));
		assertThat(inUse(ticketKey(file.toString()))).isNotNull();
		Files.write(file, new byte[10]);
		String other = this.folder.resolve("other.key").toString();
		run(action(file).replace("FILE", other));
		assertThat(inUse(ticketKey(other))).isNotNull();
	}

	private String action(Path file) {
		return catchThrowableOfType(TlsSettingException.class, () -> ticketKey(file.toString()).of(engine(true)))
			.getAction(SettingName::toString);
	}

	private static void run(String action) {
		Commands.run("", List.of("sh", "-c", action.split("'")[1])).orFail();
	}

	@Test
	void whenLocationIsTheKeyItselfThenDoesNotShowIt() {
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> ticketKey("base64:c2VjcmV0").of(engine(true)))
			.withMessageNotContaining("c2VjcmV0")
			.returns("base64:...", TlsSettingException::getFile)
			.returns("it is not a file in the file system", (ex) -> ex.getReason(SettingName::toString));
	}

	@Test
	void whenFileIsGoodThenItIsReadOnceAndWatched() throws Exception {
		Path file = write("ticket.key", 48, "r--r-----");
		SessionTicketKeyFile key = ticketKey(file.toString());
		assertThat(inUse(key)).isSameAs(inUse(key));
		assertThat(derived(key)).isEqualTo(SessionTicketKey.of(Files.readAllBytes(file)).derive("host"));
		assertThat(this.watched).containsExactly(key);
		assertThat(key.of(engine(false))).isNull();
	}

	@Test
	void whenFileChangesThenItIsUsedOnceItStaysTheSame() throws Exception {
		Path file = write("ticket.key", 80, "rw-------");
		SessionTicketKeyFile key = ticketKey(file.toString());
		SessionTicketKey before = inUse(key);
		poll(key, 5);
		assertThat(inUse(key)).isSameAs(before);
		byte[] replacement = Files.readAllBytes(write("other.key", 48, "rw-------"));
		Files.write(file, new byte[10]);
		poll(key, 1);
		Files.write(file, replacement);
		poll(key, 2);
		assertThat(inUse(key)).isSameAs(before);
		assertThat(key.status().problem()).isNull();
		poll(key, 1);
		assertThat(derived(key)).isEqualTo(SessionTicketKey.of(replacement).derive("host"));
		assertThat(inUse(key).since()).isAfterOrEqualTo(before.since());
		assertThat(key.status().succeeded()).isOne();
	}

	@Test
	void whenFileIsRefusedThenKeyStays() throws Exception {
		Path file = write("ticket.key", 80, "rw-------");
		SessionTicketKeyFile key = ticketKey(file.toString());
		SessionTicketKey before = inUse(key);
		Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
		poll(key, 60);
		assertThat(inUse(key)).isSameAs(before);
		assertThat(key.status().failed()).isOne();
		assertThat(key.status().problem()).startsWith("The session ticket key was not replaced")
			.contains("all users of this machine can read");
	}

	private void fails(Path file, String reason, String action) {
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> ticketKey(file.toString()).of(engine(true)))
			.satisfies((ex) -> {
				assertThat(ex.getSetting(SettingName::toString)).isEqualTo("server.ssl.session-ticket-key-file");
				assertThat(ex.getFile()).isEqualTo(file.toString());
				assertThat(ex.getReason(SettingName::toString)).isEqualTo(reason);
				assertThat(ex.getAction(SettingName::toString)).contains(action);
			});
		assertThat(this.watched).isEmpty();
	}

	private void poll(SessionTicketKeyFile key, int seconds) {
		for (int i = 0; i < seconds; i++) {
			this.now += Duration.ofSeconds(1).toNanos();
			key.poll(Duration.ofSeconds(2), this.now);
		}
	}

	private static SessionTicketKey inUse(SessionTicketKeyFile files) {
		return Objects.requireNonNull(files.of(engine(true))).get().current();
	}

	private static byte[] derived(SessionTicketKeyFile files) {
		return inUse(files).derive("host");
	}

	private SessionTicketKeyFile ticketKey(String file) {
		return new SessionTicketKeyFile(file, ApplicationResourceLoader.get(), this.watched::add);
	}

	private Path write(String name, int length, String permissions) throws Exception {
		byte[] content = new byte[length];
		new SecureRandom().nextBytes(content);
		Path file = Files.write(this.folder.resolve(name), content);
		return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
	}

	private static EngineCapabilities engine(boolean sharedTicketKeys) {
		return new EngineCapabilities("engine", Set.of(), Set.of(), Set.of(), List.of(), List.of(), true, true,
				sharedTicketKeys);
	}

}
