// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.tls.HandshakeFailure;
import io.github.tomcatopenssl.test.tls.HelloSegments;
import io.github.tomcatopenssl.test.tls.KeyExchange;
import io.github.tomcatopenssl.test.tls.Outcome;
import io.github.tomcatopenssl.test.tls.Outcome.End;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.Tls13Client;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.tomcatopenssl.test.tls.TlsBytes.ALERT;
import static io.github.tomcatopenssl.test.tls.TlsBytes.APPLICATION_DATA;
import static io.github.tomcatopenssl.test.tls.TlsBytes.concat;
import static io.github.tomcatopenssl.test.tls.TlsBytes.numbers;
import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * Tests of clients whose behaviour is allowed but rare.
 */
@Tag("jdk")
@ParameterizedClass
@ValueSource(booleans = { false, true })
class UnusualClientTests extends AbstractEngineTests {

	private static final Duration AT_ONCE = Duration.ofSeconds(1);

	private final boolean nonBlocking;

	UnusualClientTests(boolean nonBlocking) {
		this.nonBlocking = nonBlocking;
	}

	@Override
	ConnectorServer start(ConnectorServer server) {
		return (this.nonBlocking ? server.answer("/hello", UnusualClientTests::answer) : server).start();
	}

	// As Spring WebFlux does
	private static void answer(HttpServletRequest request, HttpServletResponse response) throws IOException {
		AsyncContext context = request.startAsync();
		ServletOutputStream out = response.getOutputStream();
		out.setWriteListener(new WriteListener() {

			@Override
			public void onWritePossible() throws IOException {
				if (out.isReady()) {
					out.print("hello");
					context.complete();
				}
			}

			@Override
			public void onError(Throwable ex) {
				context.complete();
			}

		});
	}

	static List<Object> clients() {
		return clients(EnumSet.allOf(Engine.class), TlsVersion.values(), Http.values());
	}

	// JSSE ends a TLS 1.3 connection over an empty record, which is allowed
	static List<Object> clientsWithEmptyRecords() {
		List<Object> clients = new ArrayList<>(clients(EnumSet.of(Engine.OPENSSL), TlsVersion.values(), Http.values()));
		clients.addAll(clients(EnumSet.of(Engine.JSSE), new TlsVersion[] { TlsVersion.TLS_1_2 }, Http.values()));
		return clients;
	}

	// Before TLS 1.3, JSSE closes both directions (RFC 5246, 7.2.1)
	static List<Object> clientsThatCloseOneDirection() {
		Http[] http = { Http.HTTP_1_1 };
		List<Object> clients = new ArrayList<>(clients(EnumSet.of(Engine.OPENSSL), TlsVersion.values(), http));
		clients.addAll(clients(EnumSet.of(Engine.JSSE), new TlsVersion[] { TlsVersion.TLS_1_3 }, http));
		return clients;
	}

	// JSSE loses the close_notify to what HTTP/2 writes at the same time
	static List<Object> clientsThatAreToldOfTheEnd() {
		Http[] http = { Http.HTTP_1_1 };
		List<Object> clients = new ArrayList<>(clients(EnumSet.of(Engine.OPENSSL), TlsVersion.values(), Http.values()));
		clients.addAll(clients(EnumSet.of(Engine.JSSE), TlsVersion.values(), http));
		return clients;
	}

	private static List<Object> clients(Set<Engine> engines, TlsVersion[] versions, Http[] protocols) {
		List<Object> arguments = new ArrayList<>();
		for (Engine engine : engines) {
			for (TlsVersion version : versions) {
				for (Http http : protocols) {
					arguments.add(argumentSet("%s, %s, %s".formatted(engine, version, http), engine, version, http));
				}
			}
		}
		return arguments;
	}

	@ParameterizedTest
	@MethodSource("clientsWithEmptyRecords")
	void whenRequestFollowsEmptyRecordsInASegmentThenIsAnswered(Engine engine, TlsVersion version, Http http)
			throws Exception {
		try (RawTlsClient client = version.connect(port(engine), http)) {
			client.completeHandshake();
			client.send(empty(client), client.request());
			assertThat(client.answers(1).answers()).isOne();
			client.send(empty(client), empty(client), empty(client), empty(client), client.request());
			assertThat(client.answers(2).answers()).isEqualTo(2);
			client.send(empty(client), client.request(), empty(client), client.request(), empty(client));
			assertThat(client.answers(4).answers()).isEqualTo(4);
		}
	}

	@ParameterizedTest
	@MethodSource("clientsWithEmptyRecords")
	void whenRequestsFollowFinishedInItsSegmentThenAreAnswered(Engine engine, TlsVersion version, Http http)
			throws Exception {
		try (RawTlsClient client = version.connect(port(engine), http)) {
			client.send(client.hello().record());
			client.send(client.flight(), empty(client), client.request(), empty(client), client.request());
			assertThat(client.answers(2).answers()).isEqualTo(2);
		}
	}

	@ParameterizedTest
	@MethodSource("clients")
	void whenRequestIsARecordForEachByteThenIsAnswered(Engine engine, TlsVersion version, Http http) throws Exception {
		try (RawTlsClient client = version.connect(port(engine), http)) {
			client.completeHandshake();
			byte[] request = http.request(0);
			byte[][] records = new byte[request.length][];
			for (int i = 0; i < request.length; i++) {
				records[i] = client.seal(APPLICATION_DATA, new byte[] { request[i] });
			}
			client.send(records);
			assertThat(client.answers(1).answers()).isOne();
		}
	}

	@ParameterizedTest
	@MethodSource("clientsThatCloseOneDirection")
	void whenCloseNotifyFollowsRequestInItsSegmentThenIsAnsweredAndClosed(Engine engine, TlsVersion version, Http http)
			throws Exception {
		assertThat(half(engine, version, http, 0, false).answers()).isOne();
		assertThat(half(engine, version, http, 1, true).answers()).isEqualTo(2);
		// With JSSE, Tomcat's channel drops what came with the last message of the
		// handshake if the socket has ended before it reads again
		if (engine == Engine.OPENSSL) {
			assertThat(half(engine, version, http, 0, true).answers()).isOne();
		}
	}

	@ParameterizedTest
	@MethodSource("clientsThatAreToldOfTheEnd")
	void whenCloseNotifyFollowsRequestInItsSegmentThenIsClosed(Engine engine, TlsVersion version, Http http)
			throws Exception {
		for (boolean shutdown : new boolean[] { false, true }) {
			Outcome outcome = half(engine, version, http, 0, shutdown);
			assertThat(outcome.records().get(outcome.records().size() - 1)).matches((last) -> last.isAlert(0),
					"is close_notify");
			assertThat(outcome.end()).isEqualTo(End.EOF);
			assertThat(outcome.after()).isLessThan(AT_ONCE);
		}
	}

	private Outcome half(Engine engine, TlsVersion version, Http http, int before, boolean shutdown)
			throws IOException {
		try (RawTlsClient client = version.connect(port(engine), http)) {
			client.completeHandshake();
			for (int i = 1; i <= before; i++) {
				client.send(client.request());
				assertThat(client.answers(i).answers()).isEqualTo(i);
			}
			client.send(client.request(), client.seal(ALERT, TlsBytes.alert(1, 0)));
			if (shutdown) {
				client.shutdownOutput();
			}
			return client.outcome();
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenIdleClientAsksForAnUpdateOfKeysThenGetsItBeforeTheNextAnswer(Engine engine) throws Exception {
		for (Http http : Http.values()) {
			try (Tls13Client client = new Tls13Client(port(engine), http)) {
				client.completeHandshake();
				client.send(client.request());
				client.answers(1);
				for (int i = 1; i < 4; i++) {
					client.send(client.keyUpdate(1));
					assertThat(client.outcome(Duration.ofMillis(50))).matches((idle) -> !idle.isClosed(), "is open");
					client.send(client.request());
					assertThat(client.answers(i + 1).answers()).isEqualTo(i + 1);
					assertThat(client.updates()).isEqualTo(i);
				}
				client.send(client.keyUpdate(0), client.request());
				assertThat(client.answers(5).answers()).isEqualTo(5);
				assertThat(client.updates()).isEqualTo(3);
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenKeysAreUpdatedManyTimesThenIsServed(Engine engine) throws Exception {
		try (Tls13Client client = new Tls13Client(port(engine), Http.HTTP_1_1)) {
			client.completeHandshake();
			for (int i = 1; i <= 10; i++) {
				for (int j = 0; j < 30; j++) {
					client.send(client.keyUpdate(0));
				}
				client.send(client.request());
				assertThat(client.answers(i).answers()).isEqualTo(i);
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenKeysAreUpdatedWhileAnswersAreWrittenThenAllDecrypt(Engine engine) throws Exception {
		for (int i = 0; i < 20; i++) {
			try (Tls13Client client = new Tls13Client(port(engine), Http.H2)) {
				client.completeHandshake();
				for (int j = 0; j < 20; j++) {
					client.send(client.request());
					client.send(client.keyUpdate(1));
				}
				assertThat(client.answers(20).answers()).isEqualTo(20);
			}
		}
	}

	@ParameterizedTest
	@MethodSource("clients")
	void whenHelloComesInPiecesThenIsServed(Engine engine, TlsVersion version, Http http) throws Exception {
		for (HelloSegments segments : HelloSegments.values()) {
			try (RawTlsClient client = version.connect(port(engine), http)) {
				client.completeHandshake(segments.of(client.hello()));
				client.send(client.request());
				assertThat(client.answers(1).answers()).as(segments.name()).isOne();
			}
		}
	}

	@ParameterizedTest
	@MethodSource("clients")
	void whenHelloNamesAHundredGroupsThenIsServed(Engine engine, TlsVersion version, Http http) throws Exception {
		int[] groups = IntStream.concat(IntStream.range(0x6000, 0x6062), IntStream.of(KeyExchange.X25519, 0x0017))
			.toArray();
		try (RawTlsClient client = version.connect(port(engine), http)) {
			client.completeHandshake(
					client.hello().extension(RawClientHello.SUPPORTED_GROUPS, vector(2, numbers(groups))).record());
			client.send(client.request());
			assertThat(client.answers(1).answers()).isOne();
		}
	}

	// RFC 8446, 4.2.8: a server may refuse it, and need not
	@ParameterizedTest
	@EnumSource
	void whenKeyShareIsRepeatedThenIsServedOrRefused(Engine engine) throws Exception {
		byte[] share = concat(numbers(KeyExchange.X25519), vector(2, KeyExchange.publicKey()));
		byte[] shares = IntStream.range(0, 300).mapToObj((i) -> share).reduce(new byte[0], TlsBytes::concat);
		try (Tls13Client client = new Tls13Client(port(engine), Http.HTTP_1_1)) {
			byte[] hello = client.hello().extension(RawClientHello.KEY_SHARE, vector(2, shares)).record();
			try {
				client.completeHandshake(hello);
			}
			catch (HandshakeFailure refused) {
				assertThat(client.outcome()).matches(Outcome::isClosed, "is closed");
				return;
			}
			client.send(client.request());
			assertThat(client.answers(1).answers()).isOne();
		}
	}

	private static byte[] empty(RawTlsClient client) {
		return client.seal(APPLICATION_DATA, new byte[0]);
	}

}
