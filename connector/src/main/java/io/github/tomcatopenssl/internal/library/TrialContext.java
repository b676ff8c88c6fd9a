// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import org.apache.tomcat.jni.Pool;
import org.apache.tomcat.jni.SSL;
import org.apache.tomcat.jni.SSLContext;

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
		try {
			this.context = SSLContext.make(this.pool, SSL.SSL_PROTOCOL_TLSV1_2 | SSL.SSL_PROTOCOL_TLSV1_3,
					SSL.SSL_MODE_SERVER);
		}
		catch (Exception ex) {
			Pool.destroy(this.pool);
			OpenSslErrors.clear();
			throw new IllegalStateException("a TLS context cannot be created: " + ex.getMessage(), ex);
		}
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
		OpenSslErrors.clear();
	}

}
