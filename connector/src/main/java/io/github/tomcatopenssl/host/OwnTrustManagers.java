// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import javax.net.ssl.TrustManager;

import org.jspecify.annotations.Nullable;

/**
 * Finds the trust managers of virtual hosts that do not verify their clients against a
 * trust store.
 */
@FunctionalInterface
public interface OwnTrustManagers {

	/**
	 * Find the trust managers of a virtual host. Called whenever its contexts are
	 * created.
	 * @param hostName the name of the virtual host
	 * @return the trust managers, or {@code null} if the host has a trust store
	 */
	TrustManager @Nullable [] find(String hostName);

}
