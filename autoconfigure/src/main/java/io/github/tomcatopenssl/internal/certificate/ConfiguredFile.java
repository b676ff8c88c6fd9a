// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.util.List;
import java.util.stream.IntStream;

import io.github.tomcatopenssl.internal.pem.PemSource;

/**
 * A file that a property names.
 *
 * @param property the name of the property
 * @param location the file path or resource location
 * @param content what it is expected to contain
 */
public record ConfiguredFile(String property, String location, PemSource.Content content) {

	/**
	 * Return the revocation lists of a property that names any number of files.
	 * @param property the name of the property, which gets an index if there are several
	 * files
	 * @param locations the file paths or resource locations
	 * @return the files, in the same order
	 */
	public static List<ConfiguredFile> revocationLists(String property, List<String> locations) {
		return IntStream.range(0, locations.size())
			.mapToObj((index) -> new ConfiguredFile((locations.size() > 1) ? property + "[" + index + "]" : property,
					locations.get(index), PemSource.Content.REVOCATION_LISTS))
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
