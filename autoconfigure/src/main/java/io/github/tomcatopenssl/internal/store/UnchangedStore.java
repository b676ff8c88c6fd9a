// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A view of a store that stays as it is: what is written goes to another one, which also
 * has the files of all entries.
 *
 * @param store the store
 * @param written has what is written
 */
record UnchangedStore(SharedStore store, FolderStore written) implements SharedStore {

	@Override
	public boolean isFolder() {
		return false;
	}

	@Override
	public Path file(String name) {
		return this.written.file(name);
	}

	@Override
	public String describe(String name) {
		return this.store.describe(name);
	}

	@Override
	public void createFolder(String name) throws IOException {
		if (this.store.isFolder()) {
			requireWritable(this.store.file(name));
		}
		this.written.createFolder(name);
	}

	// Fails as the creation of the folder and its parents would
	private static void requireWritable(Path folder) throws IOException {
		if (Files.exists(folder) && !Files.isDirectory(folder)) {
			throw new FileAlreadyExistsException(folder.toString());
		}
		Path created = folder;
		Path existing = folder;
		while (existing.getParent() != null && !Files.exists(existing)) {
			created = existing;
			existing = existing.getParent();
		}
		if (!Files.isDirectory(existing)) {
			throw new FileSystemException(created.toString(), null, "Not a directory");
		}
		if (!Files.isWritable(existing)) {
			throw new AccessDeniedException(created.toString());
		}
	}

	@Override
	public void keepCopy(String name) throws IOException {
		Entry entry = read(name);
		if (entry != null) {
			this.written.write(name, entry.content(), List.of());
		}
	}

	@Override
	public @Nullable Entry read(String name) throws IOException {
		Entry entry = this.written.read(name);
		return (entry != null) ? entry : this.store.read(name);
	}

	@Override
	public void write(String name, String content, Collection<StoreLock> held) throws IOException {
		this.written.write(name, content, held);
	}

	@Override
	public boolean replace(String name, String content, @Nullable String version) throws IOException {
		return this.written.replace(name, content, version);
	}

	@Override
	public void delete(String name, Collection<StoreLock> held) throws IOException {
		this.written.delete(name, held);
	}

	@Override
	public Changes changes(String prefix, @Nullable String since) throws IOException {
		return this.store.changes(prefix, since);
	}

	@Override
	public Instant now() throws IOException {
		return this.store.now();
	}

	@Override
	public StoreLock tryLock(String name) {
		return lock(name);
	}

	@Override
	public StoreLock lock(String name) {
		return () -> {
		};
	}

}
