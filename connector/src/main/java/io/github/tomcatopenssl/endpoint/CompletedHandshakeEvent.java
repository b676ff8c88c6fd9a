// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;

/**
 * A handshake that is complete.
 */
@Name("io.github.tomcatopenssl.TlsHandshake")
@Label("TLS Handshake")
@Description("A handshake that is complete, from the first byte of the client")
final class CompletedHandshakeEvent extends HandshakeEvent {

	@Label("Application Protocol")
	@Description("Protocol that ALPN has negotiated")
	@Nullable String applicationProtocol;

}
