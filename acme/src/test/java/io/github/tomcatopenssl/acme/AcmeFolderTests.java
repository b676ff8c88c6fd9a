// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.TlsClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.ssl.SslBundles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for an {@link AcmeCertificateSource} whose folder cannot be used. It is a file
 * system of its own, which only root can have.
 */
@Tag("servers")
class AcmeFolderTests {

	private static final String CHECK = "Check that the folder of 'server.ssl.acme.directory' exists and belongs to the user that runs the application ('%s'), and that its file system is writable and has space"
		.formatted(System.getProperty("user.name"));

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@TempDir
	private Path temporary;

	private Path folder;

	private ControlledCa ca;

	private final List<AcmeApplication> servers = new ArrayList<>();

	@BeforeEach
	void mount() throws Exception {
		this.folder = Files.createDirectory(this.temporary.resolve("store"));
		Commands.Result mount = Commands.run("",
				List.of("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", this.folder.toString()));
		Assumptions.assumeTrue(mount.status() == 0, () -> "Nothing can be mounted: " + mount.output());
		this.ca = new ControlledCa(this.temporary.resolve("ca"));
		this.ca.lifetime = Duration.ofMinutes(10);
		this.ca.backdated = Duration.ofMinutes(4);
		this.ca.renewal = (certificate) -> Instant.now().plusSeconds(60);
	}

	@AfterEach
	void stop() {
		this.servers.forEach(AcmeApplication::close);
		if (this.ca != null) {
			this.ca.close();
			Commands.run("", List.of("umount", this.folder.toString())).orFail();
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenFolderFailsThenTheCertificateStaysAndTheProblemIsNamed(Fault fault) throws Exception {
		AcmeApplication server = start("localhost");
		Awaitility.await().atMost(PATIENCE).until(() -> this.ca.issued.size() == 1 && served(server).equals(issued(0)));
		this.ca.renewal = (certificate) -> Instant.now().plusSeconds(certificate.equals(issued(0)) ? -60 : 60);
		// More than a third of the time for which it can be in use
		this.ca.ahead = Duration.ofMinutes(3);
		fault.happen(this.folder);
		again(server);
		Awaitility.await().atMost(PATIENCE).until(() -> problem(server) != null);
		assertThat(problem(server)).startsWith("'" + this.folder + "/localhost-")
			.contains("' cannot be used: " + fault.reason + ". ")
			.endsWith(fault.action);
		assertThat(((HealthIndicator) server.bean(AcmeHealthIndicator.class)).health().getStatus())
			.isEqualTo(Status.UP);
		assertThat(TlsClient.connect(server.port()).isServed()).isTrue();
		assertThat(served(server)).isEqualTo(issued(0));
		fault.repair(this.folder);
		again(server);
		Awaitility.await().atMost(PATIENCE).until(() -> this.ca.issued.size() == 2 && served(server).equals(issued(1)));
		assertThat(this.ca.orderRequests).hasValue(2);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "GONE")
	void whenServerStartsWithAFolderThatFailsThenItServesWhatIsThereOrSaysWhy(Fault fault) throws Exception {
		AcmeApplication server = start("localhost");
		Awaitility.await().atMost(PATIENCE).until(() -> this.ca.issued.size() == 1 && served(server).equals(issued(0)));
		server.close();
		fault.happen(this.folder);
		assertThat(served(start("localhost"))).isEqualTo(issued(0));
		assertThat(catchThrowable(() -> start("localhost,www.example.com")))
			.hasStackTraceContaining(TlsSettingException.class.getName()
					+ ": 'server.ssl.acme.directory' ('%s'): the certificate cannot be stored in this folder: '%s/"
						.formatted(this.folder, this.folder))
			.hasStackTraceContaining("' cannot be used: " + fault.reason);
	}

	// As lost+found, which only root can read, at the top of a volume. The folder of a
	// process that has ended cannot be read by root either
	@Test
	void whenAnotherFolderOfTheVolumeCannotBeReadThenServerStarts() throws Exception {
		Path other = Files.createDirectory(this.folder.resolve("lost+found"));
		Process process = new ProcessBuilder("sleep", "60").start();
		Commands.run("", List.of("mount", "--bind", "/proc/%d/fd".formatted(process.pid()), other.toString())).orFail();
		process.destroyForcibly().waitFor();
		try {
			assertThat(other).doesNotExist();
			AcmeApplication server = start("localhost");
			Awaitility.await()
				.atMost(PATIENCE)
				.until(() -> this.ca.issued.size() == 1 && served(server).equals(issued(0)));
		}
		finally {
			Commands.run("", List.of("umount", other.toString())).orFail();
		}
	}

	private X509Certificate issued(int index) {
		return this.ca.issued.get(index).certificate();
	}

	private AcmeApplication start(String domains) {
		List<String> properties = new ArrayList<>(this.ca.properties(this.folder));
		properties.add("server.ssl.acme.domains=" + domains);
		properties.add("server.ssl.openssl.mode=never");
		AcmeApplication server = AcmeApplication.start(Object.class, properties);
		this.servers.add(server);
		return server;
	}

	private static String problem(AcmeApplication server) {
		return server.bean(AcmeCertificateSource.class).certificates().status().problem();
	}

	// As after a while
	private static void again(AcmeApplication server) {
		AcmeRenewal renewal = server.bean(AcmeRenewal.class);
		renewal.stop();
		renewal.start();
	}

	private static X509Certificate served(AcmeApplication server) throws Exception {
		KeyStore keys = server.bean(SslBundles.class).getBundle("server-ssl").getStores().getKeyStore();
		return (X509Certificate) keys.getCertificate(keys.aliases().nextElement());
	}

	/**
	 * What is wrong with a folder.
	 */
	enum Fault {

		FULL("No space left on device", "Free space on the file system") {

			@Override
			void happen(Path folder) throws IOException {
				try (OutputStream rest = Files.newOutputStream(folder.resolve("rest"))) {
					while (true) {
						rest.write(new byte[1024]);
					}
				}
				catch (IOException ex) {
					assertThat(ex).hasMessage("No space left on device");
				}
			}

			@Override
			void repair(Path folder) throws IOException {
				Files.delete(folder.resolve("rest"));
			}

		},

		READ_ONLY("Read-only file system", CHECK) {

			@Override
			void happen(Path folder) {
				Commands.run("", List.of("mount", "-o", "remount,ro", folder.toString())).orFail();
			}

			@Override
			void repair(Path folder) {
				Commands.run("", List.of("mount", "-o", "remount,rw", folder.toString())).orFail();
			}

		},

		/**
		 * As if somebody had deleted it.
		 */
		GONE("it, or its folder, does not exist", CHECK) {

			@Override
			void happen(Path folder) throws IOException {
				Path subfolder = only(folder);
				Files.move(subfolder, subfolder.resolveSibling(subfolder.getFileName() + AWAY));
			}

			@Override
			void repair(Path folder) throws IOException {
				Path away = only(folder);
				Files.move(away, away.resolveSibling(away.getFileName().toString().replace(AWAY, "")));
			}

			private static Path only(Path folder) throws IOException {
				try (Stream<Path> files = Files.list(folder)) {
					return files.findFirst().orElseThrow();
				}
			}

		};

		private static final String AWAY = ".away";

		final String reason;

		final String action;

		Fault(String reason, String action) {
			this.reason = reason;
			this.action = action;
		}

		abstract void happen(Path folder) throws IOException;

		abstract void repair(Path folder) throws IOException;

	}

}
