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

package io.github.tomcatopenssl.library;

import java.util.List;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * C library of a Linux system. A library that was built for the other one can crash the
 * process that loads it.
 */
enum CLibrary {

	GLIBC("glibc", "lib[cm]\\.so\\.6.*|libpthread\\.so\\.0|libdl\\.so\\.2|ld-linux.*|ld64\\.so.*"),

	MUSL("musl", "libc\\.so|libc\\.musl-.*|ld-musl-.*");

	private final String name;

	private final Pattern needed;

	CLibrary(String name, String needed) {
		this.name = name;
		this.needed = Pattern.compile(needed);
	}

	/**
	 * Return what a library was built for.
	 * @param needed the names of the libraries that it needs
	 * @return the C library, or {@code null} when it cannot be told
	 */
	static @Nullable CLibrary of(List<String> needed) {
		for (CLibrary library : values()) {
			if (needed.stream().anyMatch(library.needed.asMatchPredicate())) {
				return library;
			}
		}
		return null;
	}

	@Override
	public String toString() {
		return this.name;
	}

}
