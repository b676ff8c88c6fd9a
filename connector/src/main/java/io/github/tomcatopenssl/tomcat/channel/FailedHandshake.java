// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a handshake that has failed.
 *
 * @param connection the connection
 * @param hello what the client offers, or {@code null} if it was not understood
 * @param answered whether the server has accepted what the client offers
 * @param alert the alert that the server has sent in the clear, or -1
 * @param refused whether the server has ended it
 * @param received how many bytes came after the answer of the server
 * @param tooLarge whether the client has sent more than a handshake may bring
 * @param cause what was thrown
 */
public record FailedHandshake(NioSocketWrapper connection, @Nullable ClientHello hello, boolean answered, int alert,
		boolean refused, int received, boolean tooLarge, Exception cause) {

}
