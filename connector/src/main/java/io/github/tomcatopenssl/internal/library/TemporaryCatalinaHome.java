// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

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
import java.nio.file.StandardOpenOption;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.tomcat.jni.Library;

/**
 * A temporary {@code catalina.home} that is set while a library is loaded, because Tomcat
 * looks there first. Only the current user can enter the folder, and its name is
 * unpredictable. Windows cannot delete a library that is in use, so a later start deletes
 * it.
 */
final class TemporaryCatalinaHome implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(TemporaryCatalinaHome.class);

	private static final String CATALINA_HOME = "catalina.home";

	private static final int ATTEMPTS = 10;

	private static final String PREFIX = "tomcat-openssl-";

	private static final String LOCK = "lock";

	private final Path path;

	/**
	 * Its file is locked as long as the folder is used. The operating system ends the
	 * lock with the JVM.
	 */
	private final FileChannel lock;

	private TemporaryCatalinaHome(Path path) throws IOException {
		this.path = path;
		// Closing any channel of a file ends the lock of the JVM (POSIX)
		System.setProperty(property(path), "");
		this.lock = FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
		boolean created = false;
		try {
			lock();
			Files.createDirectory(libraryIn(path).getParent());
			created = true;
		}
		finally {
			if (!created) {
				close();
			}
		}
	}

	// Another JVM has the lock only while it deletes the folder, just before it was
	// locked. Without a lock, nobody can tell whether it is abandoned, and it stays
	private void lock() throws NoSuchFileException {
		try {
			this.lock.lock();
		}
		catch (IOException ex) {
			logger.debug("The file system of " + this.path + " has no locks", ex);
		}
		if (Files.notExists(this.path.resolve(LOCK))) {
			throw new NoSuchFileException(this.path.toString());
		}
	}

	// Also deletes the folders that JVMs of this user have left behind
	static TemporaryCatalinaHome createIn(Path parent) throws IOException {
		TemporaryCatalinaHome home = create(parent.toAbsolutePath());
		deleteAbandoned(parent.toAbsolutePath(), home.path);
		return home;
	}

	// Another JVM can take a folder for abandoned just before it is locked
	private static TemporaryCatalinaHome create(Path parent) throws IOException {
		for (int attempt = 1;; attempt++) {
			try {
				return new TemporaryCatalinaHome(Files.createTempDirectory(parent, PREFIX));
			}
			catch (NoSuchFileException ex) {
				if (attempt == ATTEMPTS || Files.notExists(parent)) {
					throw ex;
				}
			}
		}
	}

	private static String property(Path path) {
		return TemporaryCatalinaHome.class.getName() + ":" + path;
	}

	static boolean isLibraryOfOne(Path file) {
		return file.getNameCount() > 2 && file.getName(file.getNameCount() - 3).toString().startsWith(PREFIX);
	}

	Path library() {
		return libraryIn(this.path);
	}

	private static Path libraryIn(Path home) {
		return home.resolve("bin").resolve(LibraryCandidates.preferredFileName());
	}

	void link(Path file) throws IOException {
		try {
			Files.createSymbolicLink(library(), file);
		}
		catch (IOException | UnsupportedOperationException ex) {
			// On Windows, most users may not create symbolic links
			Files.copy(file, library());
		}
	}

	/**
	 * Load the library as Tomcat does. Another thread may change {@code catalina.home} at
	 * the same time, because every Tomcat sets it when it starts.
	 * @return whether this library is loaded, rather than one from
	 * {@code java.library.path}
	 * @throws Exception if no library can be loaded
	 */
	boolean load() throws Exception {
		String home = this.path.toString();
		for (int attempt = 1;; attempt++) {
			String previous = System.setProperty(CATALINA_HOME, home);
			try {
				Library.initialize(null);
				return home.equals(System.getProperty(CATALINA_HOME));
			}
			catch (Exception | LinkageError ex) {
				if (attempt == ATTEMPTS || home.equals(System.getProperty(CATALINA_HOME))) {
					throw ex;
				}
			}
			finally {
				if (previous != null) {
					System.getProperties().replace(CATALINA_HOME, home, previous);
				}
				else {
					System.getProperties().remove(CATALINA_HOME, home);
				}
			}
		}
	}

	private static void deleteAbandoned(Path parent, Path own) {
		try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, PREFIX + "*")) {
			for (Path folder : folders) {
				// In the folder of another user, links may lead anywhere
				if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
						&& Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(own))) {
					deleteIfAbandoned(folder);
				}
			}
		}
		catch (IOException | DirectoryIteratorException ex) {
			logger.debug("Leftover folders in " + parent + " cannot be deleted", ex);
		}
	}

	// Leaves the folder if a JVM uses it, or if that cannot be determined
	private static void deleteIfAbandoned(Path folder) {
		Path file = folder.resolve(LOCK);
		if (System.getProperty(property(folder)) != null || !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
			return;
		}
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
				FileLock lock = channel.tryLock()) {
			if (lock == null) {
				return;
			}
			delete(folder);
		}
		catch (IOException | OverlappingFileLockException ex) {
			return;
		}
		// Windows keeps a folder as long as its lock is open
		delete(folder);
	}

	@Override
	public void close() {
		try {
			this.lock.close();
		}
		catch (IOException ex) {
			logger.debug("The lock of " + this.path + " cannot be closed", ex);
		}
		delete(this.path);
		System.clearProperty(property(this.path));
	}

	private static void delete(Path home) {
		Path library = libraryIn(home);
		try {
			// Leave any other file in a folder with such a name alone
			Files.deleteIfExists(library);
			Files.deleteIfExists(library.getParent());
			Files.deleteIfExists(home.resolve(LOCK));
			Files.deleteIfExists(home);
		}
		catch (IOException ex) {
			logger.debug(home + " cannot be deleted", ex);
		}
	}

}
