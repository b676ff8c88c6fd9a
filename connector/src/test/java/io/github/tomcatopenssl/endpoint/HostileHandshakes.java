// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.tomcatopenssl.endpoint.HostileCase.Attack;
import io.github.tomcatopenssl.endpoint.HostileCase.Reaction;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.tls.KeyExchange;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import io.github.tomcatopenssl.test.tls.TlsVersion;

import static io.github.tomcatopenssl.test.tls.TlsBytes.CHANGE_CIPHER_SPEC;
import static io.github.tomcatopenssl.test.tls.TlsBytes.handshake;
import static io.github.tomcatopenssl.test.tls.TlsBytes.hex;
import static io.github.tomcatopenssl.test.tls.TlsBytes.numbers;
import static io.github.tomcatopenssl.test.tls.TlsBytes.record;
import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;

/**
 * Clients that never complete a handshake.
 */
final class HostileHandshakes {

	private static final int UNKNOWN = 0x7a7a;

	// Where lengths are in the hello for TLS 1.3: the last one from its end
	private static final int SUITES = 4 + 2 + 32 + 1 + 32;

	private static final int EXTENSIONS = SUITES + 2 + 2 + 2;

	private static final int KEY_SHARE = 2 + 2 + 2 + 2 + 32;

	private static final byte[] CHANGE = record(CHANGE_CIPHER_SPEC, new byte[] { 1 });

	private HostileHandshakes() {
	}

	static List<HostileCase> all() {
		return Stream.of(firstRecords(), hellos(), lastFlights()).flatMap(List::stream).toList();
	}

	private static List<HostileCase> firstRecords() {
		return List.of(first("application data first", "17 0303 0002 4141"),
				first("empty application data first", "17 0303 0000"),
				first("change cipher spec first", "14 0303 0001 01"), first("heartbeat first", "18 0303 0003 010000"),
				first("content type zero first", "00 0303 0002 4141"),
				first("zeros first", "00".repeat(64), Reaction.END),
				first("a fatal alert first", "15 0301 0002 0228", Reaction.END),
				first("close_notify first", "15 0301 0002 0100", Reaction.END),
				first("SSLv2 hello",
						"802e 01 0002 0015 0000 0010" + "010080020080030080040080050080060040070040" + "5a".repeat(16),
						Reaction.END),
				first("length 0xffff", "16 0301 ffff", Reaction.END),
				first("length 0xffff and more", "16 0301 ffff" + "01".repeat(32), Reaction.END),
				first("length 18,433", "16 0303 4801" + "01".repeat(32), Reaction.END).withJsse(Reaction.RECORDS),
				first("Finished first", hex(record(TlsBytes.HANDSHAKE, handshake(20, new byte[32])))),
				first("ClientHello of 16 MB", "16 0301 0040 01 ffffff 0303" + "00".repeat(58)));
	}

	private static List<HostileCase> hellos() {
		return List.of(hello13("no key share", (hello) -> hello.without(RawClientHello.KEY_SHARE)),
				hello13("key share without a key",
						(hello) -> hello.extension(RawClientHello.KEY_SHARE,
								vector(2, numbers(KeyExchange.X25519), vector(2)))),
				hello13("short key share",
						(hello) -> hello.extension(RawClientHello.KEY_SHARE,
								vector(2, numbers(KeyExchange.X25519), vector(2, new byte[31])))),
				hello13("key share of zeros",
						(hello) -> hello.extension(RawClientHello.KEY_SHARE,
								vector(2, numbers(KeyExchange.X25519), vector(2, new byte[32])))),
				hello13("no common group",
						(hello) -> hello.extension(RawClientHello.SUPPORTED_GROUPS, vector(2, numbers(UNKNOWN)))
							.extension(RawClientHello.KEY_SHARE, vector(2, numbers(UNKNOWN), vector(2, new byte[32])))),
				hello13("no groups", (hello) -> hello.without(RawClientHello.SUPPORTED_GROUPS)),
				hello13("no common suite", (hello) -> hello.suites(UNKNOWN)),
				hello13("no common version",
						(hello) -> hello.extension(RawClientHello.SUPPORTED_VERSIONS, vector(1, numbers(UNKNOWN)))),
				hello13("bad list of versions",
						(hello) -> hello.extension(RawClientHello.SUPPORTED_VERSIONS, hex("ff0304"))),
				hello13("bad list of key shares",
						(hello) -> hello.extension(RawClientHello.KEY_SHARE, hex("ffff001d"))),
				new HostileCase("asked for a key share and not given", TlsVersion.TLS_1_3, Http.HTTP_1_1, (client) -> {
					byte[] hello = client.hello().extension(RawClientHello.KEY_SHARE, vector(2)).record();
					client.send(hello);
					client.message();
					client.send(hello);
				}).withJsse(Reaction.RECORDS),
				hello12("no common group",
						(hello) -> hello.extension(RawClientHello.SUPPORTED_GROUPS, vector(2, numbers(UNKNOWN)))),
				hello12("no common suite", (hello) -> hello.suites(UNKNOWN)),
				hello12("no common signature",
						(hello) -> hello.extension(RawClientHello.SIGNATURE_ALGORITHMS, vector(2, numbers(UNKNOWN)))),
				hello12("TLS 1.1", (hello) -> hello.version(0x0302)),
				hello12("TLS 1.0", (hello) -> hello.version(0x0301)),
				hello12("bad legacy version", (hello) -> hello.version(0x0200)),
				hello12("bad renegotiation info",
						(hello) -> hello.extension(RawClientHello.RENEGOTIATION_INFO, vector(1, new byte[12]))),
				broken("extensions longer than the hello", (hello) -> hello[EXTENSIONS] = 0x7f),
				broken("the last extension longer than the hello", (hello) -> hello[hello.length - KEY_SHARE] = 0x7f),
				broken("suites longer than the hello", (hello) -> hello[SUITES] = 0x7f));
	}

	private static List<HostileCase> lastFlights() {
		List<HostileCase> cases = new ArrayList<>();
		for (TlsVersion version : TlsVersion.values()) {
			cases.add(new HostileCase("wrong Finished", version, Http.HTTP_1_1, (client) -> {
				client.send(client.hello().record());
				byte[] flight = client.flight();
				flight[flight.length - 1] ^= 1;
				client.send(flight);
			}));
			cases
				.add(beforeFinished("wrong change cipher spec", version, record(CHANGE_CIPHER_SPEC, new byte[] { 2 })));
			cases.add(beforeFinished("a bad record", version, record(TlsBytes.APPLICATION_DATA, new byte[64])));
		}
		cases.add(beforeFinished("early change cipher spec", TlsVersion.TLS_1_2, CHANGE));
		byte[][] tooMany = Collections.nCopies(40, CHANGE).toArray(byte[][]::new);
		cases.add(beforeFinished("40 times change cipher spec", TlsVersion.TLS_1_3, TlsBytes.concat(tooMany)));
		return cases;
	}

	private static HostileCase beforeFinished(String name, TlsVersion version, byte[] bytes) {
		return new HostileCase(name + " before Finished", version, Http.HTTP_1_1, (client) -> {
			client.send(client.hello().record());
			byte[] flight = client.flight();
			client.send(bytes, flight);
		});
	}

	private static HostileCase first(String name, String bytes) {
		return first(name, bytes, Reaction.ALERT);
	}

	private static HostileCase first(String name, String bytes, Reaction reaction) {
		return new HostileCase(name, TlsVersion.TLS_1_3, Http.HTTP_1_1, (client) -> client.send(hex(bytes)), reaction);
	}

	private static HostileCase hello13(String name, Consumer<RawClientHello> change) {
		return new HostileCase(name, TlsVersion.TLS_1_3, Http.HTTP_1_1, hello(change));
	}

	private static HostileCase hello12(String name, Consumer<RawClientHello> change) {
		return new HostileCase(name, TlsVersion.TLS_1_2, Http.HTTP_1_1, hello(change));
	}

	private static Attack hello(Consumer<RawClientHello> change) {
		return (client) -> {
			change.accept(client.hello());
			client.send(client.hello().record());
		};
	}

	private static HostileCase broken(String name, Consumer<byte[]> change) {
		return new HostileCase(name, TlsVersion.TLS_1_3, Http.HTTP_1_1, (client) -> {
			byte[] message = client.hello().message();
			change.accept(message);
			client.send(record(TlsBytes.HANDSHAKE, message));
		});
	}

}
