// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.util.function.UnaryOperator;

import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * The SSL bundles that web servers use: those that are created from certificate files,
 * and those that are taken over from other bundles.
 */
public final class ServerBundles extends DefaultSslBundleRegistry {

	/**
	 * Take over a bundle with its updates, unless there is one with its name.
	 * @param name the name of the bundle
	 * @param bundles has the bundle
	 */
	public void takeOver(String name, SslBundles bundles) {
		takeOver(name, bundles, UnaryOperator.identity());
	}

	/**
	 * Take over a bundle with its updates, unless there is one with its name.
	 * @param name the name of the bundle
	 * @param bundles has the bundle
	 * @param adaptation makes the bundle that is used from the one that is taken over
	 */
	public synchronized void takeOver(String name, SslBundles bundles, UnaryOperator<SslBundle> adaptation) {
		if (!getBundleNames().contains(name)) {
			registerBundle(name, adaptation.apply(bundles.getBundle(name)));
			bundles.addBundleUpdateHandler(name, (updated) -> updateBundle(name, adaptation.apply(updated)));
		}
	}

}
