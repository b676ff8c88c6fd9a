// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample.container;

/**
 * A base image that images are built on.
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
