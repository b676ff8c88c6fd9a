// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

import org.jspecify.annotations.Nullable;

/**
 * The hosts that the certificate of a connection covers.
 */
public interface ServedHosts {

	/**
	 * All hosts, if unknown server names are accepted.
	 */
	ServedHosts ALL = (host) -> true;

	/**
	 * Return whether a host is one of them.
	 * @param host the host of a request, or {@code null} if the request names none, as in
	 * HTTP/1.0
	 * @return whether the host is one of them
	 */
	boolean contain(@Nullable String host);

}
