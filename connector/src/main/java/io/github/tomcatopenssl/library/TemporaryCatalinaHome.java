// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.library;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

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

	// At this age of a folder, no JVM can still be about to load a library from it
	private static final Duration ABANDONED = Duration.ofMinutes(10);

	private final Path path;

	private TemporaryCatalinaHome(Path path) {
		this.path = path;
	}

	// Also deletes the folders that JVMs of this user have left behind
	static TemporaryCatalinaHome createIn(Path parent) throws IOException {
		TemporaryCatalinaHome home = new TemporaryCatalinaHome(
				Files.createTempDirectory(parent.toAbsolutePath(), PREFIX));
		Files.createDirectory(home.library().getParent());
		deleteAbandoned(parent, home.path);
		return home;
	}

	static boolean isLibraryOfOne(Path file) {
		return file.getNameCount() > 2 && file.getName(file.getNameCount() - 3).toString().startsWith(PREFIX);
	}

	Path library() {
		return this.path.resolve("bin").resolve(LibraryCandidates.preferredFileName());
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
		Instant latest = Instant.now().minus(ABANDONED);
		try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, PREFIX + "*")) {
			for (Path folder : folders) {
				// In the folder of another user, links may lead anywhere
				if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
						&& Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(own))
						&& Files.getLastModifiedTime(folder).toInstant().isBefore(latest)) {
					delete(folder);
				}
			}
		}
		catch (IOException | DirectoryIteratorException ex) {
			logger.debug("Leftover folders in " + parent + " cannot be deleted", ex);
		}
	}

	@Override
	public void close() {
		delete(this.path);
	}

	private static void delete(Path home) {
		Path library = new TemporaryCatalinaHome(home).library();
		try {
			// Leave any other file in a folder with such a name alone
			Files.deleteIfExists(library);
			Files.deleteIfExists(library.getParent());
			Files.deleteIfExists(home);
		}
		catch (IOException ex) {
			logger.debug(home + " cannot be deleted", ex);
		}
	}

}
