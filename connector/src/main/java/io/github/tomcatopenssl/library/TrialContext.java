// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.library;

import org.apache.tomcat.jni.Pool;
import org.apache.tomcat.jni.SSL;
import org.apache.tomcat.jni.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A TLS context of OpenSSL for trying settings. It serves no connections.
 */
public final class TrialContext implements AutoCloseable {

	private final long pool = Pool.create(0);

	private final long context;

	/**
	 * Create a context for TLS 1.2 and 1.3.
	 */
	public TrialContext() {
		this(SSL.SSL_PROTOCOL_TLSV1_2 | SSL.SSL_PROTOCOL_TLSV1_3, SSL.SSL_MODE_SERVER);
	}

	private TrialContext(int protocols, int mode) {
		try {
			this.context = SSLContext.make(this.pool, protocols, mode);
		}
		catch (Exception ex) {
			Pool.destroy(this.pool);
			forgetErrors();
			throw new IllegalStateException("a TLS context cannot be created: " + ex.getMessage(), ex);
		}
	}

	/**
	 * Create a context for clients.
	 * @param protocols the versions of TLS, as bits of Tomcat Native
	 * @return the context
	 */
	public static TrialContext ofClient(int protocols) {
		return new TrialContext(protocols, SSL.SSL_MODE_CLIENT);
	}

	/**
	 * Return the address by which Tomcat Native knows the context.
	 * @return the address
	 */
	public long address() {
		return this.context;
	}

	/**
	 * Return the address of the memory pool of the context.
	 * @return the address
	 */
	public long pool() {
		return this.pool;
	}

	@Override
	public void close() {
		SSLContext.free(this.context);
		Pool.destroy(this.pool);
		forgetErrors();
	}

	/**
	 * Empty the list of errors of this thread. Tomcat would take them for errors of the
	 * next connection.
	 * @return the first error, or {@code null} if there is none
	 */
	public static @Nullable String forgetErrors() {
		String first = null;
		int error;
		while ((error = SSL.getLastErrorNumber()) != SSL.SSL_ERROR_NONE) {
			// The number is unsigned
			first = (first != null) ? first : SSL.getErrorString(Integer.toUnsignedLong(error));
		}
		return first;
	}

}
