// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.jspecify.annotations.Nullable;

/**
 * What is known about a failed handshake.
 *
 * @param connection the connection
 * @param hello what the client offers, or {@code null} if the handshake failed before the
 * server looked at the offer
 * @param answered whether the server has accepted the client's offer
 * @param alert the alert that the server has sent unencrypted, or -1
 * @param refused whether the server has ended the handshake
 * @param client what the client has sent
 * @param tooLarge whether the client has sent more than a handshake may contain
 * @param certificate the certificate of the client that was refused, or {@code null} if
 * none was
 * @param cause the exception that ended the handshake
 */
record FailedHandshake(NioSocketWrapper connection, @Nullable ClientHello hello, boolean answered, int alert,
		boolean refused, ClientFlight client, boolean tooLarge, @Nullable RefusedCertificate certificate,
		Exception cause) {

}
