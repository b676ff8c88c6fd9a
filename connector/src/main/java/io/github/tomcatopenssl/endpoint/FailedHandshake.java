// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.jspecify.annotations.Nullable;

/**
 * The report about a failed handshake.
 *
 * @param connection the connection
 * @param reason the reason
 * @param certificate the certificate of the client that was refused, or {@code null} if
 * none was
 * @param alert the alert that the server has sent unencrypted, or -1
 * @param cause the exception that ended the handshake
 */
record FailedHandshake(NioSocketWrapper connection, FailureReason reason, @Nullable RefusedCertificate certificate,
		int alert, Exception cause) {

}
