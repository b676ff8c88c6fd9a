// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.tomcatopenssl.internal.certificate.PrivateFiles;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/**
 * Files with the content of entries, for those who watch files. Their folder is that of
 * this process, which nobody else can enter.
 */
final class LocalCopies implements Closeable {

	private static final Log logger = LogFactory.getLog(LocalCopies.class);

	private final SharedStore store;

	private final Path folder;

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	private @Nullable String mark;

	private boolean failing;

	private boolean closed;

	LocalCopies(SharedStore store) {
		this.store = store;
		try {
			this.folder = Files.createTempDirectory("tomcat-openssl-store").toAbsolutePath();
			PrivateFiles.createFolder(this.folder);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	Path folder() {
		return this.folder;
	}

	/**
	 * Make a copy that follows its entry from now on.
	 * @param name the name of the entry
	 * @throws IOException if it cannot be read or written
	 */
	void add(String name) throws IOException {
		copy(name);
		this.names.add(name);
	}

	boolean has(String name) {
		return this.names.contains(name);
	}

	private synchronized void copy(String name) throws IOException {
		SharedStore.Entry entry = this.store.read(name);
		if (entry != null) {
			write(this.folder.resolve(name), entry.content());
		}
	}

	// The database may answer after the application has stopped
	private void write(Path file, String content) throws IOException {
		synchronized (this.names) {
			if (!this.closed && !(Files.exists(file) && Files.readString(file).equals(content))) {
				PrivateFiles.createFolder(Objects.requireNonNull(file.getParent()));
				PrivateFiles.replace(file, file.resolveSibling(file.getFileName() + ".tmp"), content);
			}
		}
	}

	/**
	 * Copy what has changed. What fails is done the next time.
	 */
	void refresh() {
		try {
			copyChanges();
		}
		catch (Throwable ex) {
			try {
				report(ex);
			}
			catch (Throwable unlogged) {
				// There is no memory
			}
		}
	}

	private synchronized void copyChanges() throws IOException {
		if (this.names.isEmpty()) {
			return;
		}
		SharedStore.Changes changes = this.store.changes("", this.mark);
		for (String name : changes.names()) {
			if (has(name)) {
				copy(name);
			}
		}
		this.mark = changes.mark();
		if (this.failing) {
			logger.info("Certificates of other replicas are taken over again");
		}
		this.failing = false;
	}

	private synchronized void report(Throwable ex) {
		String message = "Certificates of other replicas cannot be taken over, those in use stay in use: %s. %s"
			.formatted(ex.getMessage(),
					(ex instanceof StoreException failure) ? failure.action() : "Check the folder for temporary files");
		if (this.failing) {
			logger.debug(message, ex);
		}
		else {
			logger.warn(message);
		}
		this.failing = true;
	}

	@Override
	public void close() throws IOException {
		synchronized (this.names) {
			this.closed = true;
			FileSystemUtils.deleteRecursively(this.folder);
		}
	}

}
