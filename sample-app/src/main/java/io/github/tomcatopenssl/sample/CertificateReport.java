// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The certificates that the server has.
 *
 * @param chain the chain of the default host, the leaf certificate first
 * @param lastReload when replaced files were last taken into use, or {@code null}
 * @param refused why the present files are not in use, or {@code null} when they are
 */
record CertificateReport(List<Entry> chain, @Nullable Instant lastReload, @Nullable String refused) {

	/**
	 * A certificate.
	 *
	 * @param subject whom it is for
	 * @param issuer who has issued it
	 * @param validUntil when it expires
	 * @param daysLeft how many whole days that is from now
	 */
	record Entry(@Nullable String subject, @Nullable String issuer, Instant validUntil, long daysLeft) {

	}

}
