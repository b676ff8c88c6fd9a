// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;

/**
 * Finds the certificate of a name when the first client asks for it, for example in a
 * database. If the application has a bean of this type, it is asked for each name that no
 * certificate serves. Strangers choose the names, so that there are at most 20 questions
 * at once and 100 in a second, and it is remembered for a minute that there is no
 * certificate. A certificate that was found is asked for again after an hour, at the next
 * handshake for its name; with {@link ServerCertificates} it can be replaced or removed
 * before. The handshake waits for the answer no longer than
 * {@code server.ssl.handshake-timeout}.
 */
@FunctionalInterface
public interface ServerCertificateSource {

	/**
	 * Find the certificate of a name. An exception counts as no answer: a certificate
	 * that was found before still serves, and the client of another name is refused, or
	 * gets the default certificate.
	 * @param serverName the name that a client asks for, in lower case and ASCII
	 * @return a bundle with the certificate, its chain and its private key, or
	 * {@code null} if there is none
	 */
	@Nullable SslBundle find(String serverName);

}
