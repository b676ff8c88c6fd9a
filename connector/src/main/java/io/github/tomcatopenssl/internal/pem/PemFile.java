// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.pem;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
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
import java.util.Locale;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.pem.PemSource.Content;
import org.jspecify.annotations.Nullable;

/**
 * A PEM file with at least one block. This class finds the blocks itself, because others
 * skip a damaged block, which makes the chain shorter.
 */
public final class PemFile {

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

	private final PemSource source;

	private final List<Block> blocks = new ArrayList<>();

	private PemFile(PemSource source) {
		this.source = source;
	}

	/**
	 * Find the blocks of a file.
	 * @param source where the file comes from
	 * @param bytes its content, which must not be empty
	 * @return the file
	 * @throws TlsSettingException if it is not a PEM file
	 */
	public static PemFile of(PemSource source, byte[] bytes) {
		PemFile file = new PemFile(source);
		file.findBlocks(bytes);
		if (file.blocks.isEmpty()) {
			throw file.notPem(bytes);
		}
		return file;
	}

	// A list of revoked certificates can have a million lines, so that only those become
	// text that can be a boundary
	private void findBlocks(byte[] bytes) {
		Block open = null;
		int number = 0;
		int content = 0;
		int next;
		for (int start = 0; start < bytes.length; start = next) {
			int end = endOfLine(bytes, start);
			next = (end + 1 < bytes.length && bytes[end] == '\r' && bytes[end + 1] == '\n') ? end + 2 : end + 1;
			number++;
			if (!hasDash(bytes, start, end)) {
				continue;
			}
			String line = new String(bytes, start, end - start, StandardCharsets.UTF_8).strip();
			Matcher boundary = BOUNDARY.matcher(line);
			if (boundary.lookingAt()) {
				boolean begins = boundary.group(1).equals("BEGIN");
				if (begins != (open == null) || open != null && !open.label().equals(boundary.group(2))) {
					throw truncated((open != null) ? open.line() : number);
				}
				if (open != null) {
					this.blocks.add(new Block(open.label(), open.line(), Arrays.copyOfRange(bytes, content, start)));
				}
				open = begins ? new Block(boundary.group(2), number, new byte[0]) : null;
				content = next;
			}
			else if (DAMAGED_BOUNDARY.matcher(line).matches()) {
				throw failure("its line %d is not a proper '-----BEGIN' or '-----END' line".formatted(number),
						"Write the file again, or remove the line if it is not part of a block");
			}
		}
		if (open != null) {
			throw truncated(open.line());
		}
	}

	private static int endOfLine(byte[] bytes, int start) {
		int end = start;
		while (end < bytes.length && bytes[end] != '\n' && bytes[end] != '\r') {
			end++;
		}
		return end;
	}

	private static boolean hasDash(byte[] bytes, int start, int end) {
		for (int i = start; i < end; i++) {
			if (bytes[i] == '-') {
				return true;
			}
		}
		return false;
	}

	// Omits the line, which contains the key if a file has lost its line breaks
	private TlsSettingException truncated(int line) {
		return failure(
				"its block at line %d has no proper '-----END' line: the file is truncated, damaged, or has lost its line breaks"
					.formatted(line),
				"Write the file again");
	}

	private TlsSettingException notPem(byte[] bytes) {
		if (isKeyStore(bytes)) {
			return failure("it is a PKCS #12 key store, not a PEM file", useKeyStore(
					"write a PEM file with '(umask 077 && openssl pkcs12 -in %s %s -out %s)' and set '%s' to that file"
						.formatted(source(), isTrust() ? "-nokeys" : "-nodes", converted(), property())));
		}
		if (Arrays.mismatch(bytes, JAVA_KEY_STORE) == JAVA_KEY_STORE.length) {
			return failure("it is a Java key store (JKS), not a PEM file",
					useKeyStore("set '%s' to a PEM file".formatted(property())));
		}
		if (bytes[0] == DER_SEQUENCE) {
			return failure("it is in DER format, not in PEM format",
					"Write a PEM file with '(umask 077 && openssl %s -inform DER -in %s -out %s)' and set '%s' to that file"
						.formatted(command(), source(), converted(), property()));
		}
		for (String encoding : List.of("UTF-16LE", "UTF-16BE")) {
			if (new String(bytes, Charset.forName(encoding)).contains("-----BEGIN ")) {
				return failure("it is encoded in UTF-16, which PEM files are not",
						"Write it again in ASCII or UTF-8, for example with 'iconv -f %s -t UTF-8 %s > %s', and set '%s' to that file"
							.formatted(encoding, source(), converted(), property()));
			}
		}
		if (new String(bytes, StandardCharsets.US_ASCII).stripLeading().startsWith(ENCODED_BEGIN)) {
			return failure("it is a PEM file encoded in Base64",
					"Decode it with '(umask 077 && base64 -d %s > %s)' and set '%s' to that file".formatted(source(),
							converted(), property()));
		}
		return failure("it is not in PEM format: it has no '-----BEGIN' line",
				"Set '%s' to a PEM file".formatted(property()));
	}

	private boolean isTrust() {
		return this.source.content() == Content.CAS;
	}

	private String useKeyStore(String alternative) {
		String keyStore = this.source.keyStoreProperty();
		return (keyStore != null) ? "Set '%s' to it instead, or %s".formatted(keyStore, alternative)
				: alternative.substring(0, 1).toUpperCase(Locale.ROOT) + alternative.substring(1);
	}

	// RFC 7292, 4: a sequence that begins with the version number 3
	private static boolean isKeyStore(byte[] der) {
		int length = (der.length > 1 && der[1] < 0) ? der[1] & 0x7f : 0;
		int version = 2 + length;
		return der.length > version + 2 && der[0] == DER_SEQUENCE && der[version] == 2 && der[version + 1] == 1
				&& der[version + 2] == 3;
	}

	private String command() {
		return switch (this.source.content()) {
			case PRIVATE_KEY -> "pkey";
			case REVOCATION_LISTS -> "crl";
			default -> "x509";
		};
	}

	// The file in a command
	String source() {
		return ShellWord.of(location());
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
		return ShellWord.of(file);
	}

	/**
	 * Return the file as messages show it.
	 * @return the file
	 */
	public String location() {
		return String.valueOf(this.source.file());
	}

	/**
	 * Return the name of the setting that names the file.
	 * @return the name
	 */
	public String property() {
		return this.source.property();
	}

	boolean hasOneBlock() {
		return this.blocks.size() == 1;
	}

	/**
	 * Return whether the file is in the file system.
	 * @return whether it is
	 */
	public boolean isInFileSystem() {
		return this.source.inFileSystem();
	}

	/**
	 * Check that there is no block that is not used.
	 * @param wanted what the blocks of the file are, such as {@code a certificate}
	 * @param isUsed returns whether a block is used
	 * @throws TlsSettingException if one is not
	 */
	public void requireUsed(String wanted, Predicate<Block> isUsed) {
		this.blocks.stream().filter(isUsed.negate()).findFirst().ifPresent((block) -> {
			throw UnusedBlock.failure(this, block, wanted);
		});
	}

	/**
	 * Return whether the file has a block.
	 * @param block the block, perhaps of another file
	 * @return whether the file has a block with the same content
	 */
	public boolean contains(Block block) {
		return this.blocks.stream().anyMatch(block::hasSameContent);
	}

	/**
	 * Return whether a block has the parameters of an EC key: OpenSSL writes them before
	 * a key that has them as well.
	 * @param block the block
	 * @return whether it has, and the file has such a key
	 */
	public boolean isUsedCurve(Block block) {
		return block.label().equals("EC PARAMETERS")
				&& this.blocks.stream().anyMatch((other) -> other.label().equals("EC PRIVATE KEY"));
	}

	/**
	 * Return the certificates.
	 * @return the certificates in the order of the file, at least one
	 * @throws TlsSettingException if there is none, or one cannot be read
	 */
	public List<X509Certificate> certificates() {
		List<X509Certificate> certificates = this.blocks.stream()
			.filter(Block::isCertificate)
			.map(this::certificate)
			.toList();
		if (certificates.isEmpty()) {
			throw failure("it contains no certificate, only " + labels(), this.blocks.stream()
				.map((block) -> UnusedBlock.replacement(this, block.label()))
				.filter(Objects::nonNull)
				.findFirst()
				.orElse("Set '%s' to a file with a certificate ('-----BEGIN CERTIFICATE-----')".formatted(property())));
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

	/**
	 * Return the certificate revocation lists.
	 * @return the lists in the order of the file
	 * @throws TlsSettingException if one cannot be read, or there is another block
	 */
	public List<X509CRL> revocationLists() {
		return this.blocks.stream().map(this::revocationList).toList();
	}

	private X509CRL revocationList(Block block) {
		if (!block.label().equals("X509 CRL")) {
			throw failure("it contains the block " + block + ", which is not a certificate revocation list",
					"Leave only certificate revocation lists ('-----BEGIN X509 CRL-----') in the file");
		}
		try {
			return (X509CRL) CertificateFactory.getInstance("X.509").generateCRL(new ByteArrayInputStream(block.der()));
		}
		catch (CertificateException | CRLException ex) {
			throw failure("the block " + block + " is not a certificate revocation list: " + ex.getMessage(),
					"Write the file again", ex);
		}
	}

	/**
	 * Return the block of the private key.
	 * @param keyProperty the name of the setting that names a file with the private key
	 * alone
	 * @return the block
	 * @throws TlsSettingException if there is none, or more than one
	 */
	public Block privateKey(String keyProperty) {
		List<Block> keys = this.blocks.stream().filter(Block::isPrivateKey).toList();
		if (keys.isEmpty()) {
			throw failure("it contains no private key, only " + labels(),
					"Set '%s' to the file with the private key".formatted(keyProperty)
							+ (property().equals(keyProperty) ? "" : ", or add the key to the certificate file"));
		}
		if (keys.size() > 1) {
			throw failure("it contains more than one private key: " + labels(),
					"Leave only the key of the leaf certificate in the file");
		}
		return keys.get(0);
	}

	private String labels() {
		return String.join(", ", this.blocks.stream().map(Block::toString).toList());
	}

	/**
	 * Create an exception for a problem of the file.
	 * @param reason what is wrong, as a clause of a sentence
	 * @param action what to do about it, as a sentence without its full stop
	 * @return the exception
	 */
	public TlsSettingException failure(String reason, String action) {
		return failure(reason, action, null);
	}

	/**
	 * Create an exception for a problem of the file.
	 * @param reason what is wrong, as a clause of a sentence
	 * @param action what to do about it, as a sentence without its full stop
	 * @param cause the underlying error, if there is one
	 * @return the exception
	 */
	public TlsSettingException failure(String reason, String action, @Nullable Throwable cause) {
		return new TlsSettingException(property(), this.source.file(), reason, action, cause);
	}

	static boolean hasCurveParameters(byte[] der) {
		String hex = HexFormat.of().formatHex(der);
		return FIELDS.stream().anyMatch(hex::contains);
	}

	/**
	 * A block of a PEM file (RFC 7468).
	 *
	 * @param label the text after {@code BEGIN}
	 * @param line the number of the {@code BEGIN} line
	 * @param content the lines between {@code BEGIN} and {@code END}
	 */
	public record Block(String label, int line, byte[] content) {

		private List<String> lines() {
			return new String(this.content, StandardCharsets.UTF_8).lines().map(String::strip).toList();
		}

		InputStream stream() {
			return new ByteArrayInputStream(
					"-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(this.label, String.join("\n", lines()))
						.getBytes(StandardCharsets.US_ASCII));
		}

		// Returns nothing if the lines are not Base64
		byte[] der() {
			try {
				if (!isHeader(endOfLine(this.content, 0))) {
					return Base64.getMimeDecoder().decode(this.content);
				}
				List<String> lines = lines();
				int end = lines.indexOf("");
				return Base64.getMimeDecoder()
					.decode(String.join("", (end >= 0) ? lines.subList(end + 1, lines.size()) : lines));
			}
			catch (IllegalArgumentException ex) {
				return new byte[0];
			}
		}

		private boolean isHeader(int end) {
			for (int i = 0; i < end; i++) {
				if (this.content[i] == ':') {
					return true;
				}
			}
			return false;
		}

		// The encryption of OpenSSL's traditional format, or null
		@Nullable String dekInfo() {
			List<String> lines = lines();
			boolean encrypted = lines.stream()
				.anyMatch((line) -> line.startsWith("Proc-Type:") && line.contains("ENCRYPTED"));
			return encrypted ? lines.stream().filter((line) -> line.startsWith("DEK-Info:")).findFirst().orElse("")
					: null;
		}

		/**
		 * Return whether the block is a certificate.
		 * @return whether it is
		 */
		public boolean isCertificate() {
			return this.label.equals("CERTIFICATE") || this.label.equals("X509 CERTIFICATE");
		}

		/**
		 * Return whether the block is a private key.
		 * @return whether it is
		 */
		public boolean isPrivateKey() {
			return this.label.endsWith("PRIVATE KEY");
		}

		boolean hasSameContent(Block other) {
			return this.label.equals(other.label) && lines().equals(other.lines());
		}

		boolean hasCurveParameters() {
			return PemFile.hasCurveParameters(der());
		}

		// Whether it has the length that is encoded at its beginning
		boolean isComplete() {
			try {
				Der.ofSequence(der());
				return true;
			}
			catch (IOException ex) {
				return false;
			}
		}

		@Override
		public String toString() {
			return "'" + this.label + "' at line " + this.line;
		}

	}

}
