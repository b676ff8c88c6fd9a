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

import java.time.Duration;

/**
 * A record that a server has sent.
 *
 * @param bytes the record as it came
 * @param type the type of its content, of the inner one where it was encrypted
 * @param content its content, decrypted
 * @param after the time since the client has sent its last byte
 */
record ReceivedRecord(byte[] bytes, int type, byte[] content, Duration after) {

	boolean isAlert() {
		return this.type == TlsBytes.ALERT;
	}

	boolean isAlert(int description) {
		return isAlert() && this.content[1] == description;
	}

	@Override
	public String toString() {
		String start = TlsBytes.hex(this.content);
		return "%d+%d:%s".formatted(this.bytes[0], this.type, start.substring(0, Math.min(start.length(), 12)));
	}

}
