// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A file that a property names.
 *
 * @param property the name of the property
 * @param location the file path or resource location
 */
public record ConfiguredFile(String property, String location) {

	/**
	 * Return the files of a property that names any number of them.
	 * @param property the name of the property, which gets an index if there are several
	 * files
	 * @param locations the file paths or resource locations
	 * @return the files, in the same order
	 */
	public static List<ConfiguredFile> listOf(String property, List<String> locations) {
		return IntStream.range(0, locations.size())
			.mapToObj((index) -> new ConfiguredFile((locations.size() > 1) ? property + "[" + index + "]" : property,
					locations.get(index)))
			.toList();
	}

	/**
	 * Return the name of the property without an index.
	 * @return the name
	 */
	String propertyOfAll() {
		return this.property.replaceFirst("\\[\\d+]$", "");
	}

}
