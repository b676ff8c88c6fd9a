// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.internal.host.ServerNameRules;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of what Flight Recorder shows of handshakes, by {@link HandshakeRecording} and
 * {@link HandshakeEvent}.
 */
@Tag("jdk")
@Tag("servers")
class HandshakeRecordingTests {

	private static final String COMPLETED = "io.github.tomcatopenssl.TlsHandshake";

	private static final String FAILED = "io.github.tomcatopenssl.TlsHandshakeFailure";

	/**
	 * The only one of this JVM: Java 17 loses texts of the second one.
	 */
	private static final Recording RECORDING = new Recording();

	private final TestCertificates certificates = TestCertificates.get();

	@TempDir
	private Path folder;

	@BeforeAll
	static void start() {
		FlightRecorder.register(CompletedHandshakeEvent.class);
		FlightRecorder.register(FailedHandshakeEvent.class);
		RECORDING.start();
	}

	@AfterAll
	static void stop() {
		RECORDING.close();
	}

	@BeforeEach
	void record() {
		RECORDING.enable(COMPLETED).withThreshold(Duration.ZERO);
		RECORDING.enable(FAILED).withThreshold(Duration.ZERO);
	}

	static Stream<Arguments> enginesAndVersions() {
		return Arrays.stream(Engine.values())
			.flatMap((engine) -> Stream.of("-tls1_2", "-tls1_3").map((version) -> Arguments.of(engine, version)));
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenHandshakeIsCompleteThenIsRecorded(Engine engine, String version) throws Exception {
		try (ConnectorServer server = new ConnectorServer(engine).http2()
			.start(ConnectorServer.settings(), verifying())) {
			assertThat(server
				.connectAs("client", version, "-servername", "LOCALHOST", "-alpn", "http/1.1", "-groups", "P-256")
				.isServed()).isTrue();
			assertThat(events(server)).singleElement().satisfies((event) -> {
				assertThat(event.getEventType().getName()).isEqualTo(COMPLETED);
				assertThat(event.getInt("port")).isEqualTo(server.port());
				assertThat(event.getString("clientAddress")).isIn("127.0.0.1", "0:0:0:0:0:0:0:1");
				assertThat(event.getString("serverName")).isEqualTo("localhost");
				assertThat(event.getString("host")).isEqualTo("_default_");
				assertThat(event.getString("protocolVersion")).isEqualTo(version.replace("-tls1_", "TLSv1."));
				assertThat(event.getString("cipherSuite")).startsWith("TLS_");
				assertThat(event.getString("group")).isEqualTo("secp256r1");
				assertThat(event.getBoolean("resumed")).isFalse();
				assertThat(event.getString("applicationProtocol")).isEqualTo("http/1.1");
				assertThat(event.getString("clientSubject")).isEqualTo("CN=client");
				assertThat(event.getString("clientSerialNumber")).isEqualTo(serialNumber("client"));
				assertThat(event.getLong("omitted")).isZero();
				assertThat(event.getStackTrace()).isNull();
				assertThat(event.getDuration()).isPositive();
				assertThat(event.getDuration("cpuTime")).isPositive().isLessThan(Duration.ofMinutes(1));
				// Another thread has verified the client
				assertThat(event.getDuration("handOverTime")).isPositive().isLessThan(event.getDuration());
			});
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenSessionIsResumedThenIsRecorded(Engine engine) throws Exception {
		Path session = this.folder.resolve("session");
		try (ConnectorServer server = new ConnectorServer(engine).start()) {
			TlsClient.connect(server.port(), "-tls1_3", "-sess_out", session.toString());
			TlsClient.connect(server.port(), "-tls1_3", "-sess_in", session.toString());
			assertThat(events(server)).extracting((event) -> event.getBoolean("resumed"))
				.containsExactlyInAnyOrder(false, true);
		}
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenClientIsRefusedThenIsRecorded(Engine engine, String version) throws Exception {
		this.certificates.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
				"-subj", "/O=" + "z".repeat(60) + "/OU=" + "z".repeat(60) + "/L=" + "z".repeat(60)
						+ "/CN=stranger\nTLS 'x'" + "y".repeat(40),
				"-keyout", "stranger.key", "-out", "stranger.crt");
		try (ConnectorServer server = new ConnectorServer(engine).start(ConnectorServer.settings(), verifying())) {
			assertThat(server.connectAs("stranger", version, "-servername", "localhost").isServed()).isFalse();
			Awaitility.await().until(() -> !server.failedHandshakes().isEmpty());
			assertThat(events(server)).singleElement().satisfies((event) -> {
				assertThat(event.getEventType().getName()).isEqualTo(FAILED);
				assertThat(event.getString("reason")).isEqualTo("client certificate issuer unknown");
				assertThat(event.getInt("alert")).isBetween(-1, 255);
				assertThat(event.getString("serverName")).isEqualTo("localhost");
				assertThat(event.getString("host")).isEqualTo("_default_");
				assertThat(event.getString("protocolVersion")).isEqualTo(version.replace("-tls1_", "TLSv1."));
				assertThat(event.getString("clientSubject")).contains("\\u000A", "\\u0027")
					.doesNotContain("\n", "'")
					.hasSizeLessThan(210);
				assertThat(event.getString("clientSerialNumber")).isEqualTo(serialNumber("stranger"));
				assertThat(event.getDuration("cpuTime")).isPositive();
			});
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenServerNameIsNotServedThenIsRecordedInItsCanonicalForm(Engine engine) throws Exception {
		String longest = String.join(".", Collections.nCopies(4, "a".repeat(61)));
		List<String> sent = List.of("OTHER.test.", longest, "other\n.test", "'\u0000'");
		try (ConnectorServer server = new ConnectorServer(engine)
			.start(ConnectorServer.settings(ServerNameRules.of(List.of()), null, null))) {
			for (String name : sent) {
				try (RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1)) {
					client.send(RawClientHello.tls13(Http.HTTP_1_1).serverName(name).record());
					client.outcome();
				}
			}
			Awaitility.await()
				.untilAsserted(() -> assertThat(server.failedHandshakes()).containsEntry("unknown server name",
						(long) sent.size()));
			assertThat(events(server)).extracting((event) -> event.getString("serverName"))
				.containsExactlyInAnyOrder("other.test", longest.substring(0, 200) + "...", "", "");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenStrangersFailAgainAndAgainThenTheyDoNotFillTheRecording(Engine engine) throws Exception {
		int count = 3 * HandshakeRecorder.MOST;
		try (ConnectorServer server = new ConnectorServer(engine).start()) {
			long begin = System.nanoTime();
			for (int i = 0; i < count; i++) {
				try (Socket client = new Socket("localhost", server.port())) {
					client.getOutputStream().write(Http.ascii("GET / HTTP/1.1\r\n\r\n"));
					client.getInputStream().readAllBytes();
				}
			}
			Awaitility.await()
				.untilAsserted(() -> assertThat(server.failedHandshakes()).containsEntry("other", (long) count));
			long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds() + 1;
			List<RecordedEvent> events = events(server);
			assertThat(events).hasSizeLessThanOrEqualTo((int) (seconds * HandshakeRecorder.MOST));
			assertThat(events.stream().mapToLong((event) -> event.getLong("omitted")).sum())
				.isLessThanOrEqualTo(count - events.size());
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenHandshakesAreNotAskedForThenAreNotRecorded(Engine engine) throws Exception {
		RECORDING.disable(COMPLETED);
		RECORDING.disable(FAILED);
		try (ConnectorServer server = new ConnectorServer(engine).start()) {
			TlsClient.connect(server.port(), "-tls1_3");
			TlsClient.connect(server.port(), "-tls1_1", "-cipher", "ALL:@SECLEVEL=0");
			Awaitility.await().until(() -> !server.failedHandshakes().isEmpty());
			assertThat(events(server)).isEmpty();
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenOnlyFailuresOrSlowHandshakesAreAskedForThenOthersAreNotRecorded(Engine engine) throws Exception {
		try (ConnectorServer server = new ConnectorServer(engine).start()) {
			RECORDING.enable(COMPLETED).withThreshold(Duration.ofMinutes(1));
			TlsClient.connect(server.port(), "-tls1_3");
			TlsClient.connect(server.port(), "-tls1_1", "-cipher", "ALL:@SECLEVEL=0");
			Awaitility.await().until(() -> !server.failedHandshakes().isEmpty());
			assertThat(events(server)).singleElement()
				.satisfies((event) -> assertThat(event.getString("reason")).isEqualTo("protocol version"));
		}
	}

	@Test
	void whenEventsAreNotAskedForThenAreOff() {
		assertThat(FlightRecorder.getFlightRecorder().getEventTypes())
			.filteredOn((type) -> List.of(COMPLETED, FAILED).contains(type.getName()))
			.hasSize(2)
			.allSatisfy((type) -> assertThat(type.getSettingDescriptors())
				.filteredOn((setting) -> setting.getName().equals("enabled"))
				.singleElement()
				.satisfies((setting) -> assertThat(setting.getDefaultValue()).isEqualTo("false")));
	}

	@Test
	void whenRuntimeIsWithoutFlightRecorderThenHandshakesAreServed() {
		Commands.Result result = Commands
			.run("", Commands.java(WithoutFlightRecorder.class,
					List.of("--limit-modules", "java.se,jdk.crypto.ec,jdk.unsupported"), List.of()))
			.orFail();
		assertThat(result.output()).contains("module: false, served: true, failed: {protocol version=1}");
	}

	@Test
	void whenNothingIsRecordedThenEventsAreNotLoaded() {
		Commands.Result result = Commands
			.run("", Commands.java(WithoutFlightRecorder.class, List.of("-Xlog:class+load"), List.of()))
			.orFail();
		assertThat(result.output()).contains("module: true, served: true, failed: {protocol version=1}")
			.contains(HandshakeRecorder.class.getName())
			.doesNotContain("jdk.jfr.Event ");
	}

	private static SSLHostConfig verifying() {
		return ConnectorServer.verifying(ConnectorServer.host("p256"), "required", "ca.crt");
	}

	private String serialNumber(String name) {
		return this.certificates.certificate(name + ".crt").getSerialNumber().toString(16);
	}

	private List<RecordedEvent> events(ConnectorServer server) throws IOException {
		Path file = Files.createTempFile(this.folder, "recording", ".jfr");
		RECORDING.dump(file);
		return RecordingFile.readAllEvents(file)
			.stream()
			.filter((event) -> List.of(COMPLETED, FAILED).contains(event.getEventType().getName()))
			.filter((event) -> event.getInt("port") == server.port())
			.toList();
	}

	/**
	 * Serves with a JVM of its own.
	 */
	public static final class WithoutFlightRecorder {

		public static void main(String... arguments) {
			try (ConnectorServer server = new ConnectorServer(Engine.JSSE).start()) {
				boolean served = TlsClient.connect(server.port(), "-tls1_3").isServed();
				TlsClient.connect(server.port(), "-tls1_1", "-cipher", "ALL:@SECLEVEL=0");
				Awaitility.await().until(() -> !server.failedHandshakes().isEmpty());
				System.out.printf("module: %s, served: %s, failed: %s%n",
						ModuleLayer.boot().findModule("jdk.jfr").isPresent(), served, server.failedHandshakes());
			}
		}

	}

}
