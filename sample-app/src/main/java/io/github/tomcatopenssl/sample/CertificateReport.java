// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The certificates of the server.
 *
 * @param chain the chain of the default host, the leaf certificate first
 * @param lastReload when replaced files were last put into use, or {@code null} if they
 * never were
 * @param refused why the current files are not in use, or {@code null} if they are
 */
record CertificateReport(List<Entry> chain, @Nullable Instant lastReload, @Nullable String refused) {

	/**
	 * A certificate.
	 *
	 * @param subject the subject that it is for
	 * @param issuer the issuer
	 * @param validUntil when it expires
	 * @param daysLeft the number of whole days until it expires
	 */
	record Entry(@Nullable String subject, @Nullable String issuer, Instant validUntil, long daysLeft) {

	}

}
