// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.JavaClient.Managers;
import io.github.tomcatopenssl.test.tls.Outcome;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import io.github.tomcatopenssl.test.tls.TlsVersion;

import static io.github.tomcatopenssl.test.Http.ascii;
import static io.github.tomcatopenssl.test.Http.frame;
import static io.github.tomcatopenssl.test.tls.TlsBytes.ALERT;
import static io.github.tomcatopenssl.test.tls.TlsBytes.alert;
import static io.github.tomcatopenssl.test.tls.TlsBytes.hex;
import static io.github.tomcatopenssl.test.tls.TlsBytes.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A way in which a connection can end.
 *
 * @param name the name
 * @param connections how many connections end at once, because they wait for it
 * @param verifiesClients whether the server verifies the certificates of clients
 * @param action has them end
 */
record ConnectionEnd(String name, int connections, boolean verifiesClients, Action action) {

	private static final int TOGETHER = 50;

	/**
	 * For some events.
	 */
	private static final Duration BRIEFLY = Duration.ofMillis(10);

	private static final String WEB_SOCKET = """
			GET /messages HTTP/1.1
			Host: localhost
			Connection: Upgrade
			Upgrade: websocket
			Sec-WebSocket-Version: 13
			Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==

			""".replace("\n", "\r\n");

	/**
	 * Those that an application has a part in, for WebFlux on the same endpoint.
	 * @return the ends
	 */
	static List<ConnectionEnd> ofRequests() {
		List<ConnectionEnd> all = new ArrayList<>();
		for (Http http : Http.values()) {
			connections(TlsVersion.TLS_1_3, http, all);
		}
		responses(all);
		return all;
	}

	static List<ConnectionEnd> all() {
		List<ConnectionEnd> all = new ArrayList<>();
		all.add(single("a reset before a byte", (port) -> {
			Socket socket = new Socket("localhost", port);
			socket.setSoLinger(true, 0);
			socket.close();
		}));
		all.add(single("FIN before a byte", (port) -> new Socket("localhost", port).close()));
		all.add(raw("rubbish", TlsVersion.TLS_1_3, Http.HTTP_1_1, (client) -> {
			client.send(ascii("GET / HTTP/1.1\r\n\r\n"));
			client.received();
		}));
		all.add(raw("an unknown server name", TlsVersion.TLS_1_3, Http.HTTP_1_1, (client) -> {
			client.hello().serverName("unknown.example.com");
			client.send(client.hello().record());
			client.outcome();
		}));
		all.add(raw("an unknown application protocol", TlsVersion.TLS_1_3, Http.HTTP_1_1, (client) -> {
			client.hello().extension(RawClientHello.ALPN, TlsBytes.vector(2, TlsBytes.vector(1, ascii("foo"))));
			client.send(client.hello().record());
			client.outcome();
		}));
		for (TlsVersion version : TlsVersion.values()) {
			handshakes(version, all);
			for (Http http : Http.values()) {
				connections(version, http, all);
			}
		}
		Managers refused = JavaClient.managers("other-client", "p256.crt");
		all.add(new ConnectionEnd("a client certificate that is refused", 1, true, (port) -> {
			try (SSLSocket socket = new JavaClient(refused).connect(port)) {
				assertThatExceptionOfType(IOException.class).isThrownBy(() -> JavaClient.get(socket, "/hello"))
					.isInstanceOfAny(SSLException.class, SocketException.class);
			}
		}));
		Managers accepted = JavaClient.managers("client", "p256.crt");
		all.add(new ConnectionEnd("a client certificate that is accepted", 1, true, (port) -> {
			try (SSLSocket socket = new JavaClient(accepted).connect(port)) {
				assertThat(JavaClient.get(socket, "/hello")).endsWith("hello");
			}
		}));
		responses(all);
		all.add(timeout("a timeout before a byte", (client) -> {
		}));
		all.add(timeout("a timeout in the hello", (client) -> {
			byte[] hello = client.hello().record();
			client.send(Arrays.copyOf(hello, hello.length / 2));
		}));
		all.add(timeout("a timeout in the handshake", (client) -> client.send(client.hello().record())));
		all.add(timeout("a timeout of an idle connection", (client) -> {
			client.completeHandshake();
			client.send(client.request());
			client.answers(1);
		}));
		all.add(together("an asynchronous timeout", (client) -> get("/never", client), (client) -> {
			client.responses(1);
			client.reset();
		}));
		all.add(raw("a WebSocket that is aborted", TlsVersion.TLS_1_3, Http.HTTP_1_1, (client) -> {
			client.completeHandshake();
			client.send(client.seal(TlsBytes.APPLICATION_DATA, ascii(WEB_SOCKET)));
			client.responses(1);
			client.reset();
		}));
		return all;
	}

	private static void handshakes(TlsVersion version, List<ConnectionEnd> all) {
		all.add(raw("a reset in the hello", version, Http.HTTP_1_1, (client) -> {
			byte[] hello = client.hello().record();
			client.send(Arrays.copyOf(hello, hello.length / 2));
			client.reset();
		}));
		all.add(raw("a reset after the hello", version, Http.HTTP_1_1, (client) -> {
			client.send(client.hello().record());
			client.reset();
		}));
		all.add(raw("a reset instead of the last flight", version, Http.HTTP_1_1, (client) -> {
			client.send(client.hello().record());
			client.flight();
			client.reset();
		}));
		all.add(raw("a reset after the last flight", version, Http.HTTP_1_1, (client) -> {
			client.send(client.hello().record());
			client.send(client.flight());
			client.reset();
		}));
		all.add(raw("FIN after the hello", version, Http.HTTP_1_1, (client) -> {
			client.send(client.hello().record());
			client.shutdownOutput();
			client.outcome();
		}));
		all.add(raw("a wrong Finished", version, Http.HTTP_1_1, (client) -> {
			client.send(client.hello().record());
			byte[] flight = client.flight();
			flight[flight.length - 1] ^= 1;
			client.send(flight);
			client.outcome();
		}));
	}

	private static void connections(TlsVersion version, Http http, List<ConnectionEnd> all) {
		all.add(established("a reset", version, http, RawTlsClient::reset));
		all.add(established("FIN", version, http, (client) -> {
			client.shutdownOutput();
			client.outcome();
		}));
		all.add(established("close_notify", version, http, (client) -> {
			client.send(client.seal(ALERT, alert(1, 0)));
			client.outcome();
		}));
		all.add(established("a fatal alert", version, http, (client) -> {
			client.send(client.seal(ALERT, alert(2, 80)));
			client.outcome();
		}));
		all.add(established("a bad record", version, http, (client) -> {
			client.send(record(TlsBytes.APPLICATION_DATA, new byte[64]));
			client.outcome();
		}));
		all.add(established("a reset in a record", version, http, (client) -> {
			client.send(hex("1703030040"));
			client.reset();
		}));
		all.add(established("a reset in a request", version, http, (client) -> {
			client.send(client.seal(TlsBytes.APPLICATION_DATA, Arrays.copyOf(http.request(1), 10)));
			client.reset();
		}));
		all.add(established("a reset in a request that follows another", version, http, (client) -> {
			client.send(client.seal(TlsBytes.APPLICATION_DATA,
					TlsBytes.concat(http.request(1), Arrays.copyOf(http.request(2), 10))));
			client.answers(1);
			client.reset();
		}));
		if (http == Http.H2) {
			all.add(established("GOAWAY", version, http, (client) -> {
				client.send(client.seal(TlsBytes.APPLICATION_DATA, frame(7, 0, 0, new byte[8])));
				client.reset();
			}));
			all.add(established("a flood of RST_STREAM", version, http, (client) -> {
				for (int i = 1; i < 20; i++) {
					client.send(client.request(),
							client.seal(TlsBytes.APPLICATION_DATA, frame(3, 0, 2 * i + 1, new byte[] { 0, 0, 0, 8 })));
				}
				client.reset();
			}));
		}
	}

	private static void responses(List<ConnectionEnd> all) {
		all.add(request("a reset in the response", "/large", (client) -> {
			client.responses(1);
			client.reset();
		}));
		all.add(request("a reset while the response waits", "/large", RawTlsClient::reset));
		all.add(request("a reset while nothing is answered", "/slow", RawTlsClient::reset));
		all.add(request("a reset of a stream of events", "/events", (client) -> {
			client.outcome(BRIEFLY);
			client.reset();
		}));
		all.add(request("FIN in a stream of events", "/events", (client) -> {
			client.outcome(BRIEFLY);
			client.shutdownOutput();
		}));
	}

	private static ConnectionEnd request(String name, String path, RawAction action) {
		return raw(name, TlsVersion.TLS_1_3, Http.HTTP_1_1, (client) -> {
			get(path, client);
			action.run(client);
		});
	}

	private static void get(String path, RawTlsClient client) throws IOException {
		client.completeHandshake();
		client.send(client.seal(TlsBytes.APPLICATION_DATA,
				ascii("GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(path))));
	}

	private static ConnectionEnd established(String name, TlsVersion version, Http http, RawAction action) {
		return raw(name + " after an answer", version, http, (client) -> {
			client.completeHandshake();
			client.send(client.request());
			client.answers(1);
			action.run(client);
		});
	}

	private static ConnectionEnd raw(String name, TlsVersion version, Http http, RawAction action) {
		return single("%s (%s, %s)".formatted(name, version, http), (port) -> {
			try (RawTlsClient client = version.connect(port, http)) {
				action.run(client);
			}
		});
	}

	private static ConnectionEnd single(String name, Action action) {
		return new ConnectionEnd(name, 1, false, action);
	}

	private static ConnectionEnd timeout(String name, RawAction action) {
		return together(name, action, (client) -> assertThat(client.outcome()).matches(Outcome::isClosed, "is closed"));
	}

	private static ConnectionEnd together(String name, RawAction first, RawAction then) {
		return new ConnectionEnd(name, TOGETHER, false, (port) -> {
			List<RawTlsClient> clients = new ArrayList<>();
			for (int i = 0; i < TOGETHER; i++) {
				RawTlsClient client = TlsVersion.TLS_1_3.connect(port, Http.HTTP_1_1);
				clients.add(client);
				first.run(client);
			}
			for (RawTlsClient client : clients) {
				then.run(client);
				client.close();
			}
		});
	}

	void run(int port) throws IOException {
		this.action.run(port);
	}

	@Override
	public String toString() {
		return this.name;
	}

	interface Action {

		void run(int port) throws IOException;

	}

	interface RawAction {

		void run(RawTlsClient client) throws IOException;

	}

}
