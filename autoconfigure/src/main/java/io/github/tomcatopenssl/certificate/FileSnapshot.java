/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

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
		return "FileSnapshot" + this.files.keySet().stream().map(FileContent::shown).toList();
	}

}
