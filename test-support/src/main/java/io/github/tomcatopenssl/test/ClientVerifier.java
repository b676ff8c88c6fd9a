// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.security.cert.X509Certificate;

import javax.net.ssl.X509TrustManager;

/**
 * A trust manager that verifies the clients of a server, and names no CAs.
 */
@FunctionalInterface
public interface ClientVerifier extends X509TrustManager {

	@Override
	default void checkServerTrusted(X509Certificate[] chain, String authType) {
		throw new UnsupportedOperationException();
	}

	@Override
	default X509Certificate[] getAcceptedIssuers() {
		return new X509Certificate[0];
	}

}
