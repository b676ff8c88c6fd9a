// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.nio.ByteBuffer;
import java.util.List;

import io.github.tomcatopenssl.internal.engine.TlsSession.RefusalListener;
import org.jspecify.annotations.Nullable;

/**
 * The context of an engine that serves the connections of a virtual host. It lives until
 * it and its last session are closed.
 */
public interface TlsContext extends AutoCloseable {

	/**
	 * Create the session of a connection.
	 * @param offered the application protocols that the client offers
	 * @param tickets the beginnings of the session tickets of the client
	 * @param refusals gets the reason why a certificate of the client is refused
	 * @return the session, or {@code null} if the context is closed
	 */
	@Nullable TlsSession newSession(List<String> offered, List<ByteBuffer> tickets, RefusalListener refusals);

	/**
	 * Return the cipher suites that the context may choose.
	 * @return the names, as the engine spells them
	 */
	List<String> cipherSuites();

	/**
	 * Return the name of the engine.
	 * @return {@code OpenSSL}, {@code JSSE}, or the class of a context that a user
	 * provides
	 */
	String engine();

	/**
	 * Create no more sessions, and release the context after the last one.
	 */
	@Override
	void close();

}
