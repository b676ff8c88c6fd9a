/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.library;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Folder that only this user can enter, with an unpredictable name, to load a library
 * from. A lock tells the folders of running JVMs from those that a killed one has left.
 * Windows deletes no library that is in use: the next start does.
 */
final class PrivateFolder implements AutoCloseable {

	/**
	 * Prefix of the names.
	 */
	static final String PREFIX = "tomcat-openssl-";

	private static final Log logger = LogFactory.getLog(PrivateFolder.class);

	private static final String LOCK = "lock";

	private static final String NEW_LOCK = "lock.new";

	/**
	 * How long a folder may be without its lock, which is made right after it.
	 */
	private static final Duration UNLOCKED = Duration.ofMinutes(10);

	private final Path path;

	private final FileChannel lock;

	private PrivateFolder(Path path) throws IOException {
		this.path = path;
		this.lock = FileChannel.open(path.resolve(NEW_LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
		this.lock.lock();
		// A lock file that others see is never without its lock
		Files.move(path.resolve(NEW_LOCK), path.resolve(LOCK), StandardCopyOption.ATOMIC_MOVE);
	}

	/**
	 * Create a folder, and delete those that killed JVMs of this user have left.
	 * @param parent where to create it
	 * @return the folder
	 * @throws IOException if it cannot be created
	 */
	static PrivateFolder createIn(Path parent) throws IOException {
		Path path = Files.createTempDirectory(parent.toAbsolutePath(), PREFIX, ownerOnly(parent));
		try {
			PrivateFolder folder = new PrivateFolder(path);
			Files.createDirectory(folder.library().getParent());
			deleteLeftovers(parent, path);
			return folder;
		}
		catch (IOException ex) {
			delete(path);
			throw ex;
		}
	}

	Path path() {
		return this.path;
	}

	Path library() {
		return library(this.path);
	}

	@Override
	public void close() throws IOException {
		this.lock.close();
		delete(this.path);
	}

	/**
	 * Return where Tomcat looks for the library.
	 * @param home a folder, as {@code catalina.home}
	 * @return a file that need not exist
	 */
	static Path library(Path home) {
		return home.resolve("bin").resolve(LibraryCandidates.preferredFileName());
	}

	private static FileAttribute<?>[] ownerOnly(Path parent) {
		boolean posix = parent.getFileSystem().supportedFileAttributeViews().contains("posix");
		return posix
				? new FileAttribute<?>[] {
						PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")) }
				: new FileAttribute<?>[0];
	}

	private static void deleteLeftovers(Path parent, Path own) {
		try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, PREFIX + "*")) {
			UserPrincipal owner = Files.getOwner(own);
			for (Path folder : folders) {
				// Closing a second channel of its own lock file would release the lock
				if (!folder.getFileName().equals(own.getFileName()) && isLeftover(folder, owner)) {
					delete(folder);
				}
			}
		}
		catch (IOException | DirectoryIteratorException ex) {
			logger.debug("Leftovers in " + parent + " cannot be deleted", ex);
		}
	}

	private static boolean isLeftover(Path folder, UserPrincipal owner) {
		try {
			// Within the folder of another user, links may lead anywhere
			return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
					&& owner.equals(Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS)) && isUnlocked(folder);
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static boolean isUnlocked(Path folder) throws IOException {
		try (FileChannel channel = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.WRITE,
				LinkOption.NOFOLLOW_LINKS); FileLock lock = channel.tryLock()) {
			return lock != null;
		}
		catch (NoSuchFileException ex) {
			return isOld(folder);
		}
		catch (OverlappingFileLockException ex) {
			// In use by this JVM
			return false;
		}
	}

	private static boolean isOld(Path folder) throws IOException {
		return Files.getLastModifiedTime(folder, LinkOption.NOFOLLOW_LINKS)
			.toInstant()
			.isBefore(Instant.now().minus(UNLOCKED));
	}

	private static void delete(Path folder) {
		try {
			Files.deleteIfExists(library(folder));
			Files.deleteIfExists(library(folder).getParent());
			Files.deleteIfExists(folder.resolve(LOCK));
			Files.deleteIfExists(folder.resolve(NEW_LOCK));
			Files.deleteIfExists(folder);
		}
		catch (IOException ex) {
			logger.debug(folder + " cannot be deleted", ex);
		}
	}

}
