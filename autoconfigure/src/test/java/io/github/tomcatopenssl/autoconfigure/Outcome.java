/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.autoconfigure;

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
record Outcome(List<ReceivedRecord> records, End end, Duration after) {

	private static final Pattern ANSWER = Pattern.compile("hello");

	boolean isClosed() {
		return this.end != End.OPEN;
	}

	Optional<ReceivedRecord> alert() {
		return this.records.stream().filter(ReceivedRecord::isAlert).findFirst();
	}

	long answers() {
		StringBuilder data = new StringBuilder();
		this.records.stream()
			.filter((record) -> record.type() == TlsBytes.APPLICATION_DATA)
			.forEach((record) -> data.append(new String(record.content(), StandardCharsets.ISO_8859_1)));
		return ANSWER.matcher(data).results().count();
	}

	enum End {

		EOF, RESET, OPEN

	}

}
