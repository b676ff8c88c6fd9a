// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

import org.jspecify.annotations.Nullable;

/**
 * The hosts that the certificate of a connection is for.
 */
public interface ServedHosts {

	/**
	 * All hosts, where unknown server names are accepted.
	 */
	ServedHosts ALL = (host) -> true;

	/**
	 * Return whether a host is one of them.
	 * @param host the host that a request is for, or {@code null} if it names none, as in
	 * HTTP/1.0
	 * @return whether it is
	 */
	boolean contain(@Nullable String host);

}
