// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CRLException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A PEM file with at least one block. This class finds the blocks itself, because Spring
 * Boot skips a damaged block, which makes the chain shorter.
 */
final class PemFile {

	private static final Pattern BOUNDARY = Pattern.compile("\uFEFF?-----(BEGIN|END) ([^-]+)-----");

	private static final int DER_SEQUENCE = 0x30;

	private final String property;

	private final FileContent content;

	private final List<Block> blocks = new ArrayList<>();

	private PemFile(String property, FileContent content) {
		this.property = property;
		this.content = content;
	}

	static PemFile of(String property, Map<String, FileContent> files) {
		FileContent content = Objects.requireNonNull(files.get(property));
		if (content.problem() != null) {
			throw content.problem();
		}
		PemFile file = new PemFile(property, content);
		file.findBlocks(new String(content.bytes(), StandardCharsets.UTF_8).lines().map(String::strip).toList());
		if (file.blocks.isEmpty()) {
			throw file.notPem();
		}
		return file;
	}

	private void findBlocks(List<String> lines) {
		Block open = null;
		for (int i = 0; i < lines.size(); i++) {
			Matcher boundary = BOUNDARY.matcher(lines.get(i));
			if (boundary.lookingAt()) {
				boolean begins = boundary.group(1).equals("BEGIN");
				if (begins != (open == null) || open != null && !open.label().equals(boundary.group(2))) {
					throw truncated((open != null) ? open.line() : i + 1);
				}
				if (open != null) {
					this.blocks.add(new Block(open.label(), open.line(), List.copyOf(lines.subList(open.line(), i))));
				}
				open = begins ? new Block(boundary.group(2), i + 1, List.of()) : null;
			}
		}
		if (open != null) {
			throw truncated(open.line());
		}
	}

	// Omits the line, which contains the key if a file has lost its line breaks
	private CertificateFileException truncated(int line) {
		return failure(
				"its block at line %d has no proper '-----END' line: the file is truncated, damaged, or has lost its line breaks"
					.formatted(line),
				"Write the file again");
	}

	private CertificateFileException notPem() {
		byte[] bytes = this.content.bytes();
		if (bytes[0] != DER_SEQUENCE) {
			return failure("it is not in PEM format: it has no '-----BEGIN' line",
					"Set '%s' to a PEM file".formatted(this.property));
		}
		if (isKeyStore(bytes)) {
			boolean clients = this.property.contains("ca-certificate");
			return failure("it is a PKCS #12 key store, not a PEM file",
					"Set '%s' to it instead, or write a PEM file with '(umask 077 && openssl pkcs12 -in %s %s -out %s)' and set '%s' to that file"
						.formatted(clients ? "server.ssl.trust-store" : "server.ssl.key-store", location(),
								clients ? "-nokeys" : "-nodes", converted(), this.property));
		}
		return failure("it is in DER format, not in PEM format",
				"Write a PEM file with '(umask 077 && openssl %s -inform DER -in %s -out %s)' and set '%s' to that file"
					.formatted(command(), location(), converted(), this.property));
	}

	// RFC 7292, 4: a sequence that begins with the version number 3
	private static boolean isKeyStore(byte[] der) {
		int length = (der.length > 1 && der[1] < 0) ? der[1] & 0x7f : 0;
		int version = 2 + length;
		return der.length > version + 2 && der[version] == 2 && der[version + 1] == 1 && der[version + 2] == 3;
	}

	private String command() {
		if (this.property.contains("certificate-key-file")) {
			return "pkey";
		}
		return this.property.contains("revocation-list") ? "crl" : "x509";
	}

	// A file that does not exist, so that the command overwrites none
	private String converted() {
		if (!isInFileSystem()) {
			return "FILE.pem";
		}
		String file = location() + ".pem";
		for (int i = 2; Files.exists(Path.of(file)); i++) {
			file = location() + "." + i + ".pem";
		}
		return file;
	}

	String location() {
		return String.valueOf(this.content.file());
	}

	boolean isInFileSystem() {
		return this.content.inFileSystem();
	}

	List<X509Certificate> certificates() {
		List<X509Certificate> certificates = this.blocks.stream()
			.filter((block) -> block.label().equals("CERTIFICATE") || block.label().equals("X509 CERTIFICATE"))
			.map(this::certificate)
			.toList();
		if (certificates.isEmpty()) {
			throw failure("it contains no certificate, only " + labels(),
					"Set '%s' to a file with a certificate ('-----BEGIN CERTIFICATE-----')".formatted(this.property));
		}
		return certificates;
	}

	private X509Certificate certificate(Block block) {
		try {
			return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(block.stream());
		}
		catch (CertificateException ex) {
			throw failure("the block " + block + " is not an X.509 certificate: " + ex.getMessage(),
					"Write the file again", ex);
		}
	}

	List<X509CRL> revocationLists() {
		return this.blocks.stream().map(this::revocationList).toList();
	}

	private X509CRL revocationList(Block block) {
		if (!block.label().equals("X509 CRL")) {
			throw failure("it contains the block " + block + ", which is not a certificate revocation list",
					"Leave only certificate revocation lists ('-----BEGIN X509 CRL-----') in the file");
		}
		try {
			return (X509CRL) CertificateFactory.getInstance("X.509").generateCRL(block.stream());
		}
		catch (CertificateException | CRLException ex) {
			throw failure("the block " + block + " is not a certificate revocation list: " + ex.getMessage(),
					"Write the file again", ex);
		}
	}

	List<Block> privateKeys() {
		return this.blocks.stream().filter((block) -> block.label().endsWith("PRIVATE KEY")).toList();
	}

	String labels() {
		return String.join(", ", this.blocks.stream().map(Block::toString).toList());
	}

	CertificateFileException failure(String reason, String action) {
		return failure(reason, action, null);
	}

	CertificateFileException failure(String reason, String action, @Nullable Throwable cause) {
		return new CertificateFileException(this.property, this.content.file(), reason, action, cause);
	}

	/**
	 * A block of a PEM file (RFC 7468).
	 *
	 * @param label the text after {@code BEGIN}
	 * @param line the number of the {@code BEGIN} line
	 * @param lines the lines between {@code BEGIN} and {@code END}
	 */
	record Block(String label, int line, List<String> lines) {

		InputStream stream() {
			return new ByteArrayInputStream(text().getBytes(StandardCharsets.US_ASCII));
		}

		String text() {
			return PemBlocks.of(this.label, String.join("\n", this.lines));
		}

		@Override
		public String toString() {
			return "'" + this.label + "' at line " + this.line;
		}

	}

}
