// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.util.function.Supplier;

import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Servers that all tests of a class share, for each argument of a parameterized class
 * apart. They are closed after the last test.
 */
public final class SharedServers implements BeforeEachCallback {

	private ExtensionContext.Store store;

	@Override
	public void beforeEach(ExtensionContext context) {
		ExtensionContext tests = context;
		while (tests.getTestMethod().isPresent()) {
			tests = tests.getParent().orElseThrow();
		}
		this.store = tests.getStore(Namespace.create(SharedServers.class));
	}

	/**
	 * Return a server, which is started at the first call.
	 * @param name what distinguishes it from others of the class
	 * @param start how to start it
	 * @param type its type
	 * @return the server
	 */
	public <T extends AutoCloseable> T get(Object name, Supplier<T> start, Class<T> type) {
		return this.store.computeIfAbsent(name, (absent) -> start.get(), type);
	}

}
