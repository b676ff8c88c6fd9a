// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.LibrarySource;
import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.OpenSslMode;
import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.TomcatNativeStatus;
import io.github.tomcatopenssl.autoconfigure.TlsEngines;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.Openssl;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.CertificateDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.ClientAuthenticationDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.ConnectorDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.HostDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.NegotiatedDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.TicketKeyDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.TlsDescriptor;
import io.github.tomcatopenssl.endpoint.HandshakeCounters.ClientCount;
import io.github.tomcatopenssl.endpoint.HandshakeCounters.FailedClients;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.IndicatedHealthDescriptor;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.info.SslInfo;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests of what Actuator shows of a running server: {@link TlsEndpoint},
 * {@link TlsInventory}, {@link TomcatOpenSslHealthIndicator}, {@link CertificateMetrics}
 * and {@link TlsConnectorMetrics}.
 */
@Tag("servers")
@ExtendWith(OutputCaptureExtension.class)
class ActuatorTests {

	private static final String SECRETS = "-----BEGIN|" + TestCertificates.PASSWORD;

	/**
	 * After ten errors, the thread counts as failed. Each further one keeps it so for up
	 * to two seconds.
	 */
	private static final int IDLE_CLIENTS = 30;

	private TestCertificates certificates;

	@TempDir
	private Path folder;

	@BeforeEach
	void copyCertificate() throws Exception {
		this.certificates = TestCertificates.get();
		put("leaf");
	}

	@ParameterizedTest
	@EnumSource
	void endpointShowsHowTlsIsServed(Engine engine) {
		boolean openSsl = engine == Engine.OPENSSL;
		try (TestServer server = start(engine, "server.ssl.client-auth=want",
				"server.ssl.ca-certificate-file=" + this.certificates.file("ca.crt"), "server.ssl.ocsp-enabled=true",
				"server.ssl.server-name-certificates[0].server-name=other.example.com",
				"server.ssl.server-name-certificates[0].certificate-file=" + this.certificates.file("other.crt"),
				"server.ssl.server-name-certificates[0].certificate-key-file=" + this.certificates.file("other.key"))) {
			String[] tls13 = { "-tls1_3", "-groups", "X25519", "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256" };
			TlsClient.connect(server.port(), tls13);
			TlsClient.connect(server.port(), tls13);
			TlsClient.connect(server.port(), "-tls1_2", "-groups", "P-256", "-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256");
			ConnectorDescriptor connector = tls(server).connectors().get(0);
			TomcatNativeStatus status = server.bean(TomcatNative.class).status();
			assertThat(connector).returns(server.port(), ConnectorDescriptor::port)
				.returns("https", ConnectorDescriptor::scheme)
				.returns(name(engine), ConnectorDescriptor::engine)
				.returns(openSsl ? status.openSslVersion() : Runtime.version().toString(), ConnectorDescriptor::version)
				.returns(openSsl ? status.version() : null, ConnectorDescriptor::tomcatNative)
				.returns(openSsl ? status.library() : null, ConnectorDescriptor::library)
				.returns(openSsl ? status.fips() : null, ConnectorDescriptor::fips);
			assertThat(connector.hosts())
				.extracting(HostDescriptor::name, (host) -> host.certificates().get(0).bundle())
				.containsExactlyInAnyOrder(tuple("_default_", "server-ssl"),
						tuple("other.example.com", "server-ssl-other.example.com"));
			HostDescriptor host = host(server);
			assertThat(host.protocols()).containsExactlyInAnyOrder("TLSv1.2", "TLSv1.3");
			assertThat(host.cipherSuites()).contains("TLS_AES_128_GCM_SHA256");
			assertThat(String.valueOf(host.groups()))
				.endsWith((!openSsl && Runtime.version().feature() < 20) ? "null" : "x25519, secp256r1, secp384r1]");
			assertThat(host.certificates()).singleElement()
				.returns("CN=leaf", CertificateDescriptor::subject)
				.returns("EC", CertificateDescriptor::keyAlgorithm)
				.returns(256, CertificateDescriptor::keySize)
				.satisfies((certificate) -> assertThat(certificate.notAfter()).isAfter(Instant.now()));
			assertThat(host.clientAuthentication())
				.isEqualTo(new ClientAuthenticationDescriptor("want", false, true, false));
			assertThat(host.sessionTicketKey()).isNull();
			assertThat(connector.negotiated()).containsExactly(
					new NegotiatedDescriptor("TLSv1.3", "TLS_CHACHA20_POLY1305_SHA256", "x25519", false, 2),
					new NegotiatedDescriptor("TLSv1.2", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "secp256r1", false,
							1));
			assertThat(connector.failedClients()).isEqualTo(new FailedClients(List.of(), List.of()));
			assertThat(connector.previewedClients()).isNull();
		}
	}

	@Test
	void whenFingerprintsAreComputedThenEndpointShowsWhoseHandshakesFail() {
		try (TestServer server = start(Engine.OPENSSL, "server.ssl.client-fingerprint=ja4")) {
			assertThat(tls(server).connectors().get(0).failedClients().fingerprints()).isEmpty();
			for (int i = 0; i < 2; i++) {
				TlsClient.connect(server.port(), "-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA");
			}
			Awaitility.await()
				.atMost(Duration.ofSeconds(10))
				.untilAsserted(
						() -> assertThat(tls(server).connectors().get(0).failedClients().fingerprints()).singleElement()
							.returns("no shared suite", ClientCount::reason)
							.returns(2L, ClientCount::handshakes)
							.satisfies((client) -> assertThat(client.client()).startsWith("t12i")));
		}
	}

	@Test
	void whenFilesAreReplacedThenEndpointShowsTheNewCertificateAndSinceWhen() throws Exception {
		Path key = this.folder.resolve("ticket.key");
		Files.write(key, new byte[80]);
		Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
		try (TestServer server = start(Engine.OPENSSL, "server.ssl.session-ticket-key-file=" + key)) {
			HostDescriptor before = host(server);
			put("p384");
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(host(server).certificates()).singleElement()
					.returns(384, CertificateDescriptor::keySize));
			// When all of the reload is done
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(host(server).since()).isAfter(before.since()));
			assertThat(host(server).sessionTicketKey()).isEqualTo(before.sessionTicketKey())
				.returns(true, TicketKeyDescriptor::shared);
			Files.write(key, new byte[48]);
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.untilAsserted(
						() -> assertThat(host(server).sessionTicketKey()).isNotEqualTo(before.sessionTicketKey()));
		}
	}

	@Test
	void endpointShowsManagementServerToo() {
		try (TestServer server = start(Engine.OPENSSL, "management.server.port=0")) {
			assertThat(tls(server).connectors()).hasSize(2);
		}
	}

	@Test
	void whenOnlyPlainHttpIsServedThenEndpointDoesNotLoadTheLibrary() {
		try (TestServer server = TestServer.start(WebApplicationType.SERVLET, Object.class,
				List.of("server.ssl.openssl.library-path=/nowhere", "management.endpoints.web.exposure.include=*"))) {
			assertThat(tls(server).connectors()).isEmpty();
			assertThat(health(server).getStatus()).isEqualTo(Status.UP);
		}
	}

	@ParameterizedTest
	@EnumSource
	void healthIsUpAndShowsRefusedFiles(Engine engine) throws Exception {
		try (TestServer server = start(engine)) {
			assertThat(health(server)).satisfies((health) -> {
				assertThat(health.getStatus()).isEqualTo(Status.UP);
				assertThat(health.getDetails())
					.contains(entry("engines", Map.of(String.valueOf(server.port()), name(engine))))
					.doesNotContainKey("certificateProblems");
			});
			if (engine == Engine.OPENSSL) {
				String library = server.bean(TomcatNative.class).status().library();
				assertThat(health(server).getDetails().get("libraries"))
					.isEqualTo(Map.of(Objects.requireNonNull(library), LoadAttempt.Result.LOADED));
			}
			else {
				assertThat(health(server).getDetails()).doesNotContainKey("libraries");
			}
			Files.writeString(this.folder.resolve("tls.key"), "");
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(health(server).getDetails()).containsKey("certificateProblems"));
			assertThat(health(server).getStatus()).isEqualTo(Status.UP);
			assertThat(health(server).getDetails().toString()).contains("server-ssl=", "tls.key'): it is empty")
				.doesNotContainPattern(SECRETS);
			assertThat(server.counter("tomcat.ssl.certificate.reloads", "outcome", "failure")).isOne();
			assertThat(problems(server)).isOne();
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenConsumerOfTheBundleThrowsThenHealthShowsItUntilItDoesNot(Engine engine) throws Exception {
		try (TestServer server = start(engine)) {
			AtomicBoolean broken = new AtomicBoolean(true);
			server.bean(SslBundles.class).addBundleUpdateHandler("server-ssl", (updated) -> {
				if (broken.get()) {
					throw new IllegalStateException("pool is closed");
				}
			});
			put("p384");
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(String.valueOf(health(server).getDetails().get("certificateProblems")))
					.contains("not reloaded", "java.lang.IllegalStateException: pool is closed"));
			// Each try has the server use the new one for a moment
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(TlsClient.connect(server.port())).returns("leaf", Handshake::subject)
					.returns(true, Handshake::isServed));
			broken.set(false);
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(health(server).getDetails()).doesNotContainKey("certificateProblems"));
			assertThat(TlsClient.connect(server.port())).returns("p384", Handshake::subject)
				.returns(true, Handshake::isServed);
		}
	}

	@Test
	void whenRequiredEngineDoesNotServeThenHealthIsDown() {
		try (TestServer server = start(Engine.JSSE)) {
			Openssl openssl = new Openssl(OpenSslMode.ALWAYS, LibrarySource.AUTO, null, null, FipsMode.OFF);
			var indicator = new TomcatOpenSslHealthIndicator(server.bean(TlsEngines.class), openssl,
					server.bean(TomcatNative.class), null);
			assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
		}
	}

	// As if the system had too many threads: no idle connection can be ended
	@ParameterizedTest
	@EnumSource
	void whenThreadOfAllConnectionsFailsAgainAndAgainThenHealthIsDown(Engine engine) throws Exception {
		List<RawTlsClient> clients = new ArrayList<>();
		try (TestServer server = start(Exhaustible.class, engine, "management.server.port=0",
				"management.server.ssl.enabled=false", "server.tomcat.keep-alive-timeout=3s")) {
			AtomicBoolean exhausted = server.bean(AtomicBoolean.class);
			URI health = URI.create("http://localhost:%s/actuator/health/tomcatOpenSsl"
				.formatted(server.property("local.management.port")));
			assertThat(get(health).statusCode()).isEqualTo(200);
			for (int i = 0; i < IDLE_CLIENTS; i++) {
				clients.add(serve(server.port()));
			}
			exhausted.set(true);
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(get(health)).returns(503, HttpResponse::statusCode)
					.satisfies((answer) -> assertThat(answer.body()).contains("\"status\":\"DOWN\"",
							"\"failedThreads\":{\"%d\":[".formatted(server.port()), "-TLS-Poller\"]")));
			exhausted.set(false);
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(get(health).statusCode()).isEqualTo(200));
			serve(server.port()).close();
		}
		finally {
			for (RawTlsClient client : clients) {
				client.close();
			}
		}
	}

	private static RawTlsClient serve(int port) throws IOException {
		RawTlsClient client = TlsVersion.TLS_1_3.connect(port, Http.HTTP_1_1);
		client.completeHandshake();
		client.send(client.request());
		assertThat(client.answers(1).answers()).isOne();
		return client;
	}

	private static HttpResponse<String> get(URI uri) throws Exception {
		return HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
	}

	@Test
	void certificateFilesAreInSpringBootsOwnHealthAndMetrics() throws Exception {
		Files.copy(this.certificates.file("expired.crt"), this.folder.resolve("tls.crt"),
				StandardCopyOption.REPLACE_EXISTING);
		Files.copy(this.certificates.file("expired.crt"), this.folder.resolve("tls.key"),
				StandardCopyOption.REPLACE_EXISTING);
		try (TestServer server = start(Engine.OPENSSL)) {
			var health = (IndicatedHealthDescriptor) server.bean(HealthEndpoint.class).healthForPath("ssl");
			assertThat(health).isNotNull();
			assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
			MeterRegistry registry = server.bean(MeterRegistry.class);
			assertThat(registry.get("ssl.chain.expiry").tag("bundle", "server-ssl").gauge().value()).isNegative();
			assertThat(registry.get("tomcat.ssl.certificate.expiry").tag("bundle", "server-ssl").gauge().value())
				.isNegative();
		}
	}

	@ParameterizedTest
	@EnumSource
	void metricsShowEngineAndDaysToExpiry(Engine engine) throws Exception {
		try (TestServer server = start(engine)) {
			MeterRegistry registry = server.bean(MeterRegistry.class);
			Gauge gauge = registry.get("tomcat.ssl.engine").tag("engine", name(engine)).gauge();
			assertThat(gauge.value()).isOne();
			assertThat(gauge.getId().getTag("name"))
				.startsWith((engine == Engine.OPENSSL) ? "https-openssl-nio-" : "https-jsse-nio-");
			String version = gauge.getId().getTag("version");
			assertThat((engine == Engine.OPENSSL) ? server.bean(TomcatNative.class).status().openSslVersion()
					: System.getProperty("java.runtime.version"))
				.contains(version);
			assertThat(days(registry)).containsOnlyKeys("CN=leaf", "CN=Intermediate CA");
			assertThat(days(registry).values()).allSatisfy((days) -> assertThat(days).isBetween(29.0, 30.0));
			put("p384");
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(server.counter("tomcat.ssl.certificate.reloads", "outcome", "success"))
					.isOne());
			assertThat(days(registry)).containsOnlyKeys("CN=p384");
			assertThat(problems(server)).isZero();
		}
	}

	@Test
	void whenTwoKeyTypesHaveOneIssuerThenEachCertificateHasOneGauge(CapturedOutput output) throws Exception {
		this.certificates.openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=rsa-leaf", "-keyout",
				"rsa-leaf.key", "-out", "rsa-leaf.csr");
		this.certificates.openssl("x509", "-req", "-in", "rsa-leaf.csr", "-CA", "intermediate.crt", "-CAkey",
				"intermediate.key", "-CAcreateserial", "-days", "30", "-out", "rsa-leaf.crt");
		this.certificates.join("rsa-chain.crt", "rsa-leaf.crt", "intermediate.crt");
		List<String> properties = new ArrayList<>(Engine.OPENSSL.properties());
		properties.add("server.test.actuator=true");
		for (String file : List.of("[0].certificate-file=" + this.folder.resolve("tls.crt"),
				"[0].certificate-key-file=" + this.folder.resolve("tls.key"),
				"[1].certificate-file=" + this.certificates.file("rsa-chain.crt"),
				"[1].certificate-key-file=" + this.certificates.file("rsa-leaf.key"))) {
			properties.add("server.ssl.certificates" + file);
		}
		try (TestServer server = TestServer.start(WebApplicationType.SERVLET, Object.class, properties)) {
			MeterRegistry registry = server.bean(MeterRegistry.class);
			assertThat(days(registry)).containsOnlyKeys("CN=leaf", "CN=rsa-leaf", "CN=Intermediate CA");
			put("p384");
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(days(registry)).containsOnlyKeys("CN=p384", "CN=rsa-leaf",
						"CN=Intermediate CA"));
		}
		assertThat(output).doesNotContain("already registered");
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void whenParentHasTheMeterRegistryThenItHasTheMetricsOfTheChild(WebApplicationType type) throws Exception {
		List<String> properties = new ArrayList<>(Engine.OPENSSL.properties());
		properties.add("server.ssl.certificate-file=" + this.folder.resolve("tls.crt"));
		properties.add("server.ssl.certificate-key-file=" + this.folder.resolve("tls.key"));
		properties.add("server.test.actuator=true");
		try (TestServer parent = TestServer.start(WebApplicationType.NONE, Object.class,
				List.of("server.test.actuator=true"));
				TestServer child = parent.startChild(type, Object.class, properties)) {
			MeterRegistry registry = parent.bean(MeterRegistry.class);
			assertThat(child.bean(MeterRegistry.class)).isSameAs(registry);
			assertThat(days(registry)).containsOnlyKeys("CN=leaf", "CN=Intermediate CA");
			assertThat(problems(child)).isZero();
			assertThat(child.bean(SslInfo.class).getBundle("server-ssl").getCertificateChains()).hasSize(1);
			put("p384");
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(days(registry)).containsOnlyKeys("CN=p384"));
			assertThat(child.counter("tomcat.ssl.certificate.reloads", "outcome", "success")).isOne();
		}
	}

	@ParameterizedTest
	@EnumSource
	void metricsCountHandshakesOverReloads(Engine engine) {
		MeterRegistry registry;
		try (TestServer server = start(engine)) {
			long before = (long) server.counter("tomcat.ssl.handshakes.completed");
			for (int i = 0; i < 3; i++) {
				assertThat(TlsClient.connect(server.port()).isServed()).isTrue();
			}
			assertThat(server.counter("tomcat.ssl.handshakes.completed")).isEqualTo(before + 3);
			TlsClient.connect(server.port(), "-tls1_1", "-cipher", "ALL:@SECLEVEL=0");
			assertThat(server.counter("tomcat.ssl.handshakes.started")).isEqualTo(before + 4);
			assertThat(server.counter("tomcat.ssl.handshakes.failed", "reason", "protocol version")).isOne();
			assertThat(server.counter("tomcat.ssl.hello.retries")).isZero();
			Path session = this.folder.resolve("session");
			TlsClient.connect(server.port(), "-tls1_2", "-sess_out", session.toString());
			assertThat(TlsClient.connect(server.port(), "-tls1_2", "-sess_in", session.toString()).output())
				.contains("Reused, TLSv1.2");
			assertThat(server.counter("tomcat.ssl.sessions.resumed")).isOne();
			assertThat(server.counter("tomcat.ssl.key.exchange", "protocol", "TLSv1.2", "group", "none", "resumed",
					"true"))
				.isOne();
			server.bundles().updateBundle("server-ssl", server.bean(SslBundles.class).getBundle("server-ssl"));
			assertThat(server.counter("tomcat.ssl.handshakes.completed")).isEqualTo(before + 5);
			assertThat(TlsClient.connect(server.port()).isServed()).isTrue();
			assertThat(server.counter("tomcat.ssl.handshakes.completed")).isEqualTo(before + 6);
			server.restart();
			assertThat(server.counter("tomcat.ssl.handshakes.completed")).isEqualTo(before + 6);
			registry = server.bean(MeterRegistry.class);
		}
		assertThat(registry.find("tomcat.ssl.handshakes.completed").functionCounters())
			.allSatisfy((counter) -> assertThat(counter.count()).isNotNegative());
	}

	@Test
	void whenThereIsACompositeRegistryThenEachOfItsRegistriesHasEachMeterOnce() {
		try (TestServer server = start(TwoRegistries.class, Engine.OPENSSL)) {
			assertThat(TlsClient.connect(server.port()).isServed()).isTrue();
			CompositeMeterRegistry composite = (CompositeMeterRegistry) server.bean(MeterRegistry.class);
			assertThat(composite.getRegistries()).hasSize(2).allSatisfy((registry) -> {
				assertThat(registry.find("tomcat.ssl.engine").meters()).hasSize(1);
				assertThat(registry.find("tomcat.ssl.handshakes.completed").functionCounters()).singleElement()
					.returns(1.0, FunctionCounter::count);
			});
			assertThat(composite.find("tomcat.ssl.engine").meters()).hasSize(1);
			assertThat(composite.find("tomcat.ssl.handshakes.completed").meters()).hasSize(1);
		}
	}

	@Test
	void healthIndicatorCanBeTurnedOff() {
		try (TestServer server = start(Engine.JSSE, "management.health.tomcat-openssl.enabled=false")) {
			assertThat(server.bean(HealthEndpoint.class).healthForPath("tomcatOpenSsl")).isNull();
		}
	}

	private static String name(Engine engine) {
		return (engine == Engine.OPENSSL) ? "OpenSSL" : "JSSE";
	}

	private static TlsDescriptor tls(TestServer server) {
		return server.bean(TlsEndpoint.class).tls();
	}

	private static HostDescriptor host(TestServer server) {
		return tls(server).connectors()
			.get(0)
			.hosts()
			.stream()
			.filter((host) -> host.name().equals("_default_"))
			.findFirst()
			.orElseThrow();
	}

	private static IndicatedHealthDescriptor health(TestServer server) {
		return (IndicatedHealthDescriptor) server.bean(HealthEndpoint.class).healthForPath("tomcatOpenSsl");
	}

	private static double problems(TestServer server) {
		return server.bean(MeterRegistry.class).get("tomcat.ssl.certificate.problems").gauge().value();
	}

	private static Map<String, Double> days(MeterRegistry registry) {
		Map<String, Double> days = new HashMap<>();
		registry.get("tomcat.ssl.certificate.expiry")
			.gauges()
			.forEach((gauge) -> days.put(gauge.getId().getTag("subject"), gauge.value()));
		return days;
	}

	private TestServer start(Engine engine, String... more) {
		return start(Object.class, engine, more);
	}

	private TestServer start(Class<?> configuration, Engine engine, String... more) {
		List<String> properties = new ArrayList<>(engine.properties());
		properties.add("server.ssl.certificate-file=" + this.folder.resolve("tls.crt"));
		properties.add("server.ssl.certificate-key-file=" + this.folder.resolve("tls.key"));
		properties.add("management.endpoint.health.show-details=always");
		properties.add("management.endpoints.web.exposure.include=*");
		properties.addAll(List.of(more));
		return TestServer.start(WebApplicationType.SERVLET, configuration, properties);
	}

	private void put(String name) throws Exception {
		String chain = this.certificates.read(name + ".crt")
				+ (name.equals("leaf") ? this.certificates.read("intermediate.crt") : "");
		Files.writeString(this.folder.resolve("tls.crt"), chain);
		Files.copy(this.certificates.file(name + ".key"), this.folder.resolve("tls.key"),
				StandardCopyOption.REPLACE_EXISTING);
	}

	@Configuration(proxyBeanMethods = false)
	static class Exhaustible {

		@Bean
		AtomicBoolean exhausted() {
			return new AtomicBoolean();
		}

		@Bean(destroyMethod = "shutdown")
		ExecutorService workers() {
			return Executors.newCachedThreadPool();
		}

		@Bean
		WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> executor(AtomicBoolean exhausted,
				ExecutorService workers) {
			return (factory) -> factory.addProtocolHandlerCustomizers((protocol) -> protocol.setExecutor((work) -> {
				if (exhausted.get()) {
					throw new OutOfMemoryError("unable to create native thread");
				}
				workers.execute(work);
			}));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoRegistries {

		@Bean
		MeterRegistry first() {
			return new SimpleMeterRegistry();
		}

		@Bean
		MeterRegistry second() {
			return new SimpleMeterRegistry();
		}

	}

}
