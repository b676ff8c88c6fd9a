// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads {@code Client-Cert} and {@code Client-Cert-Chain} (RFC 9440). Only the form is
 * accepted that a proxy produces: structured fields (RFC 9651) without parameters, in
 * canonical Base64.
 */
final class ClientCertFields {

	static final String CERTIFICATE = "Client-Cert";

	static final String CHAIN = "Client-Cert-Chain";

	private static final Pattern BYTE_SEQUENCE = Pattern.compile("[ \t]*:([A-Za-z0-9+/]++={0,2}):[ \t]*");

	private ClientCertFields() {
	}

	/**
	 * Read the certificates.
	 * @param certificate the values of the first field
	 * @param chain the values of the second field
	 * @return the encoded certificates, the client's own first; empty if there are none
	 * @throws IllegalArgumentException if the fields are invalid
	 */
	static List<byte[]> read(List<String> certificate, List<String> chain) {
		if (certificate.isEmpty() && chain.isEmpty()) {
			return List.of();
		}
		if (certificate.size() != 1) {
			throw new IllegalArgumentException("'%s' is there %d times".formatted(CERTIFICATE, certificate.size()));
		}
		List<byte[]> certificates = new ArrayList<>();
		certificates.add(decode(certificate.get(0)));
		for (String line : chain) {
			for (String item : line.split(",", -1)) {
				certificates.add(decode(item));
			}
		}
		return certificates;
	}

	private static byte[] decode(String item) {
		Matcher matcher = BYTE_SEQUENCE.matcher(item);
		if (!matcher.matches()) {
			throw new IllegalArgumentException("There is something else than a byte sequence");
		}
		return decodeBase64(matcher.group(1));
	}

	static byte[] decodeBase64(String text) {
		byte[] decoded = Base64.getDecoder().decode(text);
		if (!Base64.getEncoder().encodeToString(decoded).equals(text)) {
			throw new IllegalArgumentException("The Base64 is not canonical");
		}
		return decoded;
	}

}
