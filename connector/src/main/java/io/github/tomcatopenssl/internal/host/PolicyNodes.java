// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.io.IOException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;

import io.github.tomcatopenssl.internal.pem.Der;

/**
 * Limits the certificate policies of a client. While Java verifies a path, it keeps a
 * tree (RFC 5280, 6.1.2): each policy of a certificate gets a node below each node of the
 * issuer's policies, whatever the policies are, and mappings multiply them again.
 */
final class PolicyNodes {

	/**
	 * Maximum number of nodes, counted as if each certificate multiplied them. 1,000
	 * nodes take Java some milliseconds and 1 MB, 10,000 nodes 50 ms and 14 MB. Chains in
	 * use have one or two policies in each certificate.
	 */
	private static final int MOST = 1000;

	private static final String POLICIES = "2.5.29.32";

	private static final String MAPPINGS = "2.5.29.33";

	private PolicyNodes() {
	}

	static void requireFew(X509Certificate[] chain) throws CertificateException {
		long nodes = 1;
		for (X509Certificate certificate : chain) {
			nodes *= Math.max(1, count(certificate, POLICIES)) * (1L + count(certificate, MAPPINGS));
			if (nodes > MOST) {
				throw new CertificateException("The client's certificates have too many policies");
			}
		}
	}

	private static int count(X509Certificate certificate, String extension) throws CertificateException {
		byte[] value = certificate.getExtensionValue(extension);
		if (value == null) {
			return 0;
		}
		try {
			int count = 0;
			for (Der values = Der.ofExtension(value); values.hasNext(); values.sequence()) {
				count++;
			}
			return count;
		}
		catch (IOException ex) {
			throw new CertificateException("The policies of a certificate cannot be read", ex);
		}
	}

}
