// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.Arrays;
import java.util.Collections;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.apache.tomcat.util.http.MimeHeaders;

/**
 * The hosts that a request claims to be for in the headers of proxies. Tomcat's valve and
 * Spring's filter give the application one of them in place of the authority, and the
 * filter puts a scheme before it and a prefix after it.
 */
final class ForwardedHosts {

	private static final String FORWARDED = "Forwarded";

	private static final String X_FORWARDED_HOST = "X-Forwarded-Host";

	private static final String X_FORWARDED_PREFIX = "X-Forwarded-Prefix";

	private static final String X_FORWARDED_PROTO = "X-Forwarded-Proto";

	/**
	 * Parameters in an element of {@code Forwarded} (RFC 7239, 5.3 and 5.4).
	 */
	private static final Pattern HOST = Pattern.compile("(?i)host\\s*=([^;,]*)");

	private static final Pattern PROTO = Pattern.compile("(?i)proto\\s*=([^;,]*)");

	private static final Pattern PORT = Pattern.compile(":\\d*$");

	private static final Pattern SCHEME = Pattern.compile("([a-zA-Z][a-zA-Z0-9+.-]*)?");

	private ForwardedHosts() {
	}

	/**
	 * Return all of the hosts, because which one counts is up to the reader of the
	 * header. A reader may find a host within a value that is not a host.
	 * @param headers the headers of the request
	 * @return the hosts, without ports
	 */
	static Stream<String> of(MimeHeaders headers) {
		return values(headers, X_FORWARDED_HOST, HOST).map((host) -> PORT.matcher(host).replaceFirst(""))
			.filter((host) -> !host.isEmpty());
	}

	/**
	 * Return whether the headers leave the host of the URL as it is: a scheme or a prefix
	 * with other characters could become a part of it.
	 * @param headers the headers of the request
	 * @return whether they do
	 */
	static boolean keepHost(MimeHeaders headers) {
		return values(headers, X_FORWARDED_PROTO, PROTO).allMatch((scheme) -> SCHEME.matcher(scheme).matches())
				&& values(headers, X_FORWARDED_PREFIX).allMatch((prefix) -> prefix.isEmpty() || prefix.startsWith("/"));
	}

	private static Stream<String> values(MimeHeaders headers, String name, Pattern parameter) {
		if (headers.getHeader(name) == null && headers.getHeader(FORWARDED) == null) {
			return Stream.empty();
		}
		return Stream.concat(values(headers, name),
				Collections.list(headers.values(FORWARDED))
					.stream()
					.flatMap((value) -> parameter.matcher(value).results())
					.map((match) -> unquoted(match.group(1).strip())));
	}

	private static Stream<String> values(MimeHeaders headers, String name) {
		return Collections.list(headers.values(name))
			.stream()
			.flatMap((value) -> Arrays.stream(value.split(",")))
			.map(String::strip);
	}

	private static String unquoted(String value) {
		boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
		return quoted ? value.substring(1, value.length() - 1) : value;
	}

}
