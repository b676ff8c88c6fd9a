// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import org.springframework.core.io.ResourceLoader;

/**
 * What some files contained at a moment. Two are equal when all files are the same, byte
 * by byte: times and sizes do not tell that for sure.
 *
 * @param files the contents by location
 */
record FileSnapshot(Map<String, FileContent> files) {

	static FileSnapshot read(Collection<String> locations, ResourceLoader resourceLoader) {
		Map<String, FileContent> files = new LinkedHashMap<>();
		locations.forEach((location) -> files.put(location, FileContent.read(location, resourceLoader)));
		return new FileSnapshot(files);
	}

	FileSnapshot of(Collection<String> locations) {
		Map<String, FileContent> files = new LinkedHashMap<>();
		locations.forEach((location) -> files.put(location, file(location)));
		return new FileSnapshot(files);
	}

	FileContent file(String location) {
		return Objects.requireNonNull(this.files.get(location));
	}

	/**
	 * Does not show what the files contain.
	 */
	@Override
	public String toString() {
		return "FileSnapshot" + this.files.keySet().stream().map(KeyMaterial::describe).toList();
	}

}
