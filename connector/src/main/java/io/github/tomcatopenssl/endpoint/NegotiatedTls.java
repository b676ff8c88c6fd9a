// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The parameters that the handshake of a connection has agreed on.
 *
 * @param exchange the key exchange, and the version of TLS
 * @param cipherSuite the cipher suite, by its name in the TLS registry
 * @param requested the numbers of all that the client has offered
 * @param fingerprint the fingerprint of the client, or {@code null} if there is none
 * @param host the name of the virtual host that the client's first message found
 * @param comesAndGoes whether that is one of the hosts that come and go
 * @param servedHosts accepts the canonical names that the connection may ask for;
 * {@code null} unless unknown server names are rejected, or the host comes and goes
 * @param client the client that was verified, or {@code null}
 */
record NegotiatedTls(KeyExchange exchange, String cipherSuite, RequestedSuites requested, @Nullable String fingerprint,
		String host, boolean comesAndGoes, @Nullable Predicate<String> servedHosts, @Nullable VerifiedClient client) {
}
