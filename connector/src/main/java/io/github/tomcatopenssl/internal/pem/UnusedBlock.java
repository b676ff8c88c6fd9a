// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.pem;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.pem.PemFile.Block;
import org.jspecify.annotations.Nullable;

/**
 * Says what to do about a block of a PEM file that nothing reads. If it were skipped, its
 * content would be missing later, without a message.
 */
final class UnusedBlock {

	private UnusedBlock() {
	}

	static TlsSettingException failure(PemFile file, Block block, String wanted) {
		String replacement = replacement(file, block.label());
		return file.failure("it contains the block %s, which is not %s".formatted(block, wanted),
				(replacement != null) ? replacement : removal(block.label()));
	}

	/**
	 * Return the way to get a certificate from a block.
	 * @param file the file
	 * @param label the label of the block
	 * @return a sentence without its full stop, or {@code null} if there is no way
	 */
	static @Nullable String replacement(PemFile file, String label) {
		return switch (label) {
			case "TRUSTED CERTIFICATE" -> convert(file, "openssl x509 -in %s -out %s");
			case "PKCS7", "PKCS #7 SIGNED DATA" -> convert(file, "openssl pkcs7 -print_certs -in %s -out %s");
			case "CMS" -> convert(file,
					"openssl cms -cmsout -inform PEM -outform DER -in %s | openssl pkcs7 -inform DER -print_certs -out %s");
			case "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST" ->
				"Have a CA issue a certificate from the request, and replace the request with it";
			default -> null;
		};
	}

	private static String removal(String label) {
		if (label.equals("X509 CRL")) {
			return "Remove it from the file. To check clients against a revocation list, write it to a file of its own, and set 'certificate-revocation-list-file' to that file";
		}
		return "Remove it from the file";
	}

	// The commands read only the first block
	private static String convert(PemFile file, String command) {
		return file.hasOneBlock()
				? "Write a file in the standard format with '%s', and set '%s' to that file"
					.formatted(command.formatted(file.source(), file.converted()), file.property())
				: "Replace the block with what '%s' writes, where FILE contains only this block"
					.formatted(command.formatted("FILE", "FILE.pem"));
	}

}
