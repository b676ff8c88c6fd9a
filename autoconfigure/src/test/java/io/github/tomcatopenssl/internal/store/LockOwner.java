// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.List;

import org.postgresql.ds.PGSimpleDataSource;

/**
 * Takes a lock, and writes the entry whose name it is told.
 */
public final class LockOwner {

	static final String LOCK = AbstractStoreTests.FOLDER + "/owned.lock";

	private LockOwner() {
	}

	public static void main(String[] arguments) throws Exception {
		PGSimpleDataSource dataSource = new PGSimpleDataSource();
		dataSource.setUrl(arguments[0]);
		try (JdbcStore store = JdbcStore.open(dataSource, new EntryCipher(List.of(AbstractJdbcStoreTests.KEY)),
				AbstractJdbcStoreTests.FAST); StoreLock lock = store.tryLock(LOCK)) {
			System.out.println("locked");
			String name = new BufferedReader(new InputStreamReader(System.in)).readLine();
			store.write(name, "of the paused one", List.of(lock));
			System.out.println("written");
		}
		catch (StoreException ex) {
			System.out.println(ex.getMessage());
		}
	}

}
