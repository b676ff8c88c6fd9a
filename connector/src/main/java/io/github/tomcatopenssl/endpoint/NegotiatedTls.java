// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * What requests can ask about the handshake of their connection, besides what its session
 * knows.
 *
 * @param group the group of the key exchange
 * @param requested the numbers of all that the client has offered
 * @param host the name of the virtual host that the client's first message found
 * @param servedHosts accepts the canonical names that the connection may ask for;
 * {@code null} unless unknown server names are rejected
 */
record NegotiatedTls(String group, RequestedSuites requested, String host, @Nullable Predicate<String> servedHosts) {

}
