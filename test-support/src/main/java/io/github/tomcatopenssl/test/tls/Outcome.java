// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test.tls;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a client has received.
 *
 * @param records all records
 * @param end how the connection has ended
 * @param after the time since the client has sent its last byte
 */
public record Outcome(List<ReceivedRecord> records, End end, Duration after) {

	private static final Pattern ANSWER = Pattern.compile("hello");

	public boolean isClosed() {
		return this.end != End.OPEN;
	}

	public Optional<ReceivedRecord> alert() {
		return this.records.stream().filter(ReceivedRecord::isAlert).findFirst();
	}

	public long answers() {
		StringBuilder data = new StringBuilder();
		this.records.stream()
			.filter((record) -> record.type() == TlsBytes.APPLICATION_DATA)
			.forEach((record) -> data.append(new String(record.content(), StandardCharsets.ISO_8859_1)));
		return ANSWER.matcher(data).results().count();
	}

	public enum End {

		EOF, RESET, OPEN

	}

}
