// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Reports whether certificate files that are replaced while the server runs are put into
 * use. The application context has a bean of this type.
 */
public interface CertificateReloads {

	/**
	 * Return the status of each SSL bundle that is created from certificate files, and of
	 * the session ticket key.
	 * @return the statuses, the default host first; empty if there are no such files
	 */
	List<Status> status();

	/**
	 * The status of an SSL bundle, or of the session ticket key.
	 *
	 * @param name the name of the SSL bundle, or {@code session-ticket-key}
	 * @param serverName the host name that the bundle is for, or {@code null} for the
	 * default host, for the management server and for the session ticket key
	 * @param succeeded how often new files were put into use
	 * @param failed how often new files were refused
	 * @param lastSuccess when new files were last put into use, or {@code null} if they
	 * never were
	 * @param problem why the current files are not in use, or that their revocation lists
	 * have expired, or that the files are not being checked; {@code null} if there is no
	 * problem
	 */
	record Status(String name, @Nullable String serverName, long succeeded, long failed, @Nullable Instant lastSuccess,
			@Nullable String problem) {

	}

}
