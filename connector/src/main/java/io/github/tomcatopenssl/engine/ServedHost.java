// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.engine;

import java.time.Instant;

import io.github.tomcatopenssl.host.HostNames;
import io.github.tomcatopenssl.host.TlsHost;

/**
 * A virtual host with the context that serves it.
 *
 * @param host the virtual host
 * @param context its context
 * @param names its name, and those that its certificates cover
 * @param since since when the context is in use
 */
public record ServedHost(TlsHost host, TlsContext context, HostNames names, Instant since) {
}
