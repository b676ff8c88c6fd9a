// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.Closeable;
import java.nio.file.Path;

/**
 * Asks for the lock of a folder, and says by its exit status whether another process has
 * it.
 */
public final class LockingApplication {

	static final int LOCKED = 3;

	private LockingApplication() {
	}

	public static void main(String[] args) throws Exception {
		int status = 0;
		try (Closeable lock = AcmeStoreTests.store(Path.of(args[0])).tryLock()) {
			if (lock == null) {
				status = LOCKED;
			}
		}
		System.exit(status);
	}

}
