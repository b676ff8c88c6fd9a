// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.Arrays;
import java.util.Collections;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.apache.tomcat.util.http.MimeHeaders;

/**
 * The hosts that a request claims to be for in the headers of proxies. Tomcat's valve and
 * Spring's filter give the application one of them in place of the authority.
 */
final class ForwardedHosts {

	private static final String FORWARDED = "Forwarded";

	private static final String X_FORWARDED_HOST = "X-Forwarded-Host";

	/**
	 * The parameter in an element of {@code Forwarded} (RFC 7239, 5.3).
	 */
	private static final Pattern HOST = Pattern.compile("(?i)host\\s*=([^;,]*)");

	private static final Pattern PORT = Pattern.compile(":\\d*$");

	private ForwardedHosts() {
	}

	/**
	 * Return all of the hosts, because which one counts is up to the reader of the
	 * header.
	 * @param headers the headers of the request
	 * @return the hosts, without ports
	 */
	static Stream<String> of(MimeHeaders headers) {
		if (headers.getHeader(X_FORWARDED_HOST) == null && headers.getHeader(FORWARDED) == null) {
			return Stream.empty();
		}
		return Stream
			.concat(values(headers, X_FORWARDED_HOST).flatMap((value) -> Arrays.stream(value.split(","))),
					values(headers, FORWARDED).flatMap((value) -> HOST.matcher(value).results().map(MatchResult::group))
						.map((parameter) -> parameter.substring(parameter.indexOf('=') + 1)))
			.map((host) -> PORT.matcher(host.replace("\"", "").strip()).replaceFirst(""))
			.filter((host) -> !host.isEmpty());
	}

	private static Stream<String> values(MimeHeaders headers, String name) {
		return Collections.list(headers.values(name)).stream();
	}

}
