// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The versions of TLS and its predecessors that an engine can enable.
 */
public enum ProtocolVersion {

	/**
	 * Only a form of the first message, which JSSE counts as a version.
	 */
	SSL_2_HELLO(0x0002, "SSLv2Hello"),

	/**
	 * SSL 3.0 (RFC 6101), which RFC 7568 prohibits.
	 */
	SSL_3_0(0x0300, "SSLv3"),

	/**
	 * TLS 1.0 (RFC 2246).
	 */
	TLS_1_0(0x0301, "TLSv1"),

	/**
	 * TLS 1.1 (RFC 4346).
	 */
	TLS_1_1(0x0302, "TLSv1.1"),

	/**
	 * TLS 1.2 (RFC 5246).
	 */
	TLS_1_2(0x0303, "TLSv1.2"),

	/**
	 * TLS 1.3 (RFC 8446).
	 */
	TLS_1_3(0x0304, "TLSv1.3");

	/**
	 * The versions of TLS, the lowest one first.
	 */
	public static final List<ProtocolVersion> TLS = List.of(TLS_1_0, TLS_1_1, TLS_1_2, TLS_1_3);

	private final int id;

	private final String tomcatName;

	ProtocolVersion(int id, String tomcatName) {
		this.id = id;
		this.tomcatName = tomcatName;
	}

	/**
	 * Return the number of the version in messages.
	 * @return the number
	 */
	public int id() {
		return this.id;
	}

	/**
	 * Return the version with the given name.
	 * @param name the name, as Tomcat and JSSE spell it
	 * @return the version, or {@code null} if it is not known here
	 */
	public static @Nullable ProtocolVersion of(String name) {
		return Arrays.stream(values()).filter((version) -> version.tomcatName.equals(name)).findFirst().orElse(null);
	}

	/**
	 * Return the name of the version.
	 * @return the name, as Tomcat and JSSE spell it
	 */
	@Override
	public String toString() {
		return this.tomcatName;
	}

}
