// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import java.util.Locale;

/**
 * Operating system, processor and C library that a native library is built for.
 *
 * @param classifier the classifier of its artifact, in Netty's spelling, such as
 * {@code linux-x86_64}; {@code -musl} is appended if musl is the C library
 */
record Platform(String classifier) {

	static Platform current() {
		return of(System.getProperty("os.name"), System.getProperty("os.arch"), MappedFiles.includeMusl());
	}

	static Platform of(String osName, String osArch, boolean musl) {
		String os = osName.toLowerCase(Locale.ROOT);
		String system = os.startsWith("linux") ? "linux"
				: os.startsWith("mac") ? "osx" : os.startsWith("windows") ? "windows" : os.replaceAll("\\s", "");
		String arch = switch (osArch.toLowerCase(Locale.ROOT)) {
			case "amd64", "x86_64", "x64" -> "x86_64";
			case "aarch64", "arm64" -> "aarch_64";
			default -> osArch;
		};
		return new Platform(system + "-" + arch + ((system.equals("linux") && musl) ? "-musl" : ""));
	}

	boolean isMusl() {
		return this.classifier.endsWith("-musl");
	}

	String folder() {
		return "META-INF/native/" + this.classifier + "/";
	}

}
