// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.ByteBuffer;
import java.util.List;

import io.github.tomcatopenssl.internal.engine.TlsRecords;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;

/**
 * The cipher suites and protocol versions that a client offers, which a request can ask
 * for. They are kept as numbers of two bytes each, and formatted only when a request
 * asks.
 *
 * @param suites the numbers of the cipher suites
 * @param versions the numbers of the protocol versions
 */
record RequestedSuites(ByteBuffer suites, ByteBuffer versions) {

	static final RequestedSuites NONE = new RequestedSuites(ByteBuffer.allocate(0), ByteBuffer.allocate(0));

	RequestedSuites {
		suites = copy(suites);
		versions = copy(versions);
	}

	// A slice would keep all that was received
	static ByteBuffer copy(ByteBuffer numbers) {
		int length = numbers.remaining();
		return ByteBuffer.allocate(length).put(0, numbers, numbers.position(), length);
	}

	List<String> suiteNames() {
		return TlsRecords.numbers(this.suites).mapToObj(RequestedSuites::suiteName).toList();
	}

	List<String> versionNames() {
		return TlsRecords.numbers(this.versions).mapToObj(TlsRecords::versionName).toList();
	}

	int[] suiteNumbers() {
		return TlsRecords.numbers(this.suites).toArray();
	}

	int[] versionNumbers() {
		return TlsRecords.numbers(this.versions).toArray();
	}

	private static String suiteName(int id) {
		Cipher cipher = Cipher.valueOf(id);
		return (cipher != null) ? cipher.name() : "Unknown(0x%04x)".formatted(id);
	}

}
