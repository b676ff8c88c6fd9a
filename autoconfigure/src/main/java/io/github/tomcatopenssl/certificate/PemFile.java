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

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/**
 * The blocks of a PEM file. Stricter than a search for the blocks that can be read: a
 * block that is damaged is an error, not a shorter chain.
 */
final class PemFile {

	/**
	 * More than a bundle of all public CAs needs.
	 */
	private static final int MAX_SIZE = 4 * 1024 * 1024;

	private static final Pattern BOUNDARY = Pattern.compile("-----(BEGIN|END) ([^-]+)-----");

	private static final int DER_SEQUENCE = 0x30;

	private final String property;

	private final String location;

	private final List<PemBlock> blocks = new ArrayList<>();

	private PemFile(String property, String location) {
		this.property = property;
		this.location = location;
	}

	/**
	 * Read a file.
	 * @param property the property that names the file
	 * @param location a file path or a resource location
	 * @param resourceLoader loads the file
	 * @return its blocks, at least one
	 * @throws CertificateFileException if it cannot be read or is not a PEM file
	 */
	static PemFile read(String property, String location, ResourceLoader resourceLoader) {
		if (location.isBlank()) {
			throw new CertificateFileException(property, null, "it is empty",
					"Set it to a PEM file, or remove it. TLS is turned off by 'server.ssl.enabled: false'", null);
		}
		if (location.contains("-----BEGIN")) {
			throw new CertificateFileException(property, null, "it holds PEM content, and should name a file",
					"Write the content into a file and set '%s' to the file".formatted(property), null);
		}
		Resource resource = resourceLoader.getResource(location);
		PemFile file = new PemFile(property, describe(resource, location));
		byte[] content = file.load(resource);
		file.parse(content);
		return file;
	}

	/**
	 * Whether a location is content itself, which must not be shown.
	 * @param location a file path or a resource location
	 * @return whether it is
	 */
	static boolean isContent(String location) {
		return location.contains("-----BEGIN") || location.regionMatches(true, 0, "base64:", 0, "base64:".length());
	}

	String location() {
		return this.location;
	}

	List<X509Certificate> certificates() {
		List<X509Certificate> certificates = new ArrayList<>();
		for (PemBlock block : this.blocks) {
			if (block.isCertificate()) {
				certificates.add(certificate(block));
			}
		}
		if (certificates.isEmpty()) {
			throw failure("it contains no certificate, but " + labels(),
					"Set '%s' to a file with a certificate ('-----BEGIN CERTIFICATE-----')".formatted(this.property));
		}
		return certificates;
	}

	List<PemBlock> privateKeys() {
		return this.blocks.stream().filter(PemBlock::isPrivateKey).toList();
	}

	String labels() {
		return String.join(", ", this.blocks.stream().map(PemBlock::toString).toList());
	}

	CertificateFileException failure(String reason, String action) {
		return failure(reason, action, null);
	}

	CertificateFileException failure(String reason, String action, @Nullable Throwable cause) {
		return new CertificateFileException(this.property, this.location, reason, action, cause);
	}

	private static String describe(Resource resource, String location) {
		if (isContent(location)) {
			return "base64:...";
		}
		try {
			return resource.isFile() ? resource.getFile().getAbsolutePath() : location;
		}
		catch (IOException ex) {
			return location;
		}
	}

	private byte[] load(Resource resource) {
		try {
			if (!resource.exists()) {
				throw failure("it does not exist", "Create the file or correct '%s'".formatted(this.property));
			}
			if (resource.isFile() && resource.getFile().isDirectory()) {
				throw failure("it is a folder", "Set '%s' to a file in it".formatted(this.property));
			}
			if (resource.isFile() && !resource.getFile().canRead()) {
				throw unreadable(null);
			}
			try (InputStream in = resource.getInputStream()) {
				return in.readNBytes(MAX_SIZE + 1);
			}
		}
		catch (IOException ex) {
			throw unreadable(ex);
		}
	}

	private CertificateFileException unreadable(@Nullable IOException cause) {
		return failure("it cannot be read" + ((cause != null) ? ": " + cause.getMessage() : ""),
				"Give the user that runs the application ('%s') read access to the file and to the folders above it"
					.formatted(System.getProperty("user.name")),
				cause);
	}

	private void parse(byte[] content) {
		if (content.length == 0) {
			throw failure("it is empty", "Write the PEM content into the file");
		}
		if (content.length > MAX_SIZE) {
			throw failure("it is larger than 4 MiB, which no PEM file of certificates is",
					"Correct '%s'".formatted(this.property));
		}
		List<String> lines = new String(content, StandardCharsets.UTF_8).lines().map(String::strip).toList();
		int begin = -1;
		for (int i = 0; i < lines.size(); i++) {
			Matcher boundary = BOUNDARY.matcher(lines.get(i));
			if (boundary.lookingAt() || lines.get(i).startsWith("\uFEFF") && boundary.find()) {
				begin = boundary(boundary, lines, begin, i);
			}
		}
		if (begin != -1) {
			throw truncated(begin + 1);
		}
		if (this.blocks.isEmpty()) {
			throw notPem(content);
		}
	}

	private int boundary(Matcher boundary, List<String> lines, int begin, int index) {
		boolean isBegin = boundary.group(1).equals("BEGIN");
		if (isBegin && begin == -1) {
			return index;
		}
		if (isBegin || begin == -1 || !lines.get(begin).contains("BEGIN " + boundary.group(2) + "-----")) {
			int problem = (begin != -1) ? begin : index;
			throw truncated(problem + 1);
		}
		PemBlock block = new PemBlock(boundary.group(2), begin + 1, List.copyOf(lines.subList(begin + 1, index)));
		try {
			if (block.content().length == 0) {
				throw failure("the block " + block + " is empty", "Write the file anew");
			}
		}
		catch (IllegalArgumentException ex) {
			// Without the cause: its message may quote key material
			throw failure("the block " + block + " is not valid base64: the file is damaged", "Write the file anew");
		}
		this.blocks.add(block);
		return -1;
	}

	// Without the line, which holds the key where a file has lost its line ends
	private CertificateFileException truncated(int line) {
		return failure(
				"its block at line %d has no proper '-----END' line: the file is truncated, damaged, or has lost its line ends"
					.formatted(line),
				"Write the file anew");
	}

	private CertificateFileException notPem(byte[] content) {
		if (content[0] == DER_SEQUENCE) {
			return failure("it is in DER format (or a key store), not in PEM format",
					"Convert it, a certificate with 'openssl x509 -inform DER -in %1$s -out FILE.pem', a key with 'openssl pkey -inform DER -in %1$s -out FILE.pem', a PKCS#12 key store with 'openssl pkcs12 -in %1$s -out FILE.pem'"
						.formatted(this.location));
		}
		return failure("it is not in PEM format: it has no '-----BEGIN' line",
				"Set '%s' to a PEM file".formatted(this.property));
	}

	private X509Certificate certificate(PemBlock block) {
		try {
			return (X509Certificate) CertificateFactory.getInstance("X.509")
				.generateCertificate(new ByteArrayInputStream(block.content()));
		}
		catch (CertificateException ex) {
			throw failure("the block " + block + " is not an X.509 certificate: " + ex.getMessage(),
					"Write the file anew", ex);
		}
	}

}
