// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test.tls;

import java.time.Duration;

/**
 * A record that a server has sent.
 *
 * @param bytes the record as it came
 * @param type the type of its content, of the inner one where it was encrypted
 * @param content its content, decrypted
 * @param after the time since the client has sent its last byte
 */
public record ReceivedRecord(byte[] bytes, int type, byte[] content, Duration after) {

	public boolean isAlert() {
		return this.type == TlsBytes.ALERT;
	}

	public boolean isAlert(int description) {
		return isAlert() && this.content[1] == description;
	}

	@Override
	public String toString() {
		String start = TlsBytes.hex(this.content);
		return "%d+%d:%s".formatted(this.bytes[0], this.type, start.substring(0, Math.min(start.length(), 12)));
	}

}
