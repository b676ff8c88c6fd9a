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

import java.util.List;

/**
 * One encapsulated text of a PEM file (RFC 7468).
 *
 * @param label what stands behind {@code BEGIN}
 * @param line the number of the {@code BEGIN} line
 * @param lines the lines between {@code BEGIN} and {@code END}
 */
record PemBlock(String label, int line, List<String> lines) {

	PemBlock with(List<String> lines) {
		return new PemBlock(this.label, this.line, List.copyOf(lines));
	}

	boolean isCertificate() {
		return this.label.equals("CERTIFICATE") || this.label.equals("X509 CERTIFICATE");
	}

	boolean isPrivateKey() {
		return this.label.endsWith("PRIVATE KEY");
	}

	boolean isRevocationList() {
		return this.label.equals("X509 CRL");
	}

	/**
	 * Whether it is a key in the encrypted form of RFC 5958, or in the older one of
	 * OpenSSL that RFC 1421 headers announce.
	 * @return whether a password is needed
	 */
	boolean isEncrypted() {
		return this.label.equals("ENCRYPTED PRIVATE KEY") || isTraditionallyEncrypted();
	}

	boolean isTraditionallyEncrypted() {
		return this.lines.stream().anyMatch((line) -> line.startsWith("Proc-Type:") && line.contains("ENCRYPTED"));
	}

	String text() {
		return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(this.label, String.join("\n", this.lines));
	}

	@Override
	public String toString() {
		return "'" + this.label + "' at line " + this.line;
	}

}
