// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.time.Instant;

import io.github.tomcatopenssl.internal.host.ClientVerification;
import io.github.tomcatopenssl.internal.host.HostIdentity;
import io.github.tomcatopenssl.internal.host.HostNames;
import io.github.tomcatopenssl.internal.host.PolicyPreview;
import io.github.tomcatopenssl.internal.host.TlsHost;
import org.jspecify.annotations.Nullable;

/**
 * A virtual host with the context that serves it.
 *
 * @param host the virtual host
 * @param context its context
 * @param names its name, and those that its certificates cover
 * @param preview finds the handshakes that another policy would refuse, or {@code null}
 * @param since since when the context is in use
 * @param hasCertificate whether it can serve: the default host has no certificate if only
 * hosts are served that come and go
 * @param comesAndGoes whether it is one of those
 */
public record ServedHost(TlsHost host, TlsContext context, HostNames names, @Nullable PolicyPreview preview,
		Instant since, boolean hasCertificate, boolean comesAndGoes) implements HostIdentity {

	@Override
	public String name() {
		return this.host.name();
	}

	@Override
	public ClientVerification clients() {
		return this.host.clients();
	}

}
