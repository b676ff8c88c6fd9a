// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import io.github.tomcatopenssl.test.tls.RecordCipher;
import io.github.tomcatopenssl.test.tls.TlsBytes;

import static io.github.tomcatopenssl.test.tls.TlsBytes.concat;

/**
 * Ways to break a flight, each chosen by the numbers of one {@link Random}.
 */
enum Mutations {

	FLIP_BITS {

		@Override
		byte[] apply(byte[] flight, Random random) {
			byte[] mutated = flight.clone();
			for (int i = 1 + random.nextInt(8); i > 0; i--) {
				mutated[random.nextInt(mutated.length)] ^= (byte) (1 << random.nextInt(8));
			}
			return mutated;
		}

	},

	TRUNCATE {

		@Override
		byte[] apply(byte[] flight, Random random) {
			return Arrays.copyOf(flight, 1 + random.nextInt(flight.length));
		}

	},

	DUPLICATE {

		@Override
		byte[] apply(byte[] flight, Random random) {
			return concat(flight, flight);
		}

	},

	SPLICE {

		@Override
		byte[] apply(byte[] flight, Random random) {
			byte[] other = other(random);
			List<byte[]> records = records(flight);
			records.add(random.nextInt(records.size() + 1), other);
			if (random.nextBoolean()) {
				records.remove(random.nextInt(records.size()));
			}
			return concat(records.toArray(byte[][]::new));
		}

	},

	CUT_AND_PASTE {

		@Override
		byte[] apply(byte[] flight, Random random) {
			int start = random.nextInt(flight.length);
			int end = start + random.nextInt(flight.length - start);
			int to = random.nextInt(flight.length);
			return concat(Arrays.copyOf(flight, to), Arrays.copyOfRange(flight, start, end),
					Arrays.copyOfRange(flight, to, flight.length));
		}

	},

	RANDOM_LENGTH {

		@Override
		byte[] apply(byte[] flight, Random random) {
			byte[] mutated = flight.clone();
			int position = random.nextBoolean() ? 3 : random.nextInt(flight.length - 1);
			mutated[Math.min(position, flight.length - 2)] = (byte) random.nextInt(256);
			mutated[Math.min(position + 1, flight.length - 1)] = (byte) random.nextInt(256);
			return mutated;
		}

	},

	RANDOM_SEGMENT {

		@Override
		byte[] apply(byte[] flight, Random random) {
			byte[] bytes = new byte[1 + random.nextInt(200)];
			random.nextBytes(bytes);
			return random.nextBoolean() ? bytes : concat(flight, bytes);
		}

	},

	RANDOM_RECORD {

		@Override
		byte[] apply(byte[] flight, Random random) {
			byte[] record = other(random);
			return random.nextBoolean() ? concat(record, flight) : concat(flight, record);
		}

	},

	NOTHING {

		@Override
		byte[] apply(byte[] flight, Random random) {
			return flight;
		}

	};

	abstract byte[] apply(byte[] flight, Random random);

	static byte[] mutate(byte[] flight, Random random) {
		return values()[random.nextInt(values().length)].apply(flight, random);
	}

	/**
	 * Cut bytes into up to four segments.
	 * @param bytes the bytes
	 * @param random where to cut
	 * @return the segments, of which some may be empty
	 */
	static List<byte[]> segments(byte[] bytes, Random random) {
		List<byte[]> segments = new ArrayList<>();
		int start = 0;
		for (int i = random.nextInt(4); i > 0 && start < bytes.length; i--) {
			int end = start + random.nextInt(bytes.length - start);
			segments.add(Arrays.copyOfRange(bytes, start, end));
			start = end;
		}
		segments.add(Arrays.copyOfRange(bytes, start, bytes.length));
		return segments;
	}

	private static byte[] other(Random random) {
		if (random.nextInt(3) == 0) {
			return (random.nextBoolean() ? RawClientHello.tls13(Http.H2) : RawClientHello.tls12(Http.HTTP_1_1))
				.record();
		}
		byte[] content = new byte[random.nextInt(40)];
		random.nextBytes(content);
		return TlsBytes.record(TlsBytes.CHANGE_CIPHER_SPEC + random.nextInt(4), content);
	}

	private static List<byte[]> records(byte[] flight) {
		List<byte[]> records = new ArrayList<>();
		int start = 0;
		while (start + RecordCipher.HEADER <= flight.length) {
			int length = (flight[start + 3] & 0xff) << 8 | flight[start + 4] & 0xff;
			int end = Math.min(start + RecordCipher.HEADER + length, flight.length);
			records.add(Arrays.copyOfRange(flight, start, end));
			start = end;
		}
		return records;
	}

}
