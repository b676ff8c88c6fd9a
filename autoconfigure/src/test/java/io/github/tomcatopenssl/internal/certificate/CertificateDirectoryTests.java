// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.host.CertificateHost;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import io.github.tomcatopenssl.test.TestCertificates;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.io.ApplicationResourceLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link CertificateDirectory}. Each poll looks at the folder, and files count
 * at once.
 */
class CertificateDirectoryTests {

	private final TestCertificates certificates = TestCertificates.get();

	private final CertificateHosts hosts = new CertificateHosts();

	@TempDir
	private Path temporary;

	private Path folder;

	private CertificateDirectory directory;

	@BeforeEach
	void createFolder() throws IOException {
		this.folder = Files.createDirectory(this.temporary.resolve("folder"));
		this.directory = directory(this.folder);
	}

	@Test
	void whenFolderDoesNotExistThenFails() {
		CertificateDirectory missing = directory(this.temporary.resolve("missing"));
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(missing::load)
			.withMessageContaining("server.ssl.certificate-directory")
			.withMessageContaining("it does not exist");
	}

	@Test
	void whenFilesComeAndGoThenHostsDoToo() throws IOException {
		write("a.pem", "a.test");
		this.directory.load();
		assertThat(names()).containsExactly("a.test");
		write("b.pem", "b.test");
		this.directory.poll();
		assertThat(names()).containsExactly("a.test", "b.test");
		Files.delete(this.folder.resolve("a.pem"));
		this.directory.poll();
		assertThat(names()).containsExactly("b.test");
		assertThat(this.directory.status().problem()).isNull();
		assertThat(this.directory.status().succeeded()).isEqualTo(2);
	}

	@Test
	void whenFilesComeAndGoThenFlightRecorderShowsIt() throws IOException {
		Path recorded = this.temporary.resolve("directory.jfr");
		write("a.pem", "a.test");
		this.directory.load();
		try (Recording recording = new Recording()) {
			recording.start();
			Path file = write("b.pem", "b.test");
			this.directory.poll();
			Files.writeString(file, "nonsense");
			touch(file, 5);
			this.directory.poll();
			Files.delete(file);
			this.directory.poll();
			recording.dump(recorded);
		}
		List<RecordedEvent> events = RecordingFile.readAllEvents(recorded)
			.stream()
			.filter((event) -> event.getEventType().getName().equals("io.github.tomcatopenssl.CertificateReload"))
			.toList();
		assertThat(events).extracting((event) -> event.getString("outcome"))
			.containsExactly("added", "refused", "removed");
		assertThat(events)
			.allSatisfy((event) -> assertThat(event.getString("name")).isEqualTo("certificate-directory/b.pem"));
		assertThat(events.get(1).getString("problem")).contains("b.pem");
	}

	@Test
	void whenSecretAppearsInASubfolderThatIsThereThenItIsUsed() throws IOException {
		Path subfolder = Files.createDirectory(this.folder.resolve("secret"));
		this.directory.load();
		write("a.pem", "a.test");
		Files.delete(this.folder.resolve("a.pem"));
		Files.copy(this.certificates.file("p256.key"), subfolder.resolve("tls.key"));
		Files.copy(this.certificates.file("host.crt"), subfolder.resolve("tls.crt"));
		this.directory.poll();
		assertThat(names()).containsExactly("a.test");
		assertThat(this.directory.status().problem()).isNull();
	}

	@Test
	void whenReplacementCannotBeUsedThenTheOldOneStays() throws IOException {
		Path file = write("a.pem", "a.test");
		this.directory.load();
		CertificateHost before = this.hosts.find("a.test");
		Files.writeString(file, "nonsense");
		touch(file, 5);
		this.directory.poll();
		assertThat(this.hosts.find("a.test")).isSameAs(before);
		assertThat(this.directory.status().problem()).contains("a.pem").contains("1 of 1 certificates are not used");
		write("a.pem", "a.test");
		touch(file, 10);
		this.directory.poll();
		assertThat(this.directory.status().problem()).isNull();
	}

	@Test
	void whenAllFilesVanishAtOnceThenTheirHostsStay() throws IOException {
		write("a.pem", "a.test");
		write("b.pem", "b.test");
		this.directory.load();
		Path away = Files.move(this.folder, this.temporary.resolve("away"));
		this.directory.poll();
		assertThat(names()).containsExactly("a.test", "b.test");
		assertThat(this.directory.status().problem()).contains("it does not exist");
		Files.createDirectory(this.folder);
		this.directory.poll();
		assertThat(names()).containsExactly("a.test", "b.test");
		assertThat(this.directory.status().problem()).contains("have vanished at once");
		Files.delete(this.folder);
		Files.move(away, this.folder);
		this.directory.poll();
		assertThat(names()).containsExactly("a.test", "b.test");
		assertThat(this.directory.status().problem()).isNull();
	}

	@Test
	void whenChainIsWrongThenTheHostIsRefusedOnceItIsVerified() throws IOException {
		write("a.pem", "a.test");
		Files.copy(this.certificates.join("wrong-chain.pem", "host.crt", "ca.crt", "p256.key"),
				this.folder.resolve("wrong.pem"));
		Files.delete(this.folder.resolve("a.pem"));
		this.directory.load();
		assertThat(names()).containsExactly("a.test");
		this.directory.poll();
		assertThat(names()).isEmpty();
		assertThat(this.directory.status().problem()).contains("do not form a chain");
	}

	@Test
	void whenHostTurnsOutToBeUnusableThenItsFileIsNamed() throws IOException {
		write("a.pem", "a.test");
		this.directory.load();
		this.hosts.refuse(this.hosts.find("a.test"),
				new TlsSettingException("server.ssl", null, "the engine refuses it", "Use another one", null));
		this.directory.poll();
		assertThat(names()).isEmpty();
		assertThat(this.directory.status().problem()).contains("a.pem").contains("the engine refuses it");
	}

	private CertificateDirectory directory(Path path) {
		return new CertificateDirectory("server.ssl.certificate-directory", path.toFile(), this.hosts,
				ApplicationResourceLoader.get(), true, Duration.ZERO, Duration.ZERO, Clock.systemUTC());
	}

	private Path write(String file, String name) throws IOException {
		this.certificates.openssl("req", "-x509", "-key", "p256.key", "-subj", "/CN=" + name, "-addext",
				"subjectAltName=DNS:" + name, "-out", "host.crt");
		return Files.copy(this.certificates.join("host.pem", "host.crt", "p256.key"), this.folder.resolve(file),
				StandardCopyOption.REPLACE_EXISTING);
	}

	// What a clock with a coarse resolution would not show
	private static void touch(Path file, int seconds) throws IOException {
		Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis() + seconds * 1000L));
	}

	private List<String> names() {
		return this.hosts.all().stream().flatMap((host) -> host.serverNames().stream()).sorted().toList();
	}

}
