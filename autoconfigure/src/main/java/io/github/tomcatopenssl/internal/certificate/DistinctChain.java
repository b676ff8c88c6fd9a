// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.pem.PemFile;

/**
 * The certificates of a chain in the order of its files, each of them once.
 */
final class DistinctChain {

	private final Map<X509Certificate, Integer> numbers = new LinkedHashMap<>();

	private final List<TlsSettingException> duplicates = new ArrayList<>();

	void add(List<X509Certificate> certificates, PemFile file) {
		for (int i = 0; i < certificates.size(); i++) {
			if (this.numbers.putIfAbsent(certificates.get(i), i + 1) != null) {
				this.duplicates.add(file.failure("its certificate %d ('%s') is in the chain twice, and is left out"
					.formatted(i + 1, CertificateChain.name(certificates.get(i))), "Remove it from the file"));
			}
		}
	}

	List<X509Certificate> certificates() {
		return List.copyOf(this.numbers.keySet());
	}

	/**
	 * Return the positions of the certificates.
	 * @return the number of each certificate in its file
	 */
	List<Integer> numbers() {
		return List.copyOf(this.numbers.values());
	}

	/**
	 * Return the certificates that are left out.
	 * @return a problem for each
	 */
	List<TlsSettingException> duplicates() {
		return List.copyOf(this.duplicates);
	}

}
