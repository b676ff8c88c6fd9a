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
import java.security.cert.CRLException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ResourceLoader;

/**
 * A PEM file with at least one block.
 */
final class PemFile {

	private final PemSource source;

	private final List<PemBlock> blocks;

	private PemFile(PemSource source, List<PemBlock> blocks) {
		this.source = source;
		this.blocks = blocks;
	}

	/**
	 * Read a file.
	 * @param property the property that names the file
	 * @param location a file path or a resource location
	 * @param resourceLoader loads the file
	 * @return its blocks
	 * @throws CertificateFileException if it cannot be read or is not a PEM file
	 */
	static PemFile read(String property, String location, ResourceLoader resourceLoader) {
		PemSource source = PemSource.of(property, location, resourceLoader);
		return new PemFile(source, PemParser.parse(source, source.load()));
	}

	PemSource source() {
		return this.source;
	}

	String location() {
		return this.source.location();
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
					"Set '%s' to a file with a certificate ('-----BEGIN CERTIFICATE-----')"
						.formatted(this.source.property()));
		}
		return certificates;
	}

	List<X509CRL> revocationLists() {
		List<X509CRL> revocationLists = new ArrayList<>();
		for (PemBlock block : this.blocks) {
			if (!block.isRevocationList()) {
				throw failure("it contains the block " + block + ", which is not a certificate revocation list",
						"Leave only certificate revocation lists ('-----BEGIN X509 CRL-----') in the file");
			}
			revocationLists.add(revocationList(block));
		}
		return revocationLists;
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
		return this.source.failure(reason, action, cause);
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

	private X509CRL revocationList(PemBlock block) {
		try {
			return (X509CRL) CertificateFactory.getInstance("X.509")
				.generateCRL(new ByteArrayInputStream(block.content()));
		}
		catch (CertificateException | CRLException ex) {
			throw failure("the block " + block + " is not a certificate revocation list: " + ex.getMessage(),
					"Write the file anew", ex);
		}
	}

}
