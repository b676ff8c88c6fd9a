// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.lang.ref.Reference;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

import io.github.tomcatopenssl.tomcat.ticket.TicketKeyContext;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.openssl.OpenSSLContext;
import org.apache.tomcat.util.net.openssl.OpenSSLSessionContext;
import org.apache.tomcat.util.net.openssl.OpenSSLSessionStats;

/**
 * Adds up OpenSSL's counters over all contexts that a connector has had: a reload creates
 * new contexts, whose counters start at 0. Reading the counters of a destroyed context
 * would crash the JVM, so they are read only between opening and closing.
 */
public final class OpenSslCounters {

	private final Map<OpenSSLContext, Counts> lastRead = new WeakHashMap<>();

	private Counts total = Counts.ZERO;

	private boolean open;

	// Called when the contexts exist
	synchronized void open() {
		this.open = true;
	}

	// Called before the contexts are destroyed
	synchronized void close(SSLHostConfig[] configs) {
		read(configs);
		this.open = false;
		this.lastRead.clear();
	}

	// Includes replaced contexts while connections use them
	synchronized Counts read(SSLHostConfig[] configs) {
		if (this.open) {
			Set<OpenSSLContext> contexts = new HashSet<>(this.lastRead.keySet());
			for (SSLHostConfig config : configs) {
				for (SSLHostConfigCertificate certificate : config.getCertificates()) {
					contexts.addAll(TicketKeyContext.openSsl(certificate.getSslContext()));
				}
			}
			contexts.forEach(this::add);
		}
		return this.total;
	}

	private void add(OpenSSLContext context) {
		if (context.getServerSessionContext() instanceof OpenSSLSessionContext sessionContext) {
			Counts now = Counts.of(sessionContext.stats());
			this.total = this.total.plus(now, this.lastRead.getOrDefault(context, Counts.ZERO));
			this.lastRead.put(context, now);
		}
		// Until here, the garbage collector must not destroy a replaced context
		Reference.reachabilityFence(context);
	}

	/**
	 * The counters of OpenSSL ({@code SSL_CTX_sess_number(3)}).
	 *
	 * @param started the number of handshakes that were started
	 * @param completed the number of handshakes that were completed, including those that
	 * resumed a session
	 * @param resumed the number of sessions that were resumed
	 * @param renegotiated the number of renegotiations that were started
	 */
	public record Counts(long started, long completed, long resumed, long renegotiated) {

		static final Counts ZERO = new Counts(0, 0, 0, 0);

		private static Counts of(OpenSSLSessionStats stats) {
			return new Counts(stats.accept(), stats.acceptGood(), stats.hits(), stats.acceptRenegotiate());
		}

		private Counts plus(Counts now, Counts before) {
			return new Counts(this.started + now.started - before.started,
					this.completed + now.completed - before.completed, this.resumed + now.resumed - before.resumed,
					this.renegotiated + now.renegotiated - before.renegotiated);
		}

	}

}
