// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.Arrays;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;

/**
 * Makes virtual hosts that check revocation forget their sessions when the session
 * timeout has passed. In TLS 1.3, the session timeout alone is no limit: a client gets a
 * new ticket with each session that it resumes, and the time starts again.
 */
final class SessionExpiry {

	private static final Log logger = LogFactory.getLog(SessionExpiry.class);

	private final TlsNioEndpoint endpoint;

	private final int timeout;

	private final ScheduledFuture<?> task;

	private boolean ended;

	SessionExpiry(TlsNioEndpoint endpoint) {
		this.endpoint = endpoint;
		this.timeout = Arrays.stream(endpoint.findSslHostConfigs())
			.mapToInt(SSLHostConfig::getSessionTimeout)
			.min()
			.orElseThrow();
		this.task = endpoint.getUtilityExecutor()
			.scheduleWithFixedDelay(this::forget, this.timeout, this.timeout, TimeUnit.SECONDS);
	}

	private synchronized void forget() {
		for (SSLHostConfig host : this.endpoint.findSslHostConfigs()) {
			if (!this.ended && host.getCertificateVerification() != CertificateVerification.NONE) {
				forget(host);
			}
		}
	}

	// The ticket keys of new contexts differ
	private void forget(SSLHostConfig host) {
		try {
			this.endpoint.renewContexts(host);
		}
		catch (RuntimeException ex) {
			logger.warn(
					"Sessions of the virtual host '%s' can be resumed without a new revocation check. Correct the cause below, or restart the server; the next attempt is in %d seconds"
						.formatted(host.getHostName(), this.timeout),
					ex);
		}
	}

	synchronized void end() {
		this.ended = true;
		this.task.cancel(false);
	}

}
