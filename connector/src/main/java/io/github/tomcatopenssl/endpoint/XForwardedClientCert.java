// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads {@code X-Forwarded-Client-Cert}, as Envoy documents it: an element for each
 * proxy, of pairs such as {@code Cert="..."}, in which the certificate is PEM with
 * percent-encoding. Only the element of one proxy is accepted.
 */
final class XForwardedClientCert {

	static final String NAME = "X-Forwarded-Client-Cert";

	private static final String CERTIFICATE = "cert";

	private static final String CHAIN = "chain";

	private static final Pattern KEY = Pattern.compile("[A-Za-z]+");

	private static final Pattern ESCAPED = Pattern.compile("%([0-7][0-9A-Fa-f])");

	private static final String BEGIN = "-----BEGIN CERTIFICATE-----\n";

	private static final String END = "-----END CERTIFICATE-----";

	private XForwardedClientCert() {
	}

	/**
	 * Read the certificates.
	 * @param values the values of the header
	 * @return the encoded certificates, the client's own first; empty if there are none
	 * @throws IllegalArgumentException if the header is invalid
	 */
	static List<byte[]> read(List<String> values) {
		if (values.isEmpty()) {
			return List.of();
		}
		require(values.size() == 1, "The header is there several times");
		Map<String, String> pairs = pairs(values.get(0));
		List<byte[]> certificate = decode(pairs.getOrDefault(CERTIFICATE, ""));
		List<byte[]> chain = decode(pairs.getOrDefault(CHAIN, ""));
		require(certificate.size() <= 1, "'Cert' has several certificates");
		require(!certificate.isEmpty() || !chain.isEmpty(), "There is neither 'Cert' nor 'Chain'");
		require(certificate.isEmpty() || chain.isEmpty() || Arrays.equals(certificate.get(0), chain.get(0)),
				"'Cert' and 'Chain' begin with different certificates");
		return chain.isEmpty() ? certificate : chain;
	}

	// Keys are case-insensitive. Those that are not of certificates may be there several
	// times
	private static Map<String, String> pairs(String value) {
		Map<String, String> pairs = new HashMap<>();
		int position = 0;
		while (position < value.length()) {
			int begin = value.indexOf('=', position) + 1;
			require(begin > 0, "There is something else than pairs");
			String key = value.substring(position, begin - 1);
			require(KEY.matcher(key).matches(), "A key is invalid");
			boolean quoted = value.startsWith("\"", begin);
			int end = quoted ? endOfQuoted(value, ++begin) : endOfPlain(value, begin);
			boolean first = pairs.put(key.toLowerCase(Locale.ROOT), value.substring(begin, end)) == null;
			require(first || !key.equalsIgnoreCase(CERTIFICATE) && !key.equalsIgnoreCase(CHAIN),
					"A certificate is there several times");
			position = quoted ? end + 1 : end;
			require(position == value.length() || value.charAt(position) == ';',
					"There is something else than the pairs of one element");
			position++;
		}
		return pairs;
	}

	private static int endOfQuoted(String value, int begin) {
		int end = begin;
		while (end < value.length() && value.charAt(end) != '"') {
			end += (value.charAt(end) == '\\') ? 2 : 1;
		}
		require(end < value.length(), "A quotation mark is missing");
		return end;
	}

	private static int endOfPlain(String value, int begin) {
		int end = begin;
		while (end < value.length() && ",;\"".indexOf(value.charAt(end)) == -1) {
			end++;
		}
		return end;
	}

	private static List<byte[]> decode(String encoded) {
		String pem = ESCAPED.matcher(encoded)
			.replaceAll(
					(escaped) -> Matcher.quoteReplacement(Character.toString(Integer.parseInt(escaped.group(1), 16))));
		List<byte[]> certificates = new ArrayList<>();
		int position = 0;
		while (position < pem.length()) {
			int end = pem.indexOf(END, position);
			require(pem.startsWith(BEGIN, position) && end > 0, "A certificate is not in PEM");
			certificates
				.add(ClientCertFields.decodeBase64(pem.substring(position + BEGIN.length(), end).replace("\n", "")));
			position = end + END.length();
			if (pem.startsWith("\n", position)) {
				position++;
			}
		}
		return certificates;
	}

	private static void require(boolean valid, String message) {
		if (!valid) {
			throw new IllegalArgumentException(message);
		}
	}

}
