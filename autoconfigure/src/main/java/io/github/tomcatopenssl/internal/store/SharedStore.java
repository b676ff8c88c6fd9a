// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Small texts that the replicas of a server share, and locks. Names are like those of
 * files, for example {@code ca.example.com/www.example.com.pem}. A text is replaced as a
 * whole, so that a crash leaves the previous one.
 */
public interface SharedStore {

	/**
	 * Return whether readers in other processes use the files of {@link #file} itself,
	 * rather than copies.
	 * @return whether the store is a folder
	 */
	boolean isFolder();

	/**
	 * Return the file of an entry: the entry itself, or the place of its {@link #keepCopy
	 * local copy}.
	 * @param name the name of the entry, or of a folder of entries
	 * @return the file
	 */
	Path file(String name);

	/**
	 * Return where an entry is, as messages show it.
	 * @param name the name of the entry
	 * @return the place
	 */
	String describe(String name);

	/**
	 * Prepare a folder for entries.
	 * @param name the name of the folder
	 * @throws IOException if nothing can be written there
	 */
	void createFolder(String name) throws IOException;

	/**
	 * Have the {@link #file file} of an entry, and replace it within seconds after
	 * another replica has replaced the entry.
	 * @param name the name of the entry
	 * @throws IOException if it cannot be read or written
	 */
	void keepCopy(String name) throws IOException;

	/**
	 * Read an entry.
	 * @param name the name
	 * @return the entry, or {@code null} if there is none
	 * @throws IOException if it cannot be read
	 */
	@Nullable Entry read(String name) throws IOException;

	/**
	 * Create or replace an entry, whose content is safe when this method returns.
	 * @param name the name
	 * @param content the content
	 * @param held the locks of the caller
	 * @throws IOException if it cannot be written, or if a lock is not held any more
	 */
	void write(String name, String content, Collection<StoreLock> held) throws IOException;

	/**
	 * Replace an entry if nobody else has.
	 * @param name the name
	 * @param content the content
	 * @param version the version that was read, or {@code null} if there was no entry
	 * @return whether it was replaced
	 * @throws IOException if it cannot be written
	 */
	boolean replace(String name, String content, @Nullable String version) throws IOException;

	/**
	 * Delete an entry if it exists.
	 * @param name the name
	 * @param held the locks of the caller
	 * @throws IOException if it cannot be deleted, or if a lock is not held any more
	 */
	void delete(String name, Collection<StoreLock> held) throws IOException;

	/**
	 * Return the entries that were created or replaced. An entry can be among them again
	 * for a minute.
	 * @param prefix how their names begin
	 * @param since the {@link Changes#mark mark} of an earlier answer, or {@code null}
	 * for all entries
	 * @return the entries
	 * @throws IOException if they cannot be read
	 */
	Changes changes(String prefix, @Nullable String since) throws IOException;

	/**
	 * Return the current time, by a clock that all replicas share.
	 * @return the time
	 * @throws IOException if it cannot be read
	 */
	Instant now() throws IOException;

	/**
	 * Take a lock if nobody else has it. It ends with the process, in a database seconds
	 * later.
	 * @param name the name
	 * @return the lock, or {@code null} if somebody else has it
	 * @throws IOException if it cannot be taken
	 */
	@Nullable StoreLock tryLock(String name) throws IOException;

	/**
	 * Take a lock as soon as nobody else has it.
	 * @param name the name
	 * @return the lock
	 * @throws IOException if it cannot be taken, or if somebody keeps it
	 */
	StoreLock lock(String name) throws IOException;

	/**
	 * A text.
	 *
	 * @param content the content
	 * @param version differs from that of any other content of the entry
	 */
	record Entry(String content, String version) {

		/**
		 * Return the version only, because the content can be a private key.
		 */
		@Override
		public String toString() {
			return "Entry[" + this.version + "]";
		}

	}

	/**
	 * What was created or replaced.
	 *
	 * @param names the names of the entries
	 * @param mark the time for the next question
	 */
	record Changes(List<String> names, String mark) {

	}

}
