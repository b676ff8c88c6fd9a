// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.function.Supplier;

import io.github.tomcatopenssl.internal.host.ClientTrust;
import io.github.tomcatopenssl.internal.host.ClientTrust.ClientPath;
import org.jspecify.annotations.Nullable;

/**
 * The client of a connection, which was verified in its handshake. The connection does
 * not outlive the client's certificate, nor a CA that a reload took away.
 */
final class VerifiedClient {

	private final X509Certificate[] chain;

	/**
	 * The CA that was trusted in the handshake, or {@code null} if it is not known.
	 */
	private final @Nullable X509Certificate ca;

	private final Supplier<@Nullable ClientTrust> current;

	private final Clock clock;

	private final boolean proxy;

	/**
	 * The trust settings that accepted the client.
	 */
	private volatile ClientTrust trust;

	/**
	 * When the first certificate expires, in milliseconds since the epoch.
	 */
	private volatile long end;

	private VerifiedClient(X509Certificate[] chain, @Nullable X509Certificate ca, long end, ClientTrust trust,
			Supplier<@Nullable ClientTrust> current, Clock clock, boolean proxy) {
		this.chain = chain;
		this.ca = ca;
		this.end = end;
		this.trust = trust;
		this.proxy = proxy;
		this.current = current;
		this.clock = clock;
	}

	/**
	 * Return the client of a handshake that is complete.
	 * @param chain the certificates that the client has presented, its own first
	 * @param resumed whether the handshake has resumed a session, so that nobody has
	 * verified the client again
	 * @param trust the trust settings that accepted the client
	 * @param current returns what the virtual host trusts now
	 * @param clock the clock
	 * @return the client
	 * @throws RefusedHandshakeException if its certificate has expired, or is of a CA of
	 * proxies and of another CA
	 */
	static VerifiedClient of(X509Certificate[] chain, boolean resumed, ClientTrust trust,
			Supplier<@Nullable ClientTrust> current, Clock clock) throws RefusedHandshakeException {
		boolean proxy = trust.isProxy(chain);
		if (proxy && trust.isClientToo(chain)) {
			throw new RefusedHandshakeException(FailureReason.CERTIFICATE_REJECTED,
					"The certificate leads to a CA of proxies and to one of the clients' CAs");
		}
		ClientPath path = trust.pathOf(chain);
		long end = path.end().toEpochMilli();
		if (end > clock.millis()) {
			return new VerifiedClient(chain, path.ca(), end, trust, current, clock, proxy);
		}
		if (resumed) {
			throw new RefusedHandshakeException(FailureReason.CERTIFICATE_EXPIRED,
					"The client resumes a session whose certificate has expired");
		}
		// The user's trust manager may accept an expired certificate
		return new VerifiedClient(chain, path.ca(), Long.MAX_VALUE, trust, current, clock, proxy);
	}

	X509Certificate[] chain() {
		return this.chain;
	}

	@Nullable X509Certificate ca() {
		return this.ca;
	}

	boolean isOfTrustedIssuer() {
		return this.trust.isVerified();
	}

	boolean isProxy() {
		return this.proxy;
	}

	/**
	 * Return whether the connection may go on.
	 * @return whether the client's certificate is valid and its CA is still trusted for
	 * the same purpose
	 */
	boolean isValid() {
		ClientTrust current = this.current.get();
		if (current != this.trust && !continuesWith(current)) {
			return false;
		}
		return this.clock.millis() < this.end;
	}

	private boolean continuesWith(@Nullable ClientTrust current) {
		if (current == null || !current.includes(this.trust)
				&& (!current.accepts(this.chain) || current.isProxy(this.chain) != this.proxy)) {
			return false;
		}
		if (!current.equals(this.trust)) {
			// A CA may have been renewed
			this.end = current.endOf(this.chain).toEpochMilli();
		}
		this.trust = current;
		return true;
	}

}
