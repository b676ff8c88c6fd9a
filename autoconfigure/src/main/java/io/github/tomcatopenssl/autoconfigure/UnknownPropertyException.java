// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Thrown if the names of properties are misspelt. Never contains their values.
 */
class UnknownPropertyException extends RuntimeException {

	private final List<Unknown> properties;

	UnknownPropertyException(List<Unknown> properties) {
		super(properties.stream()
			.map((unknown) -> "There is no property '%s' (%s), but %s".formatted(unknown.property(), unknown.origin(),
					unknown.quoted()))
			.collect(Collectors.joining(". ")));
		this.properties = properties;
	}

	List<Unknown> properties() {
		return this.properties;
	}

	/**
	 * A property that does not exist.
	 *
	 * @param property the name that is set
	 * @param origin where it is set
	 * @param meant the names that resemble it
	 */
	record Unknown(String property, String origin, List<String> meant) {

		String quoted() {
			return this.meant.stream().collect(Collectors.joining("' or '", "'", "'"));
		}

	}

}
