// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;

/**
 * The SSL bundles that web servers use: those that are created from certificate files,
 * and those that are taken over from other bundles.
 */
public final class ServerBundles extends DefaultSslBundleRegistry {

	ServerBundles() {
	}

	/**
	 * Take over a bundle with its updates, unless there is one with its name.
	 * @param name the name of the bundle
	 * @param bundles has the bundle
	 */
	public synchronized void takeOver(String name, SslBundles bundles) {
		if (!getBundleNames().contains(name)) {
			registerBundle(name, bundles.getBundle(name));
			bundles.addBundleUpdateHandler(name, (updated) -> updateBundle(name, updated));
		}
	}

}
