// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.List;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;

/**
 * The SSL bundles of a context that has a parent. Its own bundles, which end with the
 * context, hide those of the parent that have the same name.
 */
class ChildSslBundleRegistry extends DefaultSslBundleRegistry {

	private final SslBundles parent;

	ChildSslBundleRegistry(SslBundles parent) {
		this.parent = parent;
	}

	private boolean isOwn(String name) {
		return super.getBundleNames().contains(name);
	}

	@Override
	public SslBundle getBundle(String name) {
		return isOwn(name) ? super.getBundle(name) : this.parent.getBundle(name);
	}

	@Override
	public List<String> getBundleNames() {
		TreeSet<String> names = new TreeSet<>(this.parent.getBundleNames());
		names.addAll(super.getBundleNames());
		return List.copyOf(names);
	}

	@Override
	public void updateBundle(String name, SslBundle updatedBundle) {
		if (!isOwn(name) && this.parent instanceof SslBundleRegistry registry) {
			registry.updateBundle(name, updatedBundle);
		}
		else {
			super.updateBundle(name, updatedBundle);
		}
	}

	@Override
	public void addBundleUpdateHandler(String name, Consumer<SslBundle> updateHandler) throws NoSuchSslBundleException {
		if (isOwn(name)) {
			super.addBundleUpdateHandler(name, updateHandler);
		}
		else {
			this.parent.addBundleUpdateHandler(name, updateHandler);
		}
	}

	@Override
	public void addBundleRegisterHandler(BiConsumer<String, SslBundle> registerHandler) {
		super.addBundleRegisterHandler(registerHandler);
		this.parent.addBundleRegisterHandler(registerHandler);
	}

}
