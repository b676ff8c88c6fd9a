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

package io.github.tomcatopenssl.certificate;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the blocks of a PEM file. Stricter than a search for the blocks that can be read:
 * a block that is damaged is an error, not a shorter chain.
 */
final class PemParser {

	private static final Pattern BOUNDARY = Pattern.compile("-----(BEGIN|END) ([^-]+)-----");

	private static final int DER_SEQUENCE = 0x30;

	private final PemSource source;

	private final List<String> lines;

	private final List<PemBlock> blocks = new ArrayList<>();

	private PemParser(PemSource source, byte[] content) {
		this.source = source;
		this.lines = new String(content, StandardCharsets.UTF_8).lines().map(String::strip).toList();
	}

	/**
	 * Parse the content of a file.
	 * @param source the file
	 * @param content its content
	 * @return its blocks, at least one
	 * @throws CertificateFileException if it is not a PEM file, or is damaged
	 */
	static List<PemBlock> parse(PemSource source, byte[] content) {
		PemParser parser = new PemParser(source, content);
		parser.parse();
		if (parser.blocks.isEmpty()) {
			throw parser.notPem(content);
		}
		return List.copyOf(parser.blocks);
	}

	private void parse() {
		int begin = -1;
		for (int i = 0; i < this.lines.size(); i++) {
			Matcher boundary = BOUNDARY.matcher(this.lines.get(i));
			if (boundary.lookingAt() || this.lines.get(i).startsWith("\uFEFF") && boundary.find()) {
				begin = boundary(boundary, begin, i);
			}
		}
		if (begin != -1) {
			throw truncated(begin + 1);
		}
	}

	private int boundary(Matcher boundary, int begin, int index) {
		boolean isBegin = boundary.group(1).equals("BEGIN");
		if (isBegin && begin == -1) {
			return index;
		}
		if (isBegin || begin == -1 || !this.lines.get(begin).contains("BEGIN " + boundary.group(2) + "-----")) {
			int problem = (begin != -1) ? begin : index;
			throw truncated(problem + 1);
		}
		addBlock(new PemBlock(boundary.group(2), begin + 1, List.copyOf(this.lines.subList(begin + 1, index))));
		return -1;
	}

	private void addBlock(PemBlock block) {
		try {
			if (block.content().length == 0) {
				throw this.source.failure("the block " + block + " is empty", "Write the file anew");
			}
		}
		catch (IllegalArgumentException ex) {
			// Without the cause: its message may quote key material
			throw this.source.failure("the block " + block + " is not valid base64: the file is damaged",
					"Write the file anew");
		}
		this.blocks.add(block);
	}

	// Without the line, which holds the key where a file has lost its line ends
	private CertificateFileException truncated(int line) {
		return this.source.failure(
				"its block at line %d has no proper '-----END' line: the file is truncated, damaged, or has lost its line ends"
					.formatted(line),
				"Write the file anew");
	}

	private CertificateFileException notPem(byte[] content) {
		if (content[0] == DER_SEQUENCE) {
			return this.source.failure("it is in DER format (or a key store), not in PEM format",
					"Convert it, a certificate with 'openssl x509 -inform DER -in %1$s -out FILE.pem', a key with 'openssl pkey -inform DER -in %1$s -out FILE.pem', a PKCS#12 key store with 'openssl pkcs12 -in %1$s -out FILE.pem'"
						.formatted(this.source.location()));
		}
		return this.source.failure("it is not in PEM format: it has no '-----BEGIN' line",
				"Set '%s' to a PEM file".formatted(this.source.property()));
	}

}
