// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.nio.ByteBuffer;
import java.util.Arrays;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.junit.jupiter.api.Tag;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests of the two parsers of handshakes with arbitrary bytes: with the corpus in the
 * resources of this class and, if {@code JAZZER_FUZZ} is 1, with what Jazzer derives from
 * it.
 */
@Tag("fuzz")
class HandshakeFuzzTests {

	// The first byte is the size of the segments, less one
	@FuzzTest(maxDuration = "1m")
	void whenServerSendsAnythingThenReadsIt(byte[] data) {
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
		ByteBuffer received = ByteBuffer.allocate(1 << 14).put(data, 0, Math.min(data.length, 1 << 14));
		assertThatNoException().isThrownBy(() -> ClientHello.read(received));
	}

}
