// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CRLException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.host.PemBlocks;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * A PEM file with at least one block. This class finds the blocks itself, because Spring
 * Boot skips a damaged block, which makes the chain shorter.
 */
final class PemFile {

	private static final Pattern BOUNDARY = Pattern.compile("\uFEFF?-----(BEGIN|END) ([^-]+)-----");

	// With other dashes than a boundary has, such as in the format of SSH
	private static final Pattern DAMAGED_BOUNDARY = Pattern.compile("\uFEFF?-{2,}\\s*(BEGIN|END)\\s.*");

	private static final int DER_SEQUENCE = 0x30;

	private static final byte[] JAVA_KEY_STORE = { (byte) 0xfe, (byte) 0xed, (byte) 0xfe, (byte) 0xed };

	/**
	 * The first characters of a block in Base64, as Kubernetes shows secrets.
	 */
	private static final String ENCODED_BEGIN = "LS0tLS1CRUdJTi";

	// The object identifiers of the fields in parameters of a curve (RFC 3279, 2.3.5).
	// If the curve is named, there are none
	private static final List<String> FIELDS = List.of("06072a8648ce3d0101", "06072a8648ce3d0102");

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
			else if (DAMAGED_BOUNDARY.matcher(lines.get(i)).matches()) {
				throw failure("its line %d is not a proper '-----BEGIN' or '-----END' line".formatted(i + 1),
						"Write the file again, or remove the line if it is not part of a block");
			}
		}
		if (open != null) {
			throw truncated(open.line());
		}
	}

	// Omits the line, which contains the key if a file has lost its line breaks
	private TlsSettingException truncated(int line) {
		return failure(
				"its block at line %d has no proper '-----END' line: the file is truncated, damaged, or has lost its line breaks"
					.formatted(line),
				"Write the file again");
	}

	private TlsSettingException notPem() {
		byte[] bytes = this.content.bytes();
		if (isKeyStore(bytes)) {
			return failure("it is a PKCS #12 key store, not a PEM file", useKeyStore(
					"write a PEM file with '(umask 077 && openssl pkcs12 -in %s %s -out %s)' and set '%s' to that file"
						.formatted(location(), isTrust() ? "-nokeys" : "-nodes", converted(), this.property)));
		}
		if (Arrays.mismatch(bytes, JAVA_KEY_STORE) == JAVA_KEY_STORE.length) {
			return failure("it is a Java key store (JKS), not a PEM file",
					useKeyStore("set '%s' to a PEM file".formatted(this.property)));
		}
		if (bytes[0] == DER_SEQUENCE) {
			return failure("it is in DER format, not in PEM format",
					"Write a PEM file with '(umask 077 && openssl %s -inform DER -in %s -out %s)' and set '%s' to that file"
						.formatted(command(), location(), converted(), this.property));
		}
		for (String encoding : List.of("UTF-16LE", "UTF-16BE")) {
			if (new String(bytes, Charset.forName(encoding)).contains("-----BEGIN ")) {
				return failure("it is encoded in UTF-16, which PEM files are not",
						"Write it again in ASCII or UTF-8, for example with 'iconv -f %s -t UTF-8 %s > %s', and set '%s' to that file"
							.formatted(encoding, location(), converted(), this.property));
			}
		}
		if (new String(bytes, StandardCharsets.US_ASCII).stripLeading().startsWith(ENCODED_BEGIN)) {
			return failure("it is a PEM file encoded in Base64",
					"Decode it with '(umask 077 && base64 -d %s > %s)' and set '%s' to that file".formatted(location(),
							converted(), this.property));
		}
		return failure("it is not in PEM format: it has no '-----BEGIN' line",
				"Set '%s' to a PEM file".formatted(this.property));
	}

	private boolean isTrust() {
		return this.property.endsWith("ca-certificate-file") || this.property.endsWith("trust-certificate-file");
	}

	// A host name has no key store of its own
	private String useKeyStore(String alternative) {
		String prefix = this.property.substring(0, this.property.lastIndexOf('.') + 1);
		return prefix.endsWith("server.ssl.") ? "Set '%s' to it instead, or %s".formatted(
				prefix + (isTrust() ? "trust-store" : "key-store"), alternative) : StringUtils.capitalize(alternative);
	}

	// RFC 7292, 4: a sequence that begins with the version number 3
	private static boolean isKeyStore(byte[] der) {
		int length = (der.length > 1 && der[1] < 0) ? der[1] & 0x7f : 0;
		int version = 2 + length;
		return der.length > version + 2 && der[0] == DER_SEQUENCE && der[version] == 2 && der[version + 1] == 1
				&& der[version + 2] == 3;
	}

	private String command() {
		if (this.property.contains("certificate-key-file")) {
			return "pkey";
		}
		return this.property.contains("revocation-list") ? "crl" : "x509";
	}

	// A file that does not exist, so that the command overwrites none
	String converted() {
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

	String property() {
		return this.property;
	}

	boolean hasOneBlock() {
		return this.blocks.size() == 1;
	}

	boolean isInFileSystem() {
		return this.content.inFileSystem();
	}

	/**
	 * Check that there is no block that is not used.
	 * @param wanted what the blocks of the file are, such as {@code a certificate}
	 * @param isUsed returns whether a block is used
	 * @throws TlsSettingException if one is not
	 */
	void requireUsed(String wanted, Predicate<Block> isUsed) {
		this.blocks.stream().filter(isUsed.negate()).findFirst().ifPresent((block) -> {
			throw UnusedBlock.failure(this, block, wanted);
		});
	}

	boolean contains(Block block) {
		return this.blocks.stream().anyMatch(block::hasSameContent);
	}

	// OpenSSL writes the parameters before a key that has them as well
	boolean isUsedCurve(Block block) {
		return block.label().equals("EC PARAMETERS")
				&& this.blocks.stream().anyMatch((other) -> other.label().equals("EC PRIVATE KEY"));
	}

	List<X509Certificate> certificates() {
		List<X509Certificate> certificates = this.blocks.stream()
			.filter(Block::isCertificate)
			.map(this::certificate)
			.toList();
		if (certificates.isEmpty()) {
			throw failure("it contains no certificate, only " + labels(),
					this.blocks.stream()
						.map((block) -> UnusedBlock.replacement(this, block.label()))
						.filter(Objects::nonNull)
						.findFirst()
						.orElse("Set '%s' to a file with a certificate ('-----BEGIN CERTIFICATE-----')"
							.formatted(this.property)));
		}
		return certificates;
	}

	private X509Certificate certificate(Block block) {
		try {
			return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(block.stream());
		}
		catch (CertificateException ex) {
			if (block.hasCurveParameters()) {
				throw failure(
						"the certificate %s has the parameters of an elliptic curve instead of its name, which Java does not support and certificates must not have (RFC 5480, 2.1.1)"
							.formatted(block),
						"Have it issued again for a key that names its curve: 'openssl pkey -in KEY -ec_param_enc named_curve -out KEY.pem' converts its key",
						ex);
			}
			throw failure("the block " + block + " is not an X.509 certificate that Java can read: " + ex
				.getMessage(), block.isComplete()
						? "Use another certificate, with an EC key on the curve P-256, P-384 or P-521, or with an RSA or Ed25519 key. 'openssl x509 -noout -text' shows what this one contains"
						: "Write the file again",
					ex);
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
		return this.blocks.stream().filter(Block::isPrivateKey).toList();
	}

	String labels() {
		return String.join(", ", this.blocks.stream().map(Block::toString).toList());
	}

	TlsSettingException failure(String reason, String action) {
		return failure(reason, action, null);
	}

	TlsSettingException failure(String reason, String action, @Nullable Throwable cause) {
		return new TlsSettingException(this.property, this.content.file(), reason, action, cause);
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

		// Returns nothing if the lines are not Base64
		byte[] der() {
			try {
				return Base64.getMimeDecoder().decode(String.join("", this.lines));
			}
			catch (IllegalArgumentException ex) {
				return new byte[0];
			}
		}

		boolean isCertificate() {
			return this.label.equals("CERTIFICATE") || this.label.equals("X509 CERTIFICATE");
		}

		boolean isPrivateKey() {
			return this.label.endsWith("PRIVATE KEY");
		}

		boolean hasSameContent(Block other) {
			return this.label.equals(other.label) && this.lines.equals(other.lines);
		}

		boolean hasCurveParameters() {
			String hex = HexFormat.of().formatHex(der());
			return FIELDS.stream().anyMatch(hex::contains);
		}

		// Whether it is as long as the length at its beginning says
		boolean isComplete() {
			ByteBuffer der = ByteBuffer.wrap(der());
			if (der.remaining() < 2 || der.get() != DER_SEQUENCE) {
				return false;
			}
			int length = der.get();
			if (length < 0) {
				int bytes = length & 0x7f;
				if (bytes > Integer.BYTES || bytes > der.remaining()) {
					return false;
				}
				length = 0;
				for (int i = 0; i < bytes; i++) {
					length = length << Byte.SIZE | der.get() & 0xff;
				}
			}
			return length == der.remaining();
		}

		@Override
		public String toString() {
			return "'" + this.label + "' at line " + this.line;
		}

	}

}
