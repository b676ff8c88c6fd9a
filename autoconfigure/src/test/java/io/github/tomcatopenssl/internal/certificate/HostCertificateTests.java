// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.KeyStoreException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.certificate.CertificateReloads.Status;
import io.github.tomcatopenssl.internal.pem.PemSource.Content;
import io.github.tomcatopenssl.test.TestCertificates;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.io.ApplicationResourceLoader;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.Ssl;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * Tests for {@link HostCertificate} and {@link ReloadableFiles}, with a clock that the
 * test controls.
 */
@ExtendWith(OutputCaptureExtension.class)
class HostCertificateTests {

	private static final Duration QUIET_PERIOD = Duration.ofSeconds(2);

	private DefaultSslBundleRegistry registry;

	private @Nullable String caCertificateFile;

	private List<String> revocationListFiles = List.of();

	private final Ssl ssl = new Ssl();

	@TempDir
	private Path folder;

	private TestCertificates certificates;

	private HostCertificate certificate;

	private long now = System.nanoTime();

	private Instant instant;

	@BeforeEach
	void load() throws IOException {
		this.certificates = TestCertificates.get();
		this.instant = Instant.now();
		this.certificates.openssl("pkcs8", "-topk8", "-in", "p256.key", "-passout", "pass:" + TestCertificates.PASSWORD,
				"-out", "p256-locked.key");
		copy("p256.crt", "tls.crt");
		copy("p256.key", "tls.key");
		start();
	}

	private static @Nullable ConfiguredFile file(String property, @Nullable String location) {
		return (location != null) ? new ConfiguredFile("server.ssl." + property, location, Content.CAS) : null;
	}

	private void start() {
		start(null, "server.ssl.");
		this.registry.addBundleUpdateHandler("server-ssl", (ignored) -> {
		});
	}

	private void start(@Nullable String serverName, String prefix) {
		VirtualHostFiles files = new VirtualHostFiles(serverName,
				List.of(new CertificateFiles(prefix, this.folder.resolve("tls.crt").toString(),
						this.folder.resolve("tls.key").toString(), TestCertificates.PASSWORD, null)),
				file("ca-certificate-file", this.caCertificateFile),
				ConfiguredFile.revocationLists("server.ssl.certificate-revocation-list-file", this.revocationListFiles),
				null, null);
		InstantSource time = () -> this.instant;
		Clock clock = time.withZone(ZoneOffset.UTC);
		this.registry = new DefaultSslBundleRegistry();
		this.certificate = new HostCertificate(files, new CertificateFileBundles(this.ssl),
				() -> FileContent.read(files.files(), Map.of(), ApplicationResourceLoader.get(), System.nanoTime()),
				true, clock, (setting) -> "tls." + setting);
		this.certificate.register(this.registry);
	}

	@Test
	void whenNothingChangesThenDoesNothing(CapturedOutput output) {
		SslBundle bundle = bundle();
		pass(Duration.ofMinutes(1));
		assertThat(bundle()).isSameAs(bundle);
		assertThat(output).doesNotContain("reloaded");
	}

	@Test
	void whenFilesAreReplacedThenFlightRecorderShowsIt() throws IOException {
		Path recorded = this.folder.resolve("reload.jfr");
		try (Recording recording = new Recording()) {
			recording.start();
			copy("p384.crt", "tls.crt");
			copy("p384.key", "tls.key");
			pass(Duration.ofSeconds(10));
			copy("rsa.crt", "tls.crt");
			pass(Duration.ofSeconds(10));
			recording.dump(recorded);
		}
		List<RecordedEvent> events = RecordingFile.readAllEvents(recorded)
			.stream()
			.filter((event) -> event.getEventType().getName().equals("io.github.tomcatopenssl.CertificateReload"))
			.toList();
		assertThat(events).hasSizeGreaterThan(1)
			.allSatisfy((event) -> assertThat(event.getString("name")).isEqualTo("server-ssl"));
		assertThat(events.get(0)).satisfies((event) -> {
			assertThat(event.getString("outcome")).isEqualTo("replaced");
			assertThat(event.getString("problem")).isNull();
			assertThat(event.getDuration()).isPositive();
		});
		assertThat(events.get(1)).satisfies((event) -> {
			assertThat(event.getString("outcome")).isEqualTo("refused");
			assertThat(event.getString("problem")).isEqualTo(this.certificate.status().problem());
		});
	}

	@Test
	void whenCertificateIsTwiceInTheFileThenWarnsAtStartAndAtReload(CapturedOutput output) throws IOException {
		String warning = "its certificate 2 ('CN=%s') is in the chain twice, and is left out. Remove it from the file";
		this.certificates.join("p256-twice.crt", "p256.crt", "p256.crt");
		this.certificates.join("p384-twice.crt", "p384.crt", "p384.crt");
		copy("p256-twice.crt", "tls.crt");
		start();
		assertThat(output).containsOnlyOnce(warning.formatted("p256"));
		copy("p384-twice.crt", "tls.crt");
		copy("p384.key", "tls.key");
		pass(Duration.ofMinutes(1));
		assertThat(output).containsOnlyOnce(warning.formatted("p384"));
		assertThat(this.certificate.status().problem()).isNull();
	}

	private X509Certificate leaf(String name) {
		return this.certificates.certificate(name + ".crt");
	}

	@Test
	void whenFilesAreReplacedThenReloadsWithinTenSeconds(CapturedOutput output) throws IOException {
		replace("p384");
		pass(Duration.ofSeconds(10));
		assertServes("p384");
		assertThat(output).containsOnlyOnce("INFO")
			.containsOnlyOnce("SSL bundle 'server-ssl' was reloaded: the certificate 'CN=p384' in '"
					+ this.folder.resolve("tls.crt") + "' is valid until ");
		X509Certificate leaf = leaf("p384");
		assertThat(output).contains(", from %s, serial number %s".formatted(leaf.getNotBefore().toInstant(),
				leaf.getSerialNumber().toString(16)));
		assertThat(this.certificate.status()).satisfies((status) -> {
			assertThat(status.succeeded()).isOne();
			assertThat(status.failed()).isZero();
			assertThat(status.lastSuccess()).isEqualTo(this.instant);
			assertThat(status.problem()).isNull();
		});
	}

	@Test
	void whenFilesAreStillBeingWrittenThenWaitsWithoutReport(CapturedOutput output) throws IOException {
		copy("p384.crt", "tls.crt");
		pass(Duration.ofSeconds(4));
		assertServes("p256");
		copy("p384.key", "tls.key");
		pass(Duration.ofSeconds(10));
		assertServes("p384");
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void whenFileIsCompleteAsPemButStillGrowsThenWaits() throws IOException {
		this.certificates.join("chain.crt", "leaf.crt", "intermediate.crt");
		copy("leaf.key", "tls.key");
		copy("leaf.crt", "tls.crt");
		pass(Duration.ofSeconds(1));
		copy("chain.crt", "tls.crt");
		pass(Duration.ofSeconds(1));
		assertServes("p256");
		pass(Duration.ofSeconds(9));
		assertThat(chain()).hasSize(2);
		assertThat(this.certificate.status().succeeded()).isOne();
	}

	@Test
	void whenFilesNeverStopChangingThenUsesWhatIsThereWithinTenSeconds(CapturedOutput output) throws IOException {
		List<String> names = List.of("p384", "rsa", "p256");
		for (int second = 0; second < 8; second++) {
			replace(names.get(second % 3));
			pass(Duration.ofSeconds(1));
			assertServes("p256");
		}
		replace("p384");
		pass(Duration.ofSeconds(1));
		assertServes("p384");
		replace("rsa");
		pass(Duration.ofSeconds(2));
		assertServes("p384");
		pass(Duration.ofSeconds(1));
		assertServes("rsa");
		assertThat(output).doesNotContain("WARN");
		assertThat(this.certificate.status().succeeded()).isEqualTo(2);
	}

	@Test
	void whenPairNeverMatchesWhileFilesChangeThenSaysSoOnce(CapturedOutput output) throws IOException {
		SslBundle bundle = bundle();
		for (int second = 0; second < 30; second++) {
			copy((second % 2 == 0) ? "rsa.key" : "p384.key", "tls.key");
			pass(Duration.ofSeconds(1));
			assertThat(output.toString().contains("WARN")).isEqualTo(second >= 8);
		}
		assertThat(bundle()).isSameAs(bundle);
		assertThat(output).containsOnlyOnce("WARN")
			.contains("SSL bundle 'server-ssl' was not reloaded", "the private key does not belong to the certificate");
		assertThat(this.certificate.status().failed()).isOne();
		assertThat(this.certificate.status().problem()).contains("does not belong");
		replace("p384");
		pass(Duration.ofSeconds(3));
		assertServes("p384");
		assertThat(this.certificate.status().problem()).isNull();
	}

	@Test
	void whenOnlyTheContentChangesThenReloads() throws IOException {
		Path file = this.folder.resolve("tls.crt");
		FileTime time = Files.getLastModifiedTime(file);
		this.certificates.openssl("req", "-x509", "-key", "p256.key", "-days", "30", "-subj", "/CN=p999", "-out",
				"p999.crt");
		copy("p999.crt", "tls.crt");
		Files.setLastModifiedTime(file, time);
		this.instant = Instant.now();
		pass(Duration.ofSeconds(3));
		assertServes("p999");
	}

	@Test
	void whenFileIsNotInTheFileSystemThenIsReadOnce() {
		List<String> read = new ArrayList<>();
		ResourceLoader resources = new DefaultResourceLoader() {

			@Override
			public Resource getResource(String location) {
				read.add(location);
				return location.startsWith("memory:") ? new ByteArrayResource(new byte[1])
						: new FileSystemResource(location);
			}

		};
		String file = this.folder.resolve("tls.crt").toString();
		List<ConfiguredFile> files = List.of(new ConfiguredFile("one", "memory:one", Content.CERTIFICATES),
				new ConfiguredFile("other", file, Content.CERTIFICATES));
		Map<String, FileContent> before = FileContent.read(files, Map.of(), resources, 0);
		read.clear();
		assertThat(FileContent.read(files, before, resources, 0)).isEqualTo(before);
		assertThat(read).containsExactly(file);
	}

	static List<Object> replacements() {
		return List.of(replacement("deleted", "it does not exist", (path) -> Files.delete(path)),
				replacement("emptied", "it is empty", (path) -> Files.writeString(path, "")),
				replacement("truncated", "truncated",
						(path) -> Files.writeString(path, Files.readString(path).substring(0, 200))),
				replacement("folder", "it is a folder", (path) -> {
					Files.delete(path);
					Files.createDirectory(path);
				}), replacement("text", "not in PEM format", (path) -> Files.writeString(path, "certificate")),
				replacement("DER", "DER format", (path) -> Files.write(path, new byte[] { 0x30, 0x1, 0x1 })),
				replacement("link loop", "its symbolic links form a loop", (path) -> {
					Files.delete(path);
					Files.createSymbolicLink(path, path.resolveSibling("loop"));
					Files.deleteIfExists(path.resolveSibling("loop"));
					Files.createSymbolicLink(path.resolveSibling("loop"), path);
				}), replacement("unreadable", "it cannot be read", (path) -> {
					Files.delete(path);
					// Its beginning is no memory of the process
					Files.createSymbolicLink(path, Path.of("/proc/self/mem"));
				}), replacement("endless", "it is not a regular file", (path) -> {
					Files.delete(path);
					Files.createSymbolicLink(path, Path.of("/dev/zero"));
				}));
	}

	private static Object replacement(String name, String reason, FileChange change) {
		return argumentSet(name, reason, change);
	}

	@ParameterizedTest
	@MethodSource("replacements")
	void whenReplacementCannotBeUsedThenKeepsTheOldOneAndRecovers(String reason, FileChange change,
			CapturedOutput output) throws IOException {
		for (String file : List.of("tls.crt", "tls.key")) {
			int logged = output.toString().length();
			SslBundle bundle = bundle();
			change.apply(this.folder.resolve(file));
			pass(Duration.ofMinutes(2));
			assertThat(bundle()).isSameAs(bundle);
			assertThat(output.toString().substring(logged)).containsOnlyOnce("WARN")
				.containsOnlyOnce("SSL bundle 'server-ssl' was not reloaded, and its previous content stays in use. '")
				.contains("-file' ('" + this.folder.resolve(file) + "'): ")
				.contains(reason);
			assertThat(this.certificate.status().problem()).contains(reason);
			deleteFolder(this.folder.resolve(file));
			replace(subject().equals("p256") ? "p384" : "p256");
			pass(Duration.ofSeconds(10));
			assertThat(output.toString().substring(logged)).containsOnlyOnce("INFO").contains("was reloaded");
			assertThat(this.certificate.status().problem()).isNull();
		}
		assertThat(this.certificate.status()).satisfies((status) -> {
			assertThat(status.succeeded()).isEqualTo(2);
			assertThat(status.failed()).isEqualTo(2);
		});
	}

	@Test
	void whenKeyIsOfAnotherCertificateThenKeepsTheOldOne(CapturedOutput output) throws IOException {
		copy("other.key", "tls.key");
		refuses(output, "the private key does not belong to the certificate 'CN=p256'");
	}

	@Test
	void whenPasswordHasChangedThenKeepsTheOldOneAndDoesNotShowIt(CapturedOutput output) throws IOException {
		this.certificates.openssl("pkcs8", "-topk8", "-in", "p256.key", "-passout", "pass:battery staple", "-out",
				"changed.key");
		copy("changed.key", "tls.key");
		refuses(output, "cannot be decrypted with the password in 'server.ssl.certificate-key-password'");
		assertThat(output).doesNotContain("battery", TestCertificates.PASSWORD);
		copy("p256-locked.key", "tls.key");
		pass(Duration.ofSeconds(10));
		assertThat(this.certificate.status().succeeded()).isOne();
	}

	@Test
	void whenCertificateIsExpiredThenKeepsTheOldOne(CapturedOutput output) throws IOException {
		copy("expired.crt", "tls.crt");
		copy("expired.crt", "tls.key");
		refuses(output, "the certificate 'CN=expired' expired on ");
	}

	@Test
	void whenCaOfTheChainHasExpiredThenUsesTheRenewedCertificate(CapturedOutput output) throws IOException {
		this.certificates.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
				"-days", "1", "-subj", "/CN=Old CA", "-keyout", "old-ca.key", "-out", "old-ca.crt");
		this.certificates.openssl("x509", "-req", "-in", "leaf.csr", "-CA", "old-ca.crt", "-CAkey", "old-ca.key",
				"-CAcreateserial", "-days", "30", "-out", "renewed.crt");
		this.instant = this.instant.plus(Duration.ofDays(5));
		Files.copy(this.certificates.join("renewed-chain.crt", "renewed.crt", "old-ca.crt"),
				this.folder.resolve("tls.crt"), StandardCopyOption.REPLACE_EXISTING);
		copy("leaf.key", "tls.key");
		pass(Duration.ofSeconds(10));
		assertServes("leaf");
		assertThat(chain()).hasSize(2);
		assertThat(this.certificate.status()).returns(1L, Status::succeeded).returns(null, Status::problem);
		assertThat(output)
			.containsOnlyOnce("tls.crt'): the certificate 'CN=Old CA' of the chain expired on "
					+ leaf("old-ca").getNotAfter().toInstant() + ". Remove it from the file, or replace it")
			.containsOnlyOnce("WARN");
	}

	@Test
	void whenCertificateInUseHasExpiredThenOtherFilesAreStillReplaced() throws IOException {
		this.caCertificateFile = this.certificates.file("ca.crt").toString();
		this.revocationListFiles = List.of(this.folder.resolve("ca.crl").toString());
		Files.copy(this.certificates.revocationList("ca", "ca.crl"), this.folder.resolve("ca.crl"));
		copy("expired.crt", "tls.crt");
		copy("expired.crt", "tls.key");
		this.instant = Instant.now();
		start();
		this.certificates.issue("ca", "late", "extendedKeyUsage=clientAuth", "20250101000000Z", "20980101000000Z");
		this.certificates.revoke("ca", "late");
		Files.copy(this.certificates.revocationList("ca", "ca.crl"), this.folder.resolve("ca.crl"),
				StandardCopyOption.REPLACE_EXISTING);
		this.instant = Instant.now();
		pass(Duration.ofSeconds(10));
		assertThat(this.certificate.status()).returns(1L, Status::succeeded).returns(null, Status::problem);
		assertThat(this.certificate.revocationLists()).singleElement()
			.satisfies((list) -> assertThat(list.isRevoked(leaf("late"))).isTrue());
	}

	@Test
	void whenCertificateIsNotYetValidThenUsesItOnceItIs(CapturedOutput output) throws IOException {
		copy("not-yet-valid.crt", "tls.crt");
		copy("not-yet-valid.crt", "tls.key");
		refuses(output, "the certificate 'CN=not-yet-valid' is not valid before ");
		this.instant = this.instant.plus(Duration.ofDays(45));
		pass(Duration.ofSeconds(15));
		assertServes("not-yet-valid");
		assertThat(output).containsOnlyOnce("WARN");
	}

	@Test
	void whenOldFilesAreRestoredThenSaysSoOnce(CapturedOutput output) throws IOException {
		Files.writeString(this.folder.resolve("tls.crt"), "");
		refuses(output, "it is empty");
		copy("p256.crt", "tls.crt");
		pass(Duration.ofSeconds(10));
		assertThat(output).containsOnlyOnce("INFO")
			.containsOnlyOnce("The files of SSL bundle 'server-ssl' again have the content that is in use");
		assertThat(this.certificate.status().problem()).isNull();
	}

	@Test
	void whenReasonChangesThenReportsTheNewOne(CapturedOutput output) throws IOException {
		Files.writeString(this.folder.resolve("tls.crt"), "");
		pass(Duration.ofMinutes(1));
		Files.delete(this.folder.resolve("tls.crt"));
		pass(Duration.ofMinutes(1));
		assertThat(output.getAll().lines().filter((line) -> line.contains("WARN"))).hasSize(2)
			.satisfiesExactly((line) -> assertThat(line).contains("it is empty"),
					(line) -> assertThat(line).contains("it does not exist"));
	}

	@Test
	void whenConsumerRefusesBundleThenEverybodyHasTheOldOne(CapturedOutput output) throws IOException {
		SslBundle bundle = bundle();
		List<SslBundle> updates = new ArrayList<>();
		this.registry.addBundleUpdateHandler("server-ssl", updates::add);
		this.registry.addBundleUpdateHandler("server-ssl", (updated) -> {
			if (updated != bundle) {
				throw new IllegalArgumentException("unsupported key");
			}
		});
		replace("p384");
		pass(Duration.ofSeconds(3));
		assertThat(bundle()).isSameAs(bundle);
		assertThat(updates).as("the new one, and the old one again").hasSize(2).last().isSameAs(bundle);
		refuses(output, "java.lang.IllegalArgumentException: unsupported key");
		assertThat(updates).as("tries that become rarer").hasSizeBetween(10, 20).last().isSameAs(bundle);
	}

	@Test
	void whenConnectorRefusesBundleThenMessageNamesProperties(CapturedOutput output) throws IOException {
		consumerThatThrows(Integer.MAX_VALUE,
				new IllegalArgumentException(new TlsSettingException(SettingName.CERTIFICATE,
						new SettingText("no suite in %s fits", SettingName.CIPHERS),
						new SettingText("Correct %s", SettingName.CIPHERS), null)));
		replace("p384");
		refuses(output, "'server.ssl.certificate-file' ('" + this.folder.resolve("tls.crt")
				+ "'): no suite in 'tls.ciphers' fits. Correct 'tls.ciphers'");
	}

	@Test
	void whenConsumerThrowsOnceThenTriesAgainSoon(CapturedOutput output) throws IOException {
		consumerThatThrows(1, new IllegalStateException("not now"));
		replace("p384");
		pass(Duration.ofSeconds(3));
		assertServes("p256");
		assertThat(this.certificate.status().problem()).contains("its previous content stays in use",
				"a consumer of the SSL bundle refuses it: java.lang.IllegalStateException: not now");
		pass(Duration.ofSeconds(7));
		assertServes("p384");
		assertThat(this.certificate.status()).satisfies((status) -> {
			assertThat(status.problem()).isNull();
			assertThat(status.succeeded()).isOne();
			assertThat(status.failed()).isOne();
		});
		assertThat(output).containsOnlyOnce("WARN").containsOnlyOnce("was reloaded");
	}

	@Test
	void whenConsumerGoesOnThrowingThenTriesAtLeastEveryFiveMinutes() throws IOException {
		AtomicInteger tries = consumerThatThrows(Integer.MAX_VALUE, new NoClassDefFoundError("com/example/Client"));
		replace("p384");
		pass(Duration.ofHours(1));
		assertThat(tries).hasValueBetween(17, 22);
		assertThat(this.certificate.status().problem()).contains("NoClassDefFoundError");
		tries.set(Integer.MIN_VALUE);
		pass(Duration.ofMinutes(5));
		assertServes("p384");
	}

	@Test
	void whenOtherFilesFollowAfterARefusalByAConsumerThenDoesNotWaitForTheNextTry() throws IOException {
		AtomicInteger tries = consumerThatThrows(Integer.MAX_VALUE, new IllegalStateException("not now"));
		replace("p384");
		pass(Duration.ofHours(1));
		tries.set(Integer.MIN_VALUE);
		replace("rsa");
		pass(Duration.ofSeconds(10));
		assertServes("rsa");
	}

	private AtomicInteger consumerThatThrows(int times, Throwable failure) {
		SslBundle bundle = bundle();
		AtomicInteger tries = new AtomicInteger();
		this.registry.addBundleUpdateHandler("server-ssl", (updated) -> {
			if (updated != bundle && tries.getAndIncrement() < times && tries.get() > 0) {
				ReflectionUtils.rethrowRuntimeException(failure);
			}
		});
		return tries;
	}

	@Test
	void whenFolderBehindSymbolicLinkIsSwappedThenReloads() throws IOException {
		Path first = Files.createDirectory(this.folder.resolve("..2026_01"));
		Path second = Files.createDirectory(this.folder.resolve("..2026_02"));
		for (String name : List.of("tls.crt", "tls.key")) {
			Files.copy(this.certificates.file("p256." + name.substring(4)), first.resolve(name));
			Files.copy(this.certificates.file("p384." + name.substring(4)), second.resolve(name));
			Files.delete(this.folder.resolve(name));
			Files.createSymbolicLink(this.folder.resolve(name), Path.of("..data", name));
		}
		Files.createSymbolicLink(this.folder.resolve("..data"), first.getFileName());
		start();
		Files.createSymbolicLink(this.folder.resolve("..data_tmp"), second.getFileName());
		Files.move(this.folder.resolve("..data_tmp"), this.folder.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
		deleteFolder(first);
		pass(Duration.ofSeconds(10));
		assertServes("p384");
	}

	@Test
	void whenRevocationListIsOutdatedOrDamagedThenKeepsTheOldOne(CapturedOutput output) throws IOException {
		Path file = this.folder.resolve("ca.crl");
		Files.copy(this.certificates.revocationList("ca", "ca.crl"), file);
		this.caCertificateFile = this.certificates.file("ca.crt").toString();
		this.revocationListFiles = List.of(file.toString());
		this.instant = Instant.now();
		start();
		this.certificates.revocationList("ca", "outdated.crl", "-crl_lastupdate", "20250101000000Z", "-crl_nextupdate",
				"20250201000000Z");
		copy("outdated.crl", "ca.crl");
		refuses(output, "is outdated: a new one was due on 2025-02-01");
		Files.writeString(file, "");
		pass(Duration.ofMinutes(1));
		assertThat(this.certificate.status().problem())
			.contains("'server.ssl.certificate-revocation-list-file' ('" + file + "'): it is empty");
		Files.copy(this.certificates.revocationList("ca", "next.crl"), file, StandardCopyOption.REPLACE_EXISTING);
		this.instant = Instant.now();
		pass(Duration.ofSeconds(10));
		assertThat(this.certificate.status()).satisfies((status) -> {
			assertThat(status.problem()).isNull();
			assertThat(status.succeeded()).isOne();
		});
	}

	@Test
	void whenOneOfSeveralRevocationListsIsReplacedThenChecksAndUsesIt(CapturedOutput output) throws IOException {
		Path second = this.folder.resolve("other-ca.crl");
		Files.copy(this.certificates.revocationList("other-ca", "other-ca.crl"), second);
		this.caCertificateFile = this.certificates.join("several.crt", "ca.crt", "other-ca.crt").toString();
		this.revocationListFiles = List.of(this.certificates.revocationList("ca", "ca.crl").toString(),
				second.toString());
		this.instant = Instant.now();
		start();
		assertThat(output).doesNotContain("WARN");
		this.certificates.revocationList("other-ca", "outdated.crl", "-crl_lastupdate", "20250101000000Z",
				"-crl_nextupdate", "20250201000000Z");
		copy("outdated.crl", "other-ca.crl");
		refuses(output, "'server.ssl.certificate-revocation-list-file[1]' ('" + second
				+ "'): the certificate revocation list of 'CN=Other CA' is outdated");
		this.certificates.issue("other-ca", "late", "extendedKeyUsage=clientAuth", "20250101000000Z",
				"20980101000000Z");
		this.certificates.revoke("other-ca", "late");
		Files.copy(this.certificates.revocationList("other-ca", "next.crl"), second,
				StandardCopyOption.REPLACE_EXISTING);
		this.instant = Instant.now();
		pass(Duration.ofSeconds(10));
		assertThat(this.certificate.status()).returns(1L, Status::succeeded).returns(null, Status::problem);
		assertThat(this.certificate.revocationLists()).hasSize(2)
			.anySatisfy((list) -> assertThat(list.isRevoked(leaf("late"))).isTrue());
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void whenHeapIsTooSmallThenSaysSo(boolean byConsumer) {
		start();
		TlsSettingException failure = this.certificate.failure(new OutOfMemoryError("Java heap space"), byConsumer);
		assertThat(failure.getReason(SettingName::toString)).endsWith("OutOfMemoryError: Java heap space");
		assertThat(failure.getAction(SettingName::toString)).startsWith("The heap is too small");
		assertThat(this.certificate.failure(new OutOfMemoryError("Metaspace"), byConsumer)
			.getAction(SettingName::toString)).doesNotContain("heap");
	}

	@Test
	void whenRevocationListRunsOutThenSaysSoOnce(CapturedOutput output) {
		this.caCertificateFile = this.certificates.file("ca.crt").toString();
		this.revocationListFiles = List.of(this.certificates.revocationList("ca", "running-out.crl").toString());
		this.instant = Instant.now();
		start();
		pass(Duration.ofMinutes(1));
		assertThat(output).doesNotContain("WARN");
		this.instant = this.instant.plus(Duration.ofDays(8));
		pass(Duration.ofMinutes(1));
		assertThat(output).containsOnlyOnce("WARN")
			.contains(
					"Java refuses clients while no revocation list is in force. 'server.ssl.certificate-revocation-list-file' ('",
					"running-out.crl'): the certificate revocation list of 'CN=Test CA' is outdated");
		assertThat(this.certificate.status().problem()).contains("is outdated");
		assertThat(this.certificate.status().failed()).isZero();
	}

	@Test
	void whenRevocationListHasRunOutThenNewCertificateIsUsedAllTheSame() throws IOException {
		this.caCertificateFile = this.certificates.file("ca.crt").toString();
		this.revocationListFiles = List.of(this.certificates.revocationList("ca", "running-out.crl").toString());
		this.instant = Instant.now();
		start();
		this.instant = this.instant.plus(Duration.ofDays(8));
		pass(Duration.ofMinutes(1));
		replace("p384");
		pass(Duration.ofSeconds(10));
		assertServes("p384");
		assertThat(this.certificate.status().succeeded()).isOne();
		assertThat(this.certificate.status().problem()).contains("is outdated");
	}

	@Test
	void whenReloadLosesTheListOfACaThenWarns(CapturedOutput output) throws IOException {
		this.certificates.join("several.crt", "ca.crt", "other-ca.crt");
		this.certificates.revocationList("ca", "ca.crl");
		this.certificates.revocationList("other-ca", "other-ca.crl");
		Path list = this.folder.resolve("several.crl");
		Files.copy(this.certificates.join("several.crl", "ca.crl", "other-ca.crl"), list);
		this.instant = Instant.now();
		this.caCertificateFile = this.certificates.file("several.crt").toString();
		this.revocationListFiles = List.of(list.toString());
		start();
		assertThat(output).doesNotContain("WARN");
		Files.copy(this.certificates.file("ca.crl"), list, StandardCopyOption.REPLACE_EXISTING);
		pass(Duration.ofSeconds(10));
		assertThat(output).containsOnlyOnce("WARN")
			.contains("it has no list from the CA 'CN=Other CA', so all clients of that CA are refused");
	}

	@ParameterizedTest
	@CsvSource({ "status_request, 1", "'22, status_request', 1", "status_request_v2, 1", "22, 0", "'300, 256', 0" })
	void whenCertificateDemandsStaplingThenWarnsAtReloadAndAtStart(String features, int warnings, CapturedOutput output)
			throws IOException {
		this.certificates.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
				"-days", "30", "-subj", "/CN=must-staple", "-addext", "tlsfeature=" + features, "-keyout",
				"must-staple.key", "-out", "must-staple.crt");
		this.instant = Instant.now();
		replace("must-staple");
		pass(Duration.ofSeconds(10));
		assertServes("must-staple");
		List<String> expected = Collections.nCopies(warnings,
				"'server.ssl.certificate-file' ('%s'): the certificate 'CN=must-staple' requires a stapled OCSP response"
					.formatted(this.folder.resolve("tls.crt")));
		assertWarnings(output, expected);
		start();
		assertWarnings(output, Stream.concat(expected.stream(), expected.stream()).toList());
	}

	@ParameterizedTest
	@CsvSource({ "p256.example.com, 0, 1", "p384.example.com, 1, 0", "*.example.com, 1, 1", "example.com, 1, 1",
			"sub.p256.example.com, 1, 1", "wild.test, 1, 1", "localhost, 0, 0" })
	void whenServerNameIsNotInCertificateThenWarnsAtStartAndAtReload(String serverName, int atStart, int atReload,
			CapturedOutput output) throws IOException {
		start(serverName, "server.ssl.server-name-certificates[1].");
		assertNameWarnings(output, serverName, "p256", atStart);
		replace("p384");
		pass(Duration.ofSeconds(10));
		assertNameWarnings(output, serverName, "p384", atReload);
	}

	private void assertNameWarnings(CapturedOutput output, String serverName, String certificate, int expected) {
		String property = "server.ssl.server-name-certificates[1].server-name";
		String warning = "'%s' ('%s'): the certificate 'CN=%s' is not for '%s': its host names are 'localhost', '%3$s.example.com'. Correct '%1$s', or use a certificate"
			.formatted(property, this.folder.resolve("tls.crt"), certificate, serverName);
		assertThat(output.toString().split(Pattern.quote(warning), -1)).hasSize(expected + 1);
	}

	@ParameterizedTest
	@CsvSource({ "DNS:*.Wild.test, a.wild.test, ''", "DNS:*.Wild.test, *.wild.test, ''",
			"DNS:*.Wild.test, wild.test, its host names are '*.Wild.test'",
			"DNS:*.Wild.test, a.b.wild.test, its host names are '*.Wild.test'",
			"IP:192.0.2.1, 192.0.2.1, it has no host names", "email:a@wild.test, wild.test, it has no host names" })
	void whenCertificateHasOtherNamesThenSaysWhich(String names, String serverName, String expected,
			CapturedOutput output) throws IOException {
		this.certificates.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
				"-subj", "/CN=wild.test", "-addext", "subjectAltName=" + names, "-keyout", "named.key", "-out",
				"named.crt");
		this.instant = Instant.now();
		replace("named");
		start(serverName, "server.ssl.server-name-certificates[1].");
		if (expected.isEmpty()) {
			assertThat(output).doesNotContain("WARN");
		}
		else {
			assertThat(output).containsOnlyOnce("WARN")
				.contains(
						"the certificate 'CN=wild.test' is not for '%s': %s. Correct".formatted(serverName, expected));
		}
	}

	private static void assertWarnings(CapturedOutput output, List<String> expected) {
		assertThat(output.getAll().lines().filter((line) -> line.contains("WARN"))).zipSatisfy(expected,
				(line, warning) -> assertThat(line).contains(warning));
	}

	@Test
	void whenBundleCannotBeMadeThenSaysSoOnce(CapturedOutput output) throws IOException {
		this.ssl.setTrustCertificate(this.folder.resolve("trust.crt").toString());
		replace("p384");
		refuses(output, "the SSL bundle cannot be created from it: java.io.FileNotFoundException: "
				+ this.folder.resolve("trust.crt"));
	}

	private void refuses(CapturedOutput output, String reason) {
		SslBundle bundle = bundle();
		pass(Duration.ofMinutes(2));
		assertThat(bundle()).isSameAs(bundle);
		assertThat(output).containsOnlyOnce("WARN").contains(reason);
		assertThat(this.certificate.status().problem()).contains(reason);
		assertThat(this.certificate.status().failed()).isOne();
	}

	private void pass(Duration duration) {
		for (long second = 0; second < duration.toSeconds(); second++) {
			this.now += Duration.ofSeconds(1).toNanos();
			this.certificate.poll(QUIET_PERIOD, this.now);
		}
	}

	private void replace(String name) throws IOException {
		copy(name + ".crt", "tls.crt");
		copy(name + ".key", "tls.key");
	}

	private void copy(String from, String to) throws IOException {
		Files.copy(this.certificates.file(from), this.folder.resolve(to), StandardCopyOption.REPLACE_EXISTING);
	}

	private static void deleteFolder(Path path) throws IOException {
		if (Files.isDirectory(path)) {
			for (Path file : Files.list(path).toList()) {
				Files.delete(file);
			}
			Files.delete(path);
		}
	}

	private SslBundle bundle() {
		return this.registry.getBundle("server-ssl");
	}

	private void assertServes(String name) {
		assertThat(subject()).isEqualTo(name);
	}

	private String subject() {
		return ((X509Certificate) chain().get(0)).getSubjectX500Principal().getName().substring("CN=".length());
	}

	private List<Certificate> chain() {
		try {
			return List.of(bundle().getStores().getKeyStore().getCertificateChain("server"));
		}
		catch (KeyStoreException ex) {
			throw new IllegalStateException(ex);
		}
	}

	interface FileChange {

		void apply(Path file) throws IOException;

	}

}
