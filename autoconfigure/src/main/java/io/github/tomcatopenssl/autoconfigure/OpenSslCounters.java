/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.autoconfigure;

import java.lang.ref.Reference;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.openssl.OpenSSLContext;
import org.apache.tomcat.util.net.openssl.OpenSSLSessionContext;
import org.apache.tomcat.util.net.openssl.OpenSSLSessionStats;

/**
 * Adds up what OpenSSL counts for the contexts of a connector, over all that it has had:
 * a reload makes new ones, which begin at 0. Reading the counters of a context that is
 * destroyed would crash the JVM, so that they are read between opening and closing only.
 */
final class OpenSslCounters {

	private final Map<OpenSSLContext, Counts> lastRead = new WeakHashMap<>();

	private Counts total = Counts.ZERO;

	private boolean open;

	/**
	 * Allow reading: the contexts exist.
	 */
	synchronized void open() {
		this.open = true;
	}

	/**
	 * Read for the last time, before the contexts are destroyed.
	 * @param configs the hosts of the connector
	 */
	synchronized void close(SSLHostConfig[] configs) {
		read(configs);
		this.open = false;
		this.lastRead.clear();
	}

	/**
	 * Read the counters, also those of replaced contexts while connections use them.
	 * @param configs the hosts of the connector
	 * @return what was counted since the connector was made
	 */
	synchronized Counts read(SSLHostConfig[] configs) {
		if (this.open) {
			Set<OpenSSLContext> contexts = new HashSet<>(this.lastRead.keySet());
			for (SSLHostConfig config : configs) {
				for (SSLHostConfigCertificate certificate : config.getCertificates()) {
					if (certificate.getSslContext() instanceof OpenSSLContext context) {
						contexts.add(context);
					}
				}
			}
			contexts.forEach(this::add);
		}
		return this.total;
	}

	private void add(OpenSSLContext context) {
		if (context.getServerSessionContext() instanceof OpenSSLSessionContext sessionContext) {
			Counts now = Counts.of(sessionContext.stats());
			this.total = this.total.plus(now).minus(this.lastRead.getOrDefault(context, Counts.ZERO));
			this.lastRead.put(context, now);
		}
		// Not destroyed by the garbage collection of a replaced context in the meantime
		Reference.reachabilityFence(context);
	}

	/**
	 * What OpenSSL counts ({@code SSL_CTX_sess_number(3)}).
	 *
	 * @param started the handshakes that were started
	 * @param completed the handshakes that were completed, with those that resumed a
	 * session
	 * @param resumed the sessions that were resumed
	 * @param renegotiated the renegotiations that were started
	 */
	record Counts(long started, long completed, long resumed, long renegotiated) {

		static final Counts ZERO = new Counts(0, 0, 0, 0);

		private static Counts of(OpenSSLSessionStats stats) {
			return new Counts(stats.accept(), stats.acceptGood(), stats.hits(), stats.acceptRenegotiate());
		}

		private Counts plus(Counts other) {
			return new Counts(this.started + other.started, this.completed + other.completed,
					this.resumed + other.resumed, this.renegotiated + other.renegotiated);
		}

		private Counts minus(Counts other) {
			return plus(new Counts(-other.started, -other.completed, -other.resumed, -other.renegotiated));
		}

	}

}
