// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Tells what became of certificate files that were replaced while the server runs. There
 * is a bean of this type.
 */
public interface CertificateReloads {

	/**
	 * Return the state of each SSL bundle that is made of certificate files, and of the
	 * session ticket keys.
	 * @return the states, that of the default host first; empty without such files
	 */
	List<Status> status();

	/**
	 * The state of an SSL bundle, or of the session ticket keys.
	 *
	 * @param name the name of the SSL bundle, or {@code session-ticket-keys}
	 * @param serverName the host name that it is for, or {@code null} for the default
	 * host
	 * @param succeeded how often new files were taken into use
	 * @param failed how often new files were refused
	 * @param lastSuccess when new files were last taken into use, or {@code null}
	 * @param problem why the present files are not in use, or that their revocation lists
	 * have run out; {@code null} when all is well
	 */
	record Status(String name, @Nullable String serverName, long succeeded, long failed, @Nullable Instant lastSuccess,
			@Nullable String problem) {

	}

}
