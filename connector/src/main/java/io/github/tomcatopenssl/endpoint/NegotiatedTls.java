// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * What requests can ask about the handshake of their connection, beside what its session
 * knows.
 *
 * @param group the group of the key exchange
 * @param requested the numbers of all that the client has offered
 * @param servedHosts accepts the hosts that the connection may ask for; {@code null}
 * unless unknown server names are rejected
 */
record NegotiatedTls(String group, RequestedSuites requested, @Nullable Predicate<@Nullable String> servedHosts) {

}
