// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;

/**
 * A handshake that has failed.
 */
@Name("io.github.tomcatopenssl.TlsHandshakeFailure")
@Label("TLS Handshake Failure")
@Description("A handshake that has failed, from the first byte of the client")
final class FailedHandshakeEvent extends HandshakeEvent {

	@Label("Reason")
	@Description("Reason, as in the metric tomcat.ssl.handshakes.failed")
	@Nullable String reason;

	@Label("Alert")
	@Description("Number of the alert that the server has sent unencrypted, or -1")
	int alert;

}
