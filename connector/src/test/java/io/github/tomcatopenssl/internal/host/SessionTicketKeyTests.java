// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.util.Arrays;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests of {@link SessionTicketKey}.
 */
class SessionTicketKeyTests {

	@Test
	void whenKeyIsDerivedThenHasItsNameAndTheLengthThatOpenSslNeeds() {
		for (int length : new int[] { 48, 80 }) {
			byte[] content = bytes(length, length);
			SessionTicketKey key = SessionTicketKey.of(content);
			byte[] derived = key.derive("one");
			assertThat(derived).hasSize(80).startsWith(Arrays.copyOf(content, 16));
			assertThat(Arrays.copyOfRange(derived, 16, 80)).isEqualTo(Arrays.copyOfRange(key.derive("one"), 16, 80))
				.isNotEqualTo(Arrays.copyOfRange(key.derive("other"), 16, 80));
		}
	}

	@Test
	void whenLengthIsWrongThenThereIsNoKey() {
		for (int length : new int[] { 0, 16, 47, 49, 79, 81, 160 }) {
			assertThatIllegalArgumentException().isThrownBy(() -> SessionTicketKey.of(new byte[length]))
				.withMessageEndingWith(" bytes, but a key has 48 or 80");
		}
	}

	private static byte[] bytes(int length, long seed) {
		byte[] bytes = new byte[length];
		new Random(seed).nextBytes(bytes);
		return bytes;
	}

}
