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

package io.github.tomcatopenssl.sample.container;

/**
 * A distribution that images are built on.
 */
enum Base {

	/**
	 * Debian 13, with OpenSSL 3.5.
	 */
	TRIXIE("debian:trixie-slim", 25),

	/**
	 * Debian 12, with OpenSSL 3.0.
	 */
	BOOKWORM("debian:bookworm-slim", 17);

	private final String image;

	private final int java;

	Base(String image, int java) {
		this.image = image;
		this.java = java;
	}

	String image() {
		return this.image;
	}

	int java() {
		return this.java;
	}

}
