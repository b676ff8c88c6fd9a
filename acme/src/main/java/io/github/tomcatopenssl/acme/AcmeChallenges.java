// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.internal.host.ForeignText;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The open challenges in the {@link AcmeStore}, whichever replica has put them there, and
 * whatever its domains are.
 */
final class AcmeChallenges implements TlsAlpnChallenges {

	/**
	 * How many names are looked up at the same time. Strangers can ask, and a file system
	 * may not respond.
	 */
	static final int AT_ONCE = 8;

	private static final Log logger = LogFactory.getLog(AcmeChallenges.class);

	private static final Pattern HOST_NAME = Pattern.compile("\\w([\\w.-]{0,251}\\w)?");

	private static final Duration PATIENCE = Duration.ofMillis(100);

	private final AcmeCertificateSource source;

	private final Semaphore free = new Semaphore(AT_ONCE);

	AcmeChallenges(AcmeCertificateSource source) {
		this.source = source;
	}

	@Override
	public @Nullable HostKey find(String serverName) {
		AcmeStore store = this.source.store();
		try {
			if (store == null || !HOST_NAME.matcher(serverName).matches()
					|| !this.free.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
				return null;
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return null;
		}
		try {
			String pem = store.openChallenge(serverName);
			return (pem != null) ? AcmeCertificate.key(pem) : null;
		}
		catch (IOException | RuntimeException ex) {
			// At debug level, because strangers can repeat it
			logger.debug("The challenge for '%s' cannot be answered: %s".formatted(ForeignText.of(serverName),
					ForeignText.of(ex)));
			return null;
		}
		finally {
			this.free.release();
		}
	}

}
