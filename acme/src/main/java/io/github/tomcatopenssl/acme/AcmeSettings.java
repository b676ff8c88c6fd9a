// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.nio.file.Path;
import java.util.List;

/**
 * The properties. The values that an order needs are checked and completed.
 *
 * @param properties the properties
 * @param domains the domains, as the CA expects them
 * @param directory the folder of all CAs
 */
record AcmeSettings(AcmeProperties properties, List<String> domains, Path directory) {

	/**
	 * Return the domains as messages show them.
	 * @return the domains
	 */
	String names() {
		return String.join(", ", this.domains);
	}

	String ca() {
		return this.properties.directoryUrl().toString();
	}

}
