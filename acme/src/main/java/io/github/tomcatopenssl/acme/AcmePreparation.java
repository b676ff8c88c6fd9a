// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Asks the application for its domains before the web server starts, so that it serves
 * their certificates from the beginning.
 */
class AcmePreparation implements SmartLifecycle {

	private final AcmeCertificateSource source;

	private volatile boolean running;

	AcmePreparation(AcmeCertificateSource source) {
		this.source = source;
	}

	@Override
	public void start() {
		this.source.prepare();
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE - 1;
	}

}
