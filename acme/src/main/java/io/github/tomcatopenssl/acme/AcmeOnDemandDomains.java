// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

/**
 * Decides for which host names a certificate is obtained when the first client asks for
 * them. If the application has a bean of this type, it is asked for each name that no
 * certificate serves. Strangers choose the names, so that there are at most 20 questions
 * at once and 100 in a second, and a refusal is remembered for a minute. The application
 * is asked again before a certificate is renewed.
 */
@FunctionalInterface
public interface AcmeOnDemandDomains {

	/**
	 * Return whether to obtain a certificate. An exception counts as a refusal, or keeps
	 * the certificate that is there.
	 * @param serverName the name that a client asks for, in lower case and ASCII
	 * @return whether it is a name of this application, that resolves to it
	 */
	boolean isAllowed(String serverName);

}
