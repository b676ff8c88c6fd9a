// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.ByteBuffer;
import java.util.Arrays;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.github.tomcatopenssl.ClientFingerprint;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the three parsers of handshakes with arbitrary bytes: with the corpus in the
 * resources of this class and, if {@code JAZZER_FUZZ} is 1, with what Jazzer derives from
 * it.
 */
@Tag("fuzz")
class HandshakeFuzzTests {

	/**
	 * The seeds of each test, by the number of files in its corpus.
	 */
	private static final int SERVER_SEEDS = 16;

	private static final int CLIENT_SEEDS = 8;

	private static final int PROXY_SEEDS = 10;

	private static int serverInputs;

	private static int clientInputs;

	private static int proxyInputs;

	// Jazzer adds an empty input, and says nothing if it finds no corpus. One of the
	// tests may run alone
	@AfterAll
	static void corpusWasRead() {
		assertThat(serverInputs).satisfiesAnyOf((inputs) -> assertThat(inputs).isZero(),
				(inputs) -> assertThat(inputs).isGreaterThan(SERVER_SEEDS));
		assertThat(clientInputs).satisfiesAnyOf((inputs) -> assertThat(inputs).isZero(),
				(inputs) -> assertThat(inputs).isGreaterThan(CLIENT_SEEDS));
		assertThat(proxyInputs).satisfiesAnyOf((inputs) -> assertThat(inputs).isZero(),
				(inputs) -> assertThat(inputs).isGreaterThan(PROXY_SEEDS));
		assertThat(serverInputs + clientInputs + proxyInputs).isPositive();
	}

	// The first byte is the size of the segments, less one
	@FuzzTest(maxDuration = "1m")
	void whenServerSendsAnythingThenReadsIt(byte[] data) {
		serverInputs++;
		ServerFlight flight = new ServerFlight();
		int segment = (data.length > 0) ? 1 + (data[0] & 0xFF) : 1;
		for (int i = 1; i < data.length; i += segment) {
			flight.sent(ByteBuffer.wrap(Arrays.copyOfRange(data, i, Math.min(i + segment, data.length))));
		}
		assertThat(flight.keyExchange().group()).hasSizeBetween(1, 18);
		assertThat(flight.alert()).isBetween(-1, 255);
	}

	@FuzzTest(maxDuration = "1m")
	void whenClientSendsAnythingThenReadsIt(byte[] data) {
		clientInputs++;
		ByteBuffer received = ByteBuffer.allocate(1 << 14).put(data, 0, Math.min(data.length, 1 << 14));
		ClientHello hello = ClientHello.read(received, ClientFingerprint.JA4);
		if (hello != null && hello.fingerprint() != null) {
			assertThat(hello.fingerprint()).matches("t[0-9sd]{2}[di]\\d{4}[0-9A-Za-z]{2}_[0-9a-f]{12}_[0-9a-f]{12}");
		}
	}

	@FuzzTest(maxDuration = "1m")
	void whenProxySendsAnythingThenReadsItOrFails(byte[] data) {
		proxyInputs++;
		int length = Math.min(data.length, 1 << 14);
		ByteBuffer received = ByteBuffer.allocate(1 << 14).put(data, 0, length);
		try {
			ProxyHeader header = ProxyHeader.read(received);
			boolean incomplete = header == null;
			assertThat(received.position()).isBetween(incomplete ? length : 0, incomplete ? length : length - 15);
			assertThat(length).isLessThan(incomplete ? 4096 : Integer.MAX_VALUE);
			assertThat(received.limit()).isEqualTo(received.capacity());
			assertThat(received.flip()).isEqualTo(ByteBuffer.wrap(data, length - received.limit(), received.limit()));
		}
		catch (RefusedHandshakeException ex) {
			assertThat(ex.reason()).isEqualTo(FailureReason.NO_PROXY_HEADER);
		}
	}

}
