// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The openssl command as a client that asks for {@code /hello}.
 */
public final class TlsClient {

	private static final Pattern NEW_SESSION = Pattern.compile("New, (\\S+), Cipher is (\\S+)");

	private TlsClient() {
	}

	public static Handshake connect(int port, String... options) {
		Provided.openssl();
		// To read the system's CAs would take most of the time
		List<String> command = new ArrayList<>(List.of("openssl", "s_client", "-no-CAfile", "-no-CApath", "-no-CAstore",
				"-ign_eof", "-connect", "localhost:" + port));
		command.addAll(List.of(options));
		int serverName = command.indexOf("-servername");
		String host = (serverName != -1) ? command.get(serverName + 1) : "localhost";
		return new Handshake(Commands.run("GET /hello HTTP/1.0\r\nHost: %s\r\n\r\n".formatted(host), command).output());
	}

	/**
	 * What the client has printed.
	 */
	public record Handshake(String output) {

		public boolean isServed() {
			return this.output.contains("\r\n\r\nhello");
		}

		public String protocol() {
			return find(NEW_SESSION, 1);
		}

		public String cipher() {
			return find(NEW_SESSION, 2);
		}

		// As OpenSSL before and since 3.2 prints it
		public String group() {
			return find(
					Pattern.compile("(?:Server Temp Key|Peer Temp Key|Negotiated TLS1.3 group): (?:ECDH, )?([\\w-]+)"),
					1);
		}

		public String subject() {
			return find(Pattern.compile("subject=(?:CN ?= ?)?(.+)"), 1);
		}

		public long certificates() {
			return Pattern.compile("^ *\\d s:", Pattern.MULTILINE).matcher(this.output).results().count();
		}

		public String find(Pattern pattern, int group) {
			Matcher matcher = pattern.matcher(this.output);
			return matcher.find() ? matcher.group(group) : "";
		}

	}

}
