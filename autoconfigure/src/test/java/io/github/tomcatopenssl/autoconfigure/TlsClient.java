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

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.Provided;

/**
 * The openssl command as a client that asks for {@code /hello}.
 */
final class TlsClient {

	private static final Pattern NEW_SESSION = Pattern.compile("New, (\\S+), Cipher is (\\S+)");

	private TlsClient() {
	}

	static Handshake connect(int port, String... options) {
		Provided.openssl();
		List<String> command = new ArrayList<>(
				List.of("openssl", "s_client", "-ign_eof", "-connect", "localhost:" + port));
		command.addAll(List.of(options));
		int serverName = command.indexOf("-servername");
		String host = (serverName != -1) ? command.get(serverName + 1) : "localhost";
		return new Handshake(Commands.run("GET /hello HTTP/1.0\r\nHost: %s\r\n\r\n".formatted(host), command).output());
	}

	/**
	 * What the client has printed.
	 */
	record Handshake(String output) {

		boolean isServed() {
			return this.output.contains("\r\n\r\nhello");
		}

		String protocol() {
			return find(NEW_SESSION, 1);
		}

		String cipher() {
			return find(NEW_SESSION, 2);
		}

		// As OpenSSL before and since 3.2 prints it
		String group() {
			return find(
					Pattern.compile("(?:Server Temp Key|Peer Temp Key|Negotiated TLS1.3 group): (?:ECDH, )?([\\w-]+)"),
					1);
		}

		String subject() {
			return find(Pattern.compile("subject=(?:CN ?= ?)?(.+)"), 1);
		}

		long certificates() {
			return Pattern.compile("^ *\\d s:", Pattern.MULTILINE).matcher(this.output).results().count();
		}

		String find(Pattern pattern, int group) {
			Matcher matcher = pattern.matcher(this.output);
			return matcher.find() ? matcher.group(group) : "";
		}

	}

}
