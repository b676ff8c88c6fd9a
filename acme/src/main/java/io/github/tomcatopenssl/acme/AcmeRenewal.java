// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import org.springframework.context.SmartLifecycle;

/**
 * Renews the certificates while the application runs. Starts after the web server, which
 * answers the challenges, and stops before it.
 */
class AcmeRenewal implements SmartLifecycle {

	private final AcmeCertificateSource source;

	AcmeRenewal(AcmeCertificateSource source) {
		this.source = source;
	}

	@Override
	public void start() {
		this.source.start();
	}

	@Override
	public void stop() {
		this.source.stop();
	}

	@Override
	public boolean isRunning() {
		return this.source.isRunning();
	}

}
