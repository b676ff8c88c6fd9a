// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What served a request.
 *
 * @param engine the TLS engine, {@code none} for plain HTTP
 * @param reason why OpenSSL is not the engine, or {@code null} if it is, or if there is
 * no TLS
 * @param openSslVersion the version of OpenSSL, if OpenSSL is the engine
 * @param tomcatNativeVersion the version of Tomcat Native, if OpenSSL is the engine
 * @param library the file of Tomcat Native, if OpenSSL is the engine
 * @param httpProtocol the HTTP version of the request
 * @param protocol the TLS version of the connection
 * @param cipherSuite the cipher suite of the connection
 * @param groups the groups that the server allows for the key exchange, in its order of
 * preference
 * @param group the group of the connection
 * @param postQuantum whether the key exchange of the connection withstands quantum
 * computers
 */
record TlsReport(String engine, @Nullable String reason, @Nullable String openSslVersion,
		@Nullable String tomcatNativeVersion, @Nullable String library, String httpProtocol, @Nullable String protocol,
		@Nullable String cipherSuite, List<String> groups, @Nullable String group, boolean postQuantum) {
}
