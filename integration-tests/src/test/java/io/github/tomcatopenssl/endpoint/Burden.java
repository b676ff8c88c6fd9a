// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.Tls12Client;
import io.github.tomcatopenssl.test.tls.Tls13Client;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import io.github.tomcatopenssl.test.tls.TlsVersion;

import static io.github.tomcatopenssl.test.Http.ascii;
import static io.github.tomcatopenssl.test.Http.frame;
import static io.github.tomcatopenssl.test.tls.TlsBytes.alert;
import static io.github.tomcatopenssl.test.tls.TlsBytes.concat;
import static io.github.tomcatopenssl.test.tls.TlsBytes.hex;
import static io.github.tomcatopenssl.test.tls.TlsBytes.number;
import static io.github.tomcatopenssl.test.tls.TlsBytes.numbers;
import static io.github.tomcatopenssl.test.tls.TlsBytes.record;
import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;

/**
 * A client that wants a connection to cost the server more than it costs the client. It
 * never reads what the server answers.
 *
 * @param name the name
 * @param version the version that it speaks
 * @param http what it would ask with
 * @param start what it does first
 * @param bytes what it sends next, again and again if it floods
 * @param flood whether it floods
 */
record Burden(String name, TlsVersion version, Http http, Start start, Bytes bytes, boolean flood) {

	private static final int MOST_SUITES = 8000;

	/**
	 * Frames or records in a segment.
	 */
	private static final int AT_ONCE = 50;

	/**
	 * Length of a WebSocket ping, in bytes.
	 */
	private static final int PING = 100;

	static List<Burden> all() {
		List<Burden> all = new ArrayList<>(handshakes());
		for (TlsVersion version : TlsVersion.values()) {
			all.add(flood("empty records", version, Http.HTTP_1_1, repeat((client) -> data(client, new byte[0]))));
			all.add(flood("records of an unknown type", version, Http.HTTP_1_1,
					repeat((client) -> client.seal(99, new byte[4]))));
			all.add(flood("alerts", version, Http.HTTP_1_1,
					repeat((client) -> client.seal(TlsBytes.ALERT, alert(1, 90)))));
			all.add(flood("requests", version, Http.HTTP_1_1, repeat(RawTlsClient::request)));
			all.add(once("half a record", version,
					(client) -> Arrays.copyOf(data(client, new byte[1 << 14]), 1 << 14)));
		}
		all.add(flood("KeyUpdates that ask for one", TlsVersion.TLS_1_3, Http.HTTP_1_1,
				repeat((client) -> ((Tls13Client) client).keyUpdate(1))));
		all.add(flood("KeyUpdates", TlsVersion.TLS_1_3, Http.HTTP_1_1,
				repeat((client) -> ((Tls13Client) client).keyUpdate(0))));
		all.add(flood("KeyUpdates that ask for one, between requests", TlsVersion.TLS_1_3, Http.HTTP_1_1,
				(client) -> concat(((Tls13Client) client).keyUpdate(1), client.request())));
		all.add(flood("KeyUpdates that ask for one", TlsVersion.TLS_1_3, Http.H2,
				repeat((client) -> ((Tls13Client) client).keyUpdate(1))));
		all.add(flood("renegotiation", TlsVersion.TLS_1_2, Http.HTTP_1_1,
				repeat((client) -> ((Tls12Client) client).renegotiation())));
		frames(all);
		all.add(flood("requests that expect 100-continue", TlsVersion.TLS_1_3, Http.HTTP_1_1, (client) -> data(client,
				ascii("POST /hello HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx"))));
		all.add(new Burden("a flood of WebSocket pings", TlsVersion.TLS_1_3, Http.HTTP_1_1, Start.WEB_SOCKET, repeat(
				(client) -> data(client, concat(new byte[] { (byte) 0x89, (byte) (0x80 | PING) }, new byte[4 + PING]))),
				true));
		return all;
	}

	/**
	 * Return the burden of a proxy that sends all but the last byte of the longest
	 * header.
	 * @return the burden
	 */
	static Burden proxyHeader() {
		return new Burden("an incomplete header of a proxy", TlsVersion.TLS_1_3, Http.HTTP_1_1, Start.CONNECTION,
				(client) -> concat(hex("0d0a0d0a000d0a515549540a2111"), number(2, 4080), new byte[4079]), false);
	}

	/**
	 * Return the burden of a client that waits after its first request.
	 * @return the burden
	 */
	static Burden idle() {
		return once("nothing", TlsVersion.TLS_1_3, (client) -> new byte[0]);
	}

	/**
	 * Return the burden of a client that sends requests at once over HTTP/2.
	 * @param requests the number of requests
	 * @return the burden
	 */
	static Burden streams(int requests) {
		return flood("requests", TlsVersion.TLS_1_3, Http.H2, repeat(requests, RawTlsClient::request));
	}

	private static List<Burden> handshakes() {
		int[] unknown = IntStream.range(0x5000, 0x5000 + MOST_SUITES).toArray();
		byte[] names = new byte[2 * MOST_SUITES];
		for (int i = 0; i < names.length; i += 2) {
			names[i] = 1;
			names[i + 1] = (byte) ('a' + i % 7);
		}
		List<Burden> all = new ArrayList<>();
		for (TlsVersion version : TlsVersion.values()) {
			all.add(hello("unknown suites", version, (hello) -> {
				int[] suites = Arrays.copyOf(unknown, MOST_SUITES + 2);
				suites[MOST_SUITES] = 0x1301;
				suites[MOST_SUITES + 1] = 0xc02b;
				hello.suites(suites);
			}));
			all.add(hello("application protocols", version, (hello) -> hello.extension(RawClientHello.ALPN,
					vector(2, vector(1, Http.HTTP_1_1.protocol()), names))));
			all.add(hello("groups", version, (hello) -> hello.extension(RawClientHello.SUPPORTED_GROUPS,
					vector(2, numbers(0x001d, 0x0017), numbers(unknown)))));
			all.add(hello("signature schemes", version, (hello) -> hello.extension(RawClientHello.SIGNATURE_ALGORITHMS,
					vector(2, numbers(0x0403, 0x0804), numbers(unknown)))));
			all.add(hello("extensions", version, (hello) -> {
				for (int i = 0; i < MOST_SUITES / 2; i++) {
					hello.extension(0x6000 + i, new byte[0]);
				}
			}));
			all.add(new Burden("an incomplete hello", version, Http.HTTP_1_1, Start.CONNECTION, (client) -> {
				client.hello().padded(16_000);
				byte[] hello = client.hello().record();
				return Arrays.copyOf(hello, hello.length - 1);
			}, false));
			all.add(hello("a server name of 15 KB", version, (hello) -> hello.serverName("a".repeat(15_000))));
		}
		all.add(new Burden("early data", TlsVersion.TLS_1_3, Http.HTTP_1_1, Start.CONNECTION, (client) -> {
			client.hello().extension(42, new byte[0]);
			return concat(client.hello().record(), record(TlsBytes.APPLICATION_DATA, new byte[12_000]));
		}, false));
		return all;
	}

	private static void frames(List<Burden> all) {
		all.add(h2("PING", (client, i) -> frame(6, 0, 0, new byte[8])));
		all.add(h2("SETTINGS", (client, i) -> frame(4, 0, 0, new byte[0])));
		all.add(h2("WINDOW_UPDATE", (client, i) -> frame(8, 0, 0, new byte[] { 0, 0, 0, 1 })));
		all.add(h2("PRIORITY", (client, i) -> frame(2, 0, 2 * i + 1001, new byte[] { 0, 0, 0, 0, 1 })));
		all.add(h2("frames of an unknown type", (client, i) -> frame(0xfa, 0, 0, new byte[0])));
		all.add(streams(AT_ONCE));
		all.add(flood("requests with RST_STREAM", TlsVersion.TLS_1_3, Http.H2,
				repeat((client) -> concat(client.request(),
						data(client, frame(3, 0, 2 * client.requests() - 1, new byte[] { 0, 0, 0, 8 }))))));
	}

	private static Burden h2(String name, Frame next) {
		return flood(name, TlsVersion.TLS_1_3, Http.H2, (client) -> {
			byte[][] frames = new byte[AT_ONCE][];
			for (int i = 0; i < AT_ONCE; i++) {
				frames[i] = data(client, next.of(client, i));
			}
			return concat(frames);
		});
	}

	private static Burden hello(String name, TlsVersion version, Change change) {
		return new Burden("a hello with " + name, version, Http.HTTP_1_1, Start.CONNECTION, (client) -> {
			change.apply(client.hello());
			return concat(client.hello().records(1 << 14));
		}, false);
	}

	private static Burden once(String name, TlsVersion version, Bytes bytes) {
		return new Burden(name, version, Http.HTTP_1_1, Start.REQUEST, bytes, false);
	}

	private static Burden flood(String name, TlsVersion version, Http http, Bytes bytes) {
		return new Burden("a flood of " + name, version, http, Start.REQUEST, bytes, true);
	}

	private static Bytes repeat(Bytes bytes) {
		return repeat(AT_ONCE, bytes);
	}

	private static Bytes repeat(int number, Bytes bytes) {
		return (client) -> {
			byte[][] all = new byte[number][];
			for (int i = 0; i < number; i++) {
				all[i] = bytes.next(client);
			}
			return concat(all);
		};
	}

	private static byte[] data(RawTlsClient client, byte[] content) {
		return client.seal(TlsBytes.APPLICATION_DATA, content);
	}

	/**
	 * Connect, and bring the connection to where the burden begins.
	 * @param port the port of the server
	 * @return the client
	 * @throws IOException if the handshake fails
	 */
	RawTlsClient connect(int port) throws IOException {
		RawTlsClient client = this.version.connect(port, this.http);
		boolean started = false;
		try {
			this.start.run(client);
			started = true;
			return client;
		}
		finally {
			if (!started) {
				client.close();
			}
		}
	}

	@Override
	public String toString() {
		return "%s (%s, %s)".formatted(this.name, this.version, this.http);
	}

	interface Bytes {

		byte[] next(RawTlsClient client) throws IOException;

	}

	private interface Frame {

		byte[] of(RawTlsClient client, int number);

	}

	private interface Change {

		void apply(RawClientHello hello);

	}

	enum Start {

		CONNECTION {

			@Override
			void run(RawTlsClient client) {
			}

		},

		REQUEST {

			@Override
			void run(RawTlsClient client) throws IOException {
				client.completeHandshake();
				client.send(client.request());
				client.answers(1);
			}

		},

		WEB_SOCKET {

			@Override
			void run(RawTlsClient client) throws IOException {
				client.completeHandshake();
				client.send(data(client, ascii("""
						GET /messages HTTP/1.1
						Host: localhost
						Connection: Upgrade
						Upgrade: websocket
						Sec-WebSocket-Version: 13
						Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==

						""".replace("\n", "\r\n"))));
				client.responses(1);
			}

		};

		abstract void run(RawTlsClient client) throws IOException;

	}

}
