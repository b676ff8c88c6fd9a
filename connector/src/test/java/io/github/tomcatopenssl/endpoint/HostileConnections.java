// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.endpoint.HostileCase.Reaction;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.Tls12Client;
import io.github.tomcatopenssl.test.tls.Tls13Client;
import io.github.tomcatopenssl.test.tls.TlsVersion;

import static io.github.tomcatopenssl.test.tls.TlsBytes.ALERT;
import static io.github.tomcatopenssl.test.tls.TlsBytes.APPLICATION_DATA;
import static io.github.tomcatopenssl.test.tls.TlsBytes.CHANGE_CIPHER_SPEC;
import static io.github.tomcatopenssl.test.tls.TlsBytes.HANDSHAKE;
import static io.github.tomcatopenssl.test.tls.TlsBytes.alert;
import static io.github.tomcatopenssl.test.tls.TlsBytes.handshake;
import static io.github.tomcatopenssl.test.tls.TlsBytes.hex;
import static io.github.tomcatopenssl.test.tls.TlsBytes.record;

/**
 * Clients that turn hostile with their last flight or after the handshake.
 */
final class HostileConnections {

	private static final byte[] BAD_RECORD = record(APPLICATION_DATA, new byte[64]);

	private HostileConnections() {
	}

	static List<HostileCase> all() {
		List<HostileCase> all = new ArrayList<>();
		for (Http http : Http.values()) {
			for (TlsVersion version : TlsVersion.values()) {
				both("a bad record", version, http, (client) -> BAD_RECORD, Reaction.ALERT, all);
				both("close_notify", version, http, (client) -> client.seal(ALERT, alert(1, 0)), Reaction.CLOSE_NOTIFY,
						all);
				both("a fatal alert", version, http, (client) -> client.seal(ALERT, alert(2, 80)), Reaction.END, all);
				both("an unknown handshake message", version, http,
						(client) -> client.seal(HANDSHAKE, handshake(99, new byte[4])), Reaction.ALERT, all);
				jsseKeeps("a record that is too long", version, http, (client) -> client.longRequest(1 << 14),
						Reaction.ALERT, all);
				both("a length of 0xffff", version, http, (client) -> hex("170303ffff"), Reaction.END, all);
				both("an unknown content type", version, http, (client) -> client.seal(99, new byte[4]), Reaction.ALERT,
						all);
			}
			tls13(http, all);
			both("renegotiation", TlsVersion.TLS_1_2, http, (client) -> ((Tls12Client) client).renegotiation(),
					Reaction.REFUSAL, all);
		}
		return all;
	}

	private static void tls13(Http http, List<HostileCase> all) {
		TlsVersion version = TlsVersion.TLS_1_3;
		both("a KeyUpdate with an invalid type", version, http, (client) -> ((Tls13Client) client).keyUpdate(2),
				Reaction.ALERT, all);
		both("an empty KeyUpdate", version, http, (client) -> client.seal(HANDSHAKE, handshake(24)), Reaction.ALERT,
				all);
		both("content type zero", version, http, (client) -> client.seal(-1, new byte[8]), Reaction.ALERT, all);
		both("change cipher spec", version, http, (client) -> record(CHANGE_CIPHER_SPEC, new byte[] { 1 }),
				Reaction.ALERT, all);
		both("renegotiation", version, http, (client) -> client.seal(HANDSHAKE, client.hello().message()),
				Reaction.ALERT, all);
	}

	// JSSE takes longer records
	private static void jsseKeeps(String name, TlsVersion version, Http http, Bytes bytes, Reaction reaction,
			List<HostileCase> all) {
		List<HostileCase> cases = new ArrayList<>();
		both(name, version, http, bytes, reaction, cases);
		cases.forEach((hostile) -> all.add(hostile.withJsse(Reaction.RECORDS)));
	}

	/**
	 * Each at the two moments that differ: in the segment of the client's last flight,
	 * and on a connection that has answered.
	 */
	private static void both(String name, TlsVersion version, Http http, Bytes bytes, Reaction reaction,
			List<HostileCase> all) {
		all.add(new HostileCase(name + " behind Finished", version, http, (client) -> {
			client.send(client.hello().record());
			client.send(client.flight(), bytes.of(client));
		}, reaction));
		all.add(new HostileCase(name + " after an answer", version, http, (client) -> {
			client.completeHandshake();
			client.send(client.request());
			client.answers(1);
			client.send(bytes.of(client));
		}, reaction));
	}

	private interface Bytes {

		byte[] of(RawTlsClient client);

	}

}
