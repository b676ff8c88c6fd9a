// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.nio.file.Path;
import java.util.List;

/**
 * Provides the certificates of the default host, and replaces their files when they are
 * renewed.
 */
public interface CertificateSource {

	/**
	 * Return the files, each of which has a certificate with its chain and its key.
	 * Called once, before the server starts.
	 * @return the files, which exist, the preferred one first
	 * @throws CertificateFileException if the certificates cannot be provided
	 */
	List<Path> files();

}
