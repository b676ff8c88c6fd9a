// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import org.springframework.boot.ssl.SslBundle;

/**
 * Certificates that the application adds, replaces and removes while the server runs, for
 * example those of its customers, which it keeps in a database. Each serves the host
 * names and addresses that it is for, from the next handshake on. All else is as for the
 * server's own certificate: client authentication, policy, cipher suites. If several
 * certificates are for a name, the one serves it that expires last, and
 * {@code server.ssl.server-name-certificates} comes before all of them. A bean of this
 * type exists if Tomcat is the web server. It can be used by several threads, and before
 * the server starts.
 */
public interface ServerCertificates {

	/**
	 * Add or replace a certificate. Before it serves, the server performs handshakes with
	 * it in memory, unless it has not started yet: then the first client of each host
	 * does.
	 * @param name a name for this certificate, by which it is replaced and removed: up to
	 * 255 visible ASCII characters
	 * @param bundle the bundle with the certificate, its chain and its private key. Its
	 * trust store and its options are not used
	 * @throws IllegalArgumentException if the name or the bundle cannot be used; the one
	 * that it would have replaced still serves
	 * @throws IllegalStateException if the server has no connector that could serve it
	 */
	void put(String name, SslBundle bundle);

	/**
	 * Remove a certificate. Its names are refused from the next handshake on, unless
	 * another certificate is for them, or the server has a certificate of its own.
	 * @param name the name that the certificate was added with
	 * @return whether there was one
	 */
	boolean remove(String name);

}
