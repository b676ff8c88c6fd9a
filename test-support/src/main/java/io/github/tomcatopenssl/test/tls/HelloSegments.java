// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test.tls;

import java.util.Arrays;
import java.util.function.Function;

/**
 * Ways to cut a ClientHello into segments.
 */
public enum HelloSegments {

	SEVERAL_RECORDS((hello) -> new byte[][] { TlsBytes.concat(hello.records(40)) }),

	A_SEGMENT_FOR_EACH_RECORD((hello) -> hello.records(40)),

	A_SEGMENT_FOR_EACH_BYTE((hello) -> {
		byte[] record = hello.record();
		byte[][] segments = new byte[record.length][];
		for (int i = 0; i < record.length; i++) {
			segments[i] = new byte[] { record[i] };
		}
		return segments;
	}),

	A_SPLIT_RECORD((hello) -> {
		byte[] record = hello.record();
		return new byte[][] { Arrays.copyOf(record, 50), Arrays.copyOfRange(record, 50, record.length) };
	}),

	A_SPLIT_HEADER((hello) -> {
		byte[] record = hello.record();
		return new byte[][] { Arrays.copyOf(record, 3), Arrays.copyOfRange(record, 3, record.length) };
	}),

	PADDED((hello) -> new byte[][] { hello.padded(15_000).record() }),

	PADDED_TO_TWO_RECORDS((hello) -> new byte[][] { TlsBytes.concat(hello.padded(1 << 14).records(1 << 14)) });

	private final Function<RawClientHello, byte[][]> segments;

	HelloSegments(Function<RawClientHello, byte[][]> segments) {
		this.segments = segments;
	}

	public byte[][] of(RawClientHello hello) {
		return this.segments.apply(hello);
	}

}
