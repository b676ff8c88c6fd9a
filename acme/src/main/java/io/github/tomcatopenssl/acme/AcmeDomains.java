// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.util.Collection;
import java.util.List;

/**
 * Knows for which domains certificates are to be obtained, besides those of the
 * properties, for example from a database. If the application has a bean of this type, it
 * is asked before the web server starts, which waits for the answer, and then each
 * minute, on a thread of its own. Certificates of sets that are no longer there are not
 * renewed, and no longer served.
 */
@FunctionalInterface
public interface AcmeDomains {

	/**
	 * Find the domains. After an exception, those of the last answer count.
	 * @return sets of host names and IP addresses, each of which gets a certificate of
	 * its own
	 */
	Collection<List<String>> find();

}
