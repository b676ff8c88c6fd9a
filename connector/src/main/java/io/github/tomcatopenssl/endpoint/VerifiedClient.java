// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.Arrays;
import java.util.function.Supplier;

import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

import io.github.tomcatopenssl.host.ClientTrust;
import org.jspecify.annotations.Nullable;

/**
 * The client of a connection, which was verified in its handshake. The connection does
 * not outlive the client's certificate, nor a CA that a reload took away.
 */
final class VerifiedClient {

	private final X509Certificate[] chain;

	/**
	 * When the first certificate expires, in milliseconds since the epoch.
	 */
	private final long end;

	private final Supplier<@Nullable ClientTrust> current;

	private final Clock clock;

	/**
	 * What has accepted the client.
	 */
	private volatile ClientTrust trust;

	private VerifiedClient(X509Certificate[] chain, long end, ClientTrust trust,
			Supplier<@Nullable ClientTrust> current, Clock clock) {
		this.chain = chain;
		this.end = end;
		this.trust = trust;
		this.current = current;
		this.clock = clock;
	}

	/**
	 * Return the client of a handshake that is complete.
	 * @param session the session
	 * @param resumed whether the handshake has resumed it, so that nobody has verified
	 * the client again
	 * @param trust what the virtual host trusted before its context was chosen
	 * @param current returns what the virtual host trusts now
	 * @param clock the clock
	 * @return the client, or {@code null} if it has presented no certificate
	 * @throws RefusedHandshakeException if its certificate has expired
	 */
	static @Nullable VerifiedClient of(SSLSession session, boolean resumed, ClientTrust trust,
			Supplier<@Nullable ClientTrust> current, Clock clock) throws RefusedHandshakeException {
		X509Certificate[] chain = chain(session);
		return (chain.length > 0) ? of(chain, resumed, trust, current, clock) : null;
	}

	static VerifiedClient of(X509Certificate[] chain, boolean resumed, ClientTrust trust,
			Supplier<@Nullable ClientTrust> current, Clock clock) throws RefusedHandshakeException {
		long end = trust.endOf(chain).toEpochMilli();
		if (end > clock.millis()) {
			return new VerifiedClient(chain, end, trust, current, clock);
		}
		if (resumed) {
			throw new RefusedHandshakeException(FailureReason.CERTIFICATE_EXPIRED,
					"The client resumes a session whose certificate has expired");
		}
		// The user's trust manager may accept an expired certificate
		return new VerifiedClient(chain, Long.MAX_VALUE, trust, current, clock);
	}

	private static X509Certificate[] chain(SSLSession session) {
		try {
			Certificate[] chain = session.getPeerCertificates();
			return (chain != null) ? Arrays.copyOf(chain, chain.length, X509Certificate[].class)
					: new X509Certificate[0];
		}
		catch (SSLPeerUnverifiedException ex) {
			return new X509Certificate[0];
		}
	}

	/**
	 * Return whether it was verified who has issued the client's certificate.
	 * @return whether it was
	 */
	boolean isOfTrustedIssuer() {
		return this.trust.isVerified();
	}

	/**
	 * Return whether the connection may go on.
	 * @return whether the client's certificate is valid and its CA is still trusted
	 */
	boolean isValid() {
		if (this.clock.millis() >= this.end) {
			return false;
		}
		ClientTrust current = this.current.get();
		if (current == this.trust) {
			return true;
		}
		if (current == null || !current.includes(this.trust) && !current.accepts(this.chain)) {
			return false;
		}
		this.trust = current;
		return true;
	}

}
