// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TlsClient;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.shredzone.acme4j.AccountBuilder;
import org.shredzone.acme4j.Session;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests that obtain certificates from a real ACME server.
 */
@Tag("servers")
@ExtendWith(OutputCaptureExtension.class)
class AcmeTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@TempDir
	private Path folder;

	private int port;

	private Pebble pebble;

	private final List<AcmeApplication> servers = new ArrayList<>();

	@BeforeEach
	void startPebble() throws Exception {
		this.port = Pebble.freePort();
		this.pebble = new Pebble(this.port);
	}

	@AfterEach
	void stop() {
		this.servers.forEach(AcmeApplication::close);
		if (this.pebble != null) {
			this.pebble.close();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenServerStartsThenItObtainsTheCertificateAndKeepsItForLater(boolean openSsl, CapturedOutput output)
			throws Exception {
		String[] properties = with(openSsl, "server.ssl.acme.domains=localhost,www.example.com,LOCALHOST");
		AcmeApplication server = start(this.port, Object.class, properties);
		X509Certificate issued = awaitIssued(server, this.port);
		assertThat(issued.getSubjectAlternativeNames()).extracting((name) -> name.get(1).toString())
			.containsExactlyInAnyOrder("localhost", "www.example.com");
		assertThat(health(server)).isEqualTo("UP");
		assertThat(output)
			.contains("A certificate for localhost, www.example.com is requested from 'https://localhost:")
			.contains("OpenSSL is %s on port %d (https)".formatted(openSsl ? "active" : "not active", this.port));
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> output.toString()
				.contains("'server-ssl' was reloaded: the certificate 'localhost, www.example.com' in '"));
		assertPrivate();
		server.close();
		start(this.port, Object.class, properties);
		assertThat(certificate(this.port)).isEqualTo(issued);
		assertThat(output.toString().split("is requested from", -1)).hasSize(2);
	}

	// Not every machine has IPv6
	static List<Object> enginesAndAddresses() throws IOException {
		List<Object> arguments = new ArrayList<>(
				List.of(Arguments.of(true, "127.0.0.1", "127.0.0.1"), Arguments.of(false, "127.0.0.1", "127.0.0.1")));
		if (NetworkInterface.getByInetAddress(InetAddress.getByName("::1")) != null) {
			arguments.add(Arguments.of(false, "0:0::1", "[::1]"));
		}
		return arguments;
	}

	@ParameterizedTest
	@MethodSource("enginesAndAddresses")
	void whenDomainIsAnAddressThenItsCertificateIsShortLived(boolean openSsl, String address, String host)
			throws Exception {
		AcmeApplication server = start(this.port, Object.class, with(openSsl, "server.ssl.acme.domains=" + address,
				"server.ssl.unknown-server-name=reject", "server.ssl.unknown-server-name-allowed=127.0.0.1,::1"));
		Awaitility.await().atMost(PATIENCE).until(() -> health(server).equals("UP"));
		X509Certificate issued = certificate(this.port, "-noservername");
		assertThat(issued.getSubjectAlternativeNames()).hasSize(1);
		assertThat(Duration.between(Instant.now(), issued.getNotAfter().toInstant())).isLessThan(Duration.ofDays(7));
		assertThat(get(URI.create("https://%s:%d/hello".formatted(host, this.port)))).isEqualTo("hello");
		server.close();
		start(this.port, Object.class, with(openSsl, "server.ssl.acme.domains=" + address));
		assertThat(certificate(this.port)).isEqualTo(issued);
	}

	@Test
	void whenFilesAreDamagedThenTheyAreReplacedOrNamed(CapturedOutput output) throws Exception {
		issueForSeconds();
		AcmeApplication server = start(this.port, Object.class, "server.ssl.acme.domains=localhost",
				"server.ssl.acme.profile=shortlived");
		X509Certificate issued = awaitIssued(server, this.port);
		AcmeRenewal renewal = server.bean(AcmeRenewal.class);
		renewal.stop();
		Path file = file();
		Files.writeString(Path.of(file.toString().replace(".pem", ".order")), "damaged");
		this.pebble.suggestRenewal(issued, Instant.now().minusSeconds(60), Instant.now().minusSeconds(30));
		renewal.start();
		Awaitility.await().atMost(PATIENCE).until(() -> !certificate(this.port).equals(issued));
		server.close();
		Files.writeString(file, "damaged");
		Files.writeString(file.resolveSibling("account.pem"), "damaged");
		start(this.port, Object.class, "server.ssl.acme.domains=localhost");
		assertThat(output).contains("'" + file + "' is not a certificate, and is replaced");
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> output.toString()
				.contains("account.pem' does not contain the key of the account. Restore it, or delete it"));
	}

	// The CA refuses to replace the certificate of another account
	@Test
	void whenAccountIsAnotherThenCertificateIsRenewed() throws Exception {
		issueForSeconds();
		AcmeApplication server = start(this.port, Object.class, "server.ssl.acme.domains=localhost",
				"server.ssl.acme.profile=shortlived");
		X509Certificate issued = awaitIssued(server, this.port);
		AcmeRenewal renewal = server.bean(AcmeRenewal.class);
		renewal.stop();
		Files.delete(file().resolveSibling("account.pem"));
		this.pebble.suggestRenewal(issued, Instant.now().minusSeconds(60), Instant.now().minusSeconds(30));
		renewal.start();
		Awaitility.await().atMost(PATIENCE).until(() -> !certificate(this.port).equals(issued));
	}

	@Test
	void whenCaSuggestsRenewalAfterExpiryThenCertificateIsRenewedBefore() throws Exception {
		AcmeApplication server = start(this.port, Object.class, "server.ssl.acme.domains=localhost");
		X509Certificate issued = awaitIssued(server, this.port);
		Instant end = issued.getNotAfter().toInstant();
		Duration lifetime = Duration.between(issued.getNotBefore().toInstant(), end);
		this.pebble.suggestRenewal(issued, end, end.plusSeconds(60));
		assertThat(RenewalTime.of(issued, session(), Clock.systemUTC(), Duration.ofHours(6)).at())
			.isBetween(end.minus(lifetime.dividedBy(5)), end.minus(lifetime.dividedBy(7)));
	}

	@Test
	void whenNothingIsIssuedThenPlaceholderIsServed(CapturedOutput output) throws Exception {
		AcmeApplication server = start(this.port, Object.class, "server.ssl.acme.domains=blocked.example.com");
		Awaitility.await().atMost(PATIENCE).until(() -> output.toString().contains("No certificate could be obtained"));
		assertThat(health(server)).isEqualTo("OUT_OF_SERVICE");
		assertThat(output)
			.containsPattern("WARN.*No certificate could be obtained for blocked.example.com. The next attempt is at ")
			.contains("The CA refuses: ");
		assertThat(TlsClient.connect(this.port).subject()).isEqualTo("Waiting for the CA");
	}

	@Test
	void whenCaSaysSoThenCertificateIsRenewedWhileRequestsAreServed() throws Exception {
		issueForSeconds();
		AcmeApplication server = start(this.port, Object.class, "server.ssl.acme.domains=localhost",
				"server.ssl.acme.profile=shortlived");
		X509Certificate first = awaitIssued(server, this.port);
		assertThat(Duration.between(first.getNotBefore().toInstant(), first.getNotAfter().toInstant()).toDays())
			.isLessThan(7);
		this.pebble.suggestRenewal(first, Instant.now().minusSeconds(60), Instant.now().minusSeconds(30));
		AtomicBoolean done = new AtomicBoolean();
		AtomicInteger answers = new AtomicInteger();
		List<Throwable> failures = new ArrayList<>();
		Thread load = new Thread(() -> {
			while (!done.get()) {
				try {
					assertThat(get("/hello")).isEqualTo("hello");
					answers.incrementAndGet();
				}
				catch (Throwable ex) {
					failures.add(ex);
				}
			}
		});
		load.start();
		// As after a while
		AcmeRenewal renewal = server.bean(AcmeRenewal.class);
		renewal.stop();
		renewal.start();
		Awaitility.await().atMost(PATIENCE).until(() -> !certificate(this.port).equals(first));
		int before = answers.get();
		Awaitility.await().atMost(PATIENCE).until(() -> answers.get() > before + 20);
		done.set(true);
		load.join();
		assertThat(failures).isEmpty();
		assertThat(server.bean(AcmeCertificateSource.class).certificates().issued()).isEqualTo(2);
	}

	@Test
	void whenReplicasShareTheFolderThenOneOrdersAndAllAnswer(CapturedOutput output) throws Exception {
		// It orders, and the CA looks at the other one
		int other = Pebble.freePort();
		AcmeApplication replica = start(this.port, Object.class, "server.ssl.acme.domains=localhost");
		replica.bean(AcmeRenewal.class).stop();
		AcmeApplication server = start(other, Object.class, "server.ssl.acme.domains=localhost");
		X509Certificate issued = awaitIssued(server, other);
		Awaitility.await().atMost(PATIENCE).until(() -> certificate(this.port).equals(issued));
		assertThat(output.toString().split("The CA has issued a certificate", -1)).hasSize(2);
		assertThat(health(replica)).isEqualTo("UP");
	}

	@Test
	void whenBothKeyTypesAreWantedThenClientsChoose() throws Exception {
		AcmeApplication server = start(this.port, Object.class, "server.ssl.acme.domains=localhost",
				"server.ssl.acme.key-types=ec,rsa");
		awaitIssued(server, this.port);
		assertThat(TlsClient.connect(this.port, "-tls1_2", "-cipher", "aRSA").isServed()).isTrue();
		assertThat(TlsClient.connect(this.port, "-tls1_2", "-cipher", "aECDSA").isServed()).isTrue();
	}

	@Test
	void whenThereIsADnsChallengeProviderThenWildcardIsIssued() throws Exception {
		AcmeApplication server = start(this.port, DnsConfiguration.class,
				"server.ssl.acme.domains=*.example.com,localhost", "test.dns=" + this.pebble.dnsUrl());
		assertThat(awaitIssued(server, this.port).getSubjectAlternativeNames())
			.extracting((name) -> name.get(1).toString())
			.contains("*.example.com");
	}

	@Test
	void whenDnsRecordCannotBeRemovedThenCertificateIsIssued(CapturedOutput output) throws Exception {
		AcmeApplication server = start(this.port, DnsConfiguration.class, "server.ssl.acme.domains=localhost",
				"test.dns=" + this.pebble.dnsUrl(), "test.dns-fails=true");
		awaitIssued(server, this.port);
		assertThat(output).contains("The DNS record '_acme-challenge.localhost.' could not be removed");
	}

	@Test
	void whenCaRequiresAnAccountThenItIsUsed(CapturedOutput output) throws Exception {
		this.pebble.close();
		// So long that HS512 would be possible, and encoded twice in the property
		String key = "c2VjcmV0".repeat(11) + "c2Vjcg==";
		this.pebble = new Pebble(this.port, key.replace("=", ""), Duration.ofDays(6));
		AcmeApplication server = start(this.port, Object.class, "server.ssl.acme.domains=localhost",
				"server.ssl.acme.external-account.key-id=" + Pebble.KEY_ID,
				"server.ssl.acme.external-account.hmac-key=" + Base64.getEncoder().encodeToString(key.getBytes()),
				"server.ssl.acme.email=");
		awaitIssued(server, this.port);
		assertThat(output).doesNotContain("c2VjcmV0", "YzJWamNtVjB");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					                                 | Set 'server.ssl.acme.external-account.key-id' and 'server.ssl.acme.external-account.hmac-key' to what the CA gives its customers
					another key of thirty-two bytes. | Check that 'server.ssl.acme.external-account.key-id' and 'server.ssl.acme.external-account.hmac-key' are of one account
					letters-digits-hyphens-and-no-others | 'server.ssl.acme.external-account.hmac-key' may be encoded twice
					""")
	void whenAccountIsMissingOrWrongThenThePropertiesAreNamed(@Nullable String key, String expected) throws Exception {
		this.pebble.close();
		this.pebble = new Pebble(this.port, "c2VjcmV0".repeat(12), Duration.ofDays(6));
		AcmeProperties.ExternalAccount account = (key != null) ? new AcmeProperties.ExternalAccount(Pebble.KEY_ID,
				Base64.getUrlEncoder().encodeToString(key.getBytes())) : null;
		List<String> domains = List.of("localhost");
		AcmeSettings settings = new AcmeSettings(new AcmeProperties(domains, true, null,
				URI.create(this.pebble.directoryUrl()), null, List.of(AcmeKeyType.EC), null, null, null, account),
				domains, this.folder);
		AcmeStore store = new AcmeStore(this.folder, settings.properties().directoryUrl(), domains);
		store.create();
		AcmeClient client = new AcmeClient(settings, store, session(), new DomainVerifier(domains, store, null),
				new CaClock(Clock.systemUTC()));
		assertThatExceptionOfType(AcmeRefusedException.class).isThrownBy(() -> client.obtain(AcmeKeyType.EC, null))
			.satisfies((ex) -> assertThat(ex.getMessage() + ". " + ex.action()).contains(expected));
	}

	@Test
	void whenAccountIsDeactivatedThenCertificateStaysAndRemedyIsNamed(CapturedOutput output) throws Exception {
		issueForSeconds();
		AcmeApplication server = start(this.port, Object.class, "server.ssl.acme.domains=localhost",
				"server.ssl.acme.profile=shortlived");
		X509Certificate issued = awaitIssued(server, this.port);
		AcmeRenewal renewal = server.bean(AcmeRenewal.class);
		renewal.stop();
		this.pebble.suggestRenewal(issued, Instant.now().minusSeconds(60), Instant.now().minusSeconds(30));
		KeyPair key = AcmeStore.key(Files.readString(file().resolveSibling("account.pem")));
		new AccountBuilder().onlyExisting().useKeyPair(key).createLogin(session()).getAccount().deactivate();
		renewal.start();
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> output.toString().contains("If the account was deactivated, delete '" + this.folder));
		assertThat(health(server)).isEqualTo("UP");
		assertThat(certificate(this.port)).isEqualTo(issued);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					https://localhost:1/dir | The ACME server 'https://localhost:1/dir' of 'server.ssl.acme.directory-url' cannot be reached: java.net.ConnectException
					https://localhost:{port}/hello | cannot be reached: javax.net.ssl.SSLHandshakeException
					https://localhost:{ca}/nothing | does not answer as it should: HTTP 404
					""")
	void whenThereIsNoAcmeServerThenWarningSaysIt(String url, String expected, CapturedOutput output) throws Exception {
		start(this.port, Object.class, "server.ssl.acme.domains=localhost", "server.ssl.acme.directory-url="
				+ url.replace("{port}", "" + this.port).replace("{ca}", this.pebble.directoryUrl().split("[:/]")[4]));
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> output.toString().contains("No certificate could be obtained for localhost"));
		assertThat(output).contains(expected);
	}

	@Test
	void whenPropertiesAreWrongThenServerDoesNotStart() {
		assertThat(catchThrowable(() -> start(this.port, Object.class, "server.ssl.acme.domains=")))
			.hasStackTraceContaining(
					CertificateFileException.class.getName() + ": 'server.ssl.acme.domains': it is empty");
	}

	private String[] with(boolean openSsl, String... properties) {
		Stream<String> engine = !openSsl ? Stream.of("server.ssl.openssl.mode=never") : Stream
			.of("server.ssl.openssl.mode=always", "server.ssl.openssl.library-path=" + Provided.tomcatNative());
		return Stream.concat(engine, Stream.of(properties)).toArray(String[]::new);
	}

	private AcmeApplication start(int port, Class<?> configuration, String... properties) {
		AcmeApplication server = AcmeApplication.start(configuration,
				this.pebble.properties(port, this.folder, properties));
		this.servers.add(server);
		return server;
	}

	// A certificate is kept for a third of its lifetime, whatever the CA suggests
	private void issueForSeconds() throws Exception {
		this.pebble.close();
		this.pebble = new Pebble(this.port, null, Duration.ofSeconds(36));
	}

	private X509Certificate awaitIssued(AcmeApplication server, int port) {
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> health(server).equals("UP") && !Placeholder.is(certificate(port)));
		try {
			assertThat(get(port, "/hello")).isEqualTo("hello");
			return certificate(port);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String health(AcmeApplication server) {
		return ((HealthIndicator) server.bean(AcmeHealthIndicator.class)).health().getStatus().getCode();
	}

	private Path file() throws IOException {
		try (Stream<Path> files = Files.walk(this.folder)) {
			return files.filter((any) -> any.toString().endsWith("-ec.pem")).findFirst().orElseThrow();
		}
	}

	private Session session() throws IOException {
		SslBundle trust = SslBundle.of(new PemSslStoreBundle(null,
				PemSslStoreDetails.forCertificate("file:" + TestCertificates.get().file("p256.crt"))));
		return new CaSessions(URI.create(this.pebble.directoryUrl()), () -> trust, new CaClock(Clock.systemUTC()))
			.get();
	}

	private void assertPrivate() throws IOException {
		try (Stream<Path> files = Files.walk(this.folder).skip(1)) {
			assertThat(files.toList()).isNotEmpty()
				.allSatisfy((file) -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
					.isEqualTo(Files.isDirectory(file) ? "rwx------" : "rw-------"));
		}
	}

	private String get(String path) throws Exception {
		return get(this.port, path);
	}

	// A new connection each time, which trusts the CA and nothing else
	private String get(int port, String path) throws Exception {
		return get(URI.create("https://localhost:%d%s".formatted(port, path)));
	}

	private String get(URI uri) throws Exception {
		HttpClient client = HttpClient.newBuilder().sslContext(trust()).build();
		return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
	}

	private SSLContext trust() throws Exception {
		KeyStore trusted = KeyStore.getInstance("PKCS12");
		trusted.load(null, null);
		trusted.setCertificateEntry("pebble", CertificateFactory.getInstance("X.509")
			.generateCertificate(new ByteArrayInputStream(this.pebble.root().getBytes())));
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trust.init(trusted);
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(null, trust.getTrustManagers(), null);
		return context;
	}

	private static X509Certificate certificate(int port, String... options) throws Exception {
		String output = TlsClient.connect(port, options).output();
		return (X509Certificate) CertificateFactory.getInstance("X.509")
			.generateCertificate(new ByteArrayInputStream(output.substring(output.indexOf("-----BEGIN")).getBytes()));
	}

	@Configuration(proxyBeanMethods = false)
	static class DnsConfiguration {

		@Bean
		DnsChallengeProvider dnsChallengeProvider(@Value("${test.dns}") String url,
				@Value("${test.dns-fails:false}") boolean fails) {
			DnsChallengeProvider dns = Pebble.dns(url);
			return !fails ? dns : new DnsChallengeProvider() {

				@Override
				public void publish(String name, String value) throws IOException, InterruptedException {
					dns.publish(name, value);
				}

				@Override
				public void remove(String name, String value) throws IOException {
					throw new IOException("The name server is down");
				}

			};
		}

	}

}
