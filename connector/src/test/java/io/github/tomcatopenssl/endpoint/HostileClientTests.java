// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.tls.Outcome;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * Tests of what hostile clients get: what they have to, but no data of other connections
 * from Tomcat's pooled buffers. Other clients are served meanwhile.
 */
@Tag("jdk")
class HostileClientTests extends AbstractEngineTests {

	private static final String MARKER = "d2b1f3a0-secret-of-another-client-";

	private static final int CONNECTIONS = 4;

	/**
	 * What is before the ciphertext of a record, with the nonce of TLS 1.2, which is the
	 * same on every connection.
	 */
	private static final int BEFORE_CIPHERTEXT = 13;

	private final Set<Long> sentToOthers = new HashSet<>();

	@Override
	ConnectorServer start(ConnectorServer server) {
		return server
			.answer("/marker",
					(request, response) -> response.getWriter().write(request.getParameter("value").repeat(300)))
			.start();
	}

	static List<Object> cases() {
		List<Object> arguments = new ArrayList<>();
		for (Engine engine : Engine.values()) {
			HostileCase.all().forEach((hostile) -> arguments.add(argumentSet(engine + " " + hostile, engine, hostile)));
		}
		return arguments;
	}

	@ParameterizedTest
	@MethodSource("cases")
	void whenClientIsHostileThenIsRefusedWithoutDataOfOthersAndOthersAreServed(Engine engine, HostileCase hostile)
			throws Exception {
		fillBuffers(port(engine), hostile.version());
		try (RawTlsClient client = hostile.connect(port(engine))) {
			AssertionError failure = null;
			try {
				hostile.run(engine, client);
			}
			catch (AssertionError ex) {
				failure = ex;
			}
			assertThat(new String(client.received(), StandardCharsets.ISO_8859_1)).doesNotContain(MARKER);
			assertThat(ofOthers(client.received())).as("of others").isZero();
			if (failure != null) {
				throw failure;
			}
		}
		assertServes(engine);
	}

	@ParameterizedTest
	@MethodSource("io.github.tomcatopenssl.endpoint.UnusualClientTests#clients")
	void whenBuffersAreFilledThenWhatIsSentIsRecognized(Engine engine, TlsVersion version, Http http) throws Exception {
		List<byte[]> received = fillBuffers(port(engine), version);
		assertThat(received).hasSize(CONNECTIONS).allMatch((bytes) -> ofOthers(bytes) > 8000);
	}

	// Connections at the same time, so that as many channels are pooled
	private List<byte[]> fillBuffers(int port, TlsVersion version) throws IOException {
		List<RawTlsClient> clients = new ArrayList<>();
		List<byte[]> received = new ArrayList<>();
		for (int i = 0; i < CONNECTIONS; i++) {
			RawTlsClient client = version.connect(port, Http.HTTP_1_1);
			client.completeHandshake();
			clients.add(client);
		}
		for (RawTlsClient client : clients) {
			String request = "GET /marker?value=%s HTTP/1.1\r\nHost: localhost\r\nX-Marker: %s\r\nConnection: close\r\n\r\n"
				.formatted(MARKER, MARKER.repeat(100));
			client.send(client.seal(TlsBytes.APPLICATION_DATA, request.getBytes(StandardCharsets.US_ASCII)));
		}
		for (RawTlsClient client : clients) {
			try (client) {
				Outcome outcome = client.outcome();
				assertThat(outcome).matches(Outcome::isClosed, "is closed");
				outcome.records()
					.stream()
					.filter((record) -> record.type() == TlsBytes.APPLICATION_DATA)
					.forEach((record) -> remember(record.bytes()));
				received.add(client.received());
			}
		}
		return received;
	}

	private void remember(byte[] record) {
		this.sentToOthers.addAll(windows(Arrays.copyOfRange(record, BEFORE_CIPHERTEXT, record.length)));
	}

	private long ofOthers(byte[] received) {
		return windows(received).stream().filter(this.sentToOthers::contains).count();
	}

	private static List<Long> windows(byte[] bytes) {
		ByteBuffer buffer = ByteBuffer.wrap(bytes);
		List<Long> windows = new ArrayList<>();
		for (int i = 0; i + Long.BYTES <= bytes.length; i++) {
			windows.add(buffer.getLong(i));
		}
		return windows;
	}

}
