// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

/**
 * How to describe the software of a client by what it offers in its handshake.
 */
public enum ClientFingerprint {

	/**
	 * JA4 of FoxIO.
	 */
	JA4

}
