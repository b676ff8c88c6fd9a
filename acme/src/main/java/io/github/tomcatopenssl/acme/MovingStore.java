// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

import io.github.tomcatopenssl.internal.store.FolderStore;
import io.github.tomcatopenssl.internal.store.SharedStore;
import io.github.tomcatopenssl.internal.store.StoreLock;
import org.jspecify.annotations.Nullable;

/**
 * A database to which replicas move from a folder, during a rolling update. Some of them
 * use the folder alone, and later some use the database alone. Therefore, a lock is one
 * of both, and everything is written to both. What is newer in the folder is copied to
 * the database when it is read.
 *
 * @param database the database
 * @param folder the folder
 */
record MovingStore(SharedStore database, FolderStore folder) implements SharedStore {

	/**
	 * Copy what is in the folder and not in the database.
	 * @return how many entries were copied
	 * @throws IOException if they cannot be read or written
	 */
	int move() throws IOException {
		Set<String> missing = new TreeSet<>(names(""));
		missing.removeAll(this.database.changes("", null).names());
		int moved = 0;
		for (String name : missing) {
			moved += (AcmeStore.isKept(name) && read(name) != null) ? 1 : 0;
		}
		return moved;
	}

	private List<String> names(String prefix) throws IOException {
		try {
			return this.folder.changes(prefix, null).names();
		}
		catch (IOException ex) {
			throw failure(prefix, ex);
		}
	}

	// Messages name the file, and not its row
	private AcmeStoreException failure(String name, IOException ex) {
		return new AcmeStoreException(this.folder.describe(name), ex);
	}

	@Override
	public boolean isFolder() {
		return false;
	}

	@Override
	public Path file(String name) {
		return this.database.file(name);
	}

	@Override
	public String describe(String name) {
		return this.database.describe(name);
	}

	@Override
	public void createFolder(String name) throws IOException {
		this.database.createFolder(name);
		try {
			this.folder.createFolder(name);
		}
		catch (IOException ex) {
			throw failure(name, ex);
		}
	}

	@Override
	public void keepCopy(String name) throws IOException {
		this.database.keepCopy(name);
	}

	// A challenge is deleted by the replica that has opened it, and is not copied
	@Override
	public @Nullable Entry read(String name) throws IOException {
		Entry entry = this.database.read(name);
		Entry former = readFormer(name);
		if (former == null || entry != null && !AcmeStore.isNewer(name, former.content(), entry.content())) {
			return entry;
		}
		if (!AcmeStore.isKept(name)) {
			return former;
		}
		this.database.replace(name, former.content(), (entry != null) ? entry.version() : null);
		return this.database.read(name);
	}

	private @Nullable Entry readFormer(String name) throws IOException {
		try {
			return this.folder.read(name);
		}
		catch (IOException ex) {
			throw failure(name, ex);
		}
	}

	@Override
	public void write(String name, String content, Collection<StoreLock> held) throws IOException {
		this.database.write(name, content, ofDatabase(held));
		writeFormer(name, content);
	}

	private void writeFormer(String name, String content) throws IOException {
		try {
			this.folder.write(name, content, List.of());
		}
		catch (IOException ex) {
			throw failure(name, ex);
		}
	}

	private static List<StoreLock> ofDatabase(Collection<StoreLock> held) {
		return held.stream().map((lock) -> (lock instanceof LockOfBoth both) ? both.database() : lock).toList();
	}

	@Override
	public boolean replace(String name, String content, @Nullable String version) throws IOException {
		boolean replaced = this.database.replace(name, content, version);
		if (replaced) {
			writeFormer(name, content);
		}
		return replaced;
	}

	@Override
	public void delete(String name, Collection<StoreLock> held) throws IOException {
		this.database.delete(name, ofDatabase(held));
		try {
			this.folder.delete(name, List.of());
		}
		catch (IOException ex) {
			throw failure(name, ex);
		}
	}

	@Override
	public Changes changes(String prefix, @Nullable String since) throws IOException {
		Changes changes = this.database.changes(prefix, since);
		if (since != null) {
			return changes;
		}
		Set<String> names = new TreeSet<>(changes.names());
		names.addAll(names(prefix));
		return new Changes(List.copyOf(names), changes.mark());
	}

	@Override
	public Instant now() throws IOException {
		return this.database.now();
	}

	@Override
	public @Nullable StoreLock tryLock(String name) throws IOException {
		StoreLock lock = this.database.tryLock(name);
		return (lock != null) ? with(lock, name, false) : null;
	}

	@Override
	public StoreLock lock(String name) throws IOException {
		return Objects.requireNonNull(with(this.database.lock(name), name, true));
	}

	private @Nullable StoreLock with(StoreLock lock, String name, boolean waits) throws IOException {
		StoreLock former = null;
		try {
			former = waits ? this.folder.lock(name) : this.folder.tryLock(name);
			return (former != null) ? new LockOfBoth(lock, former) : null;
		}
		catch (IOException ex) {
			throw failure(name, ex);
		}
		finally {
			if (former == null) {
				lock.close();
			}
		}
	}

	/**
	 * A lock of the database and of the folder.
	 *
	 * @param database that of the database
	 * @param folder that of the folder
	 */
	private record LockOfBoth(StoreLock database, StoreLock folder) implements StoreLock {

		@Override
		public void close() throws IOException {
			try {
				this.folder.close();
			}
			finally {
				this.database.close();
			}
		}

	}

}
