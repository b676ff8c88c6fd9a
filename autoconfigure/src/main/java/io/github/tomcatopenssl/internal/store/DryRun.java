// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.io.File;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A check without a start: stores stay as they are, and the application has none of its
 * beans.
 */
public final class DryRun {

	private final Path folder;

	private final Set<String> warnings = new LinkedHashSet<>();

	/**
	 * Create a new instance.
	 * @param folder an empty folder for what would be written
	 */
	public DryRun(Path folder) {
		this.folder = folder;
	}

	/**
	 * Return a folder for what the start of a web server writes.
	 * @return the folder, which is deleted after the check
	 */
	public File serverFolder() {
		File server = this.folder.resolve("server").toFile();
		server.mkdir();
		return server;
	}

	/**
	 * Return a view of a store that writes nothing to it.
	 * @param store the store
	 * @return the view
	 */
	public SharedStore view(SharedStore store) {
		return new UnchangedStore(store, new FolderStore(this.folder));
	}

	/**
	 * Return what there is instead of a database, which is not opened.
	 * @return an empty store
	 */
	public SharedStore database() {
		return new FolderStore(this.folder);
	}

	/**
	 * Add a warning about what the check cannot see.
	 * @param warning the warning, a sentence without its full stop
	 */
	public void warn(String warning) {
		this.warnings.add(warning);
	}

	/**
	 * Return the warnings.
	 * @return the warnings, each of them once
	 */
	public List<String> warnings() {
		return List.copyOf(this.warnings);
	}

}
