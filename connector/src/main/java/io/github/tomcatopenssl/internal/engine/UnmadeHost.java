// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import io.github.tomcatopenssl.internal.host.CertificateHost;
import io.github.tomcatopenssl.internal.host.ClientVerification;
import io.github.tomcatopenssl.internal.host.HostIdentity;

/**
 * A host whose context is not made yet.
 *
 * @param certificate the certificate that makes the host
 * @param clients how it verifies clients
 */
public record UnmadeHost(CertificateHost certificate, ClientVerification clients) implements HostIdentity {

	@Override
	public String name() {
		return this.certificate.name();
	}

	@Override
	public boolean comesAndGoes() {
		return true;
	}

}
