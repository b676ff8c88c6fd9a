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
 * A {@code catalina.home} for the moment of loading a library, which Tomcat looks for
 * there first. Only this user can enter it, and its name is unpredictable. Windows
 * deletes no library that is in use: a later start does.
 */
final class TemporaryCatalinaHome implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(TemporaryCatalinaHome.class);

	private static final String CATALINA_HOME = "catalina.home";

	private static final int ATTEMPTS = 10;

	private static final String PREFIX = "tomcat-openssl-";

	// How old a folder is that nobody can be about to load a library from
	private static final Duration ABANDONED = Duration.ofMinutes(10);

	private final Path path;

	private TemporaryCatalinaHome(Path path) {
		this.path = path;
	}

	// Deletes those that this user's JVMs have left
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
			// Windows grants symbolic links to few
			Files.copy(file, library());
		}
	}

	/**
	 * Load the library as Tomcat does. Another thread may change {@code catalina.home} at
	 * the wrong moment, as each Tomcat does that starts.
	 * @return whether it is this library that is loaded, rather than one of
	 * {@code java.library.path}
	 * @throws Exception if it cannot be loaded
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
				// Within the folder of another user, links may lead anywhere
				if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
						&& Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(own))
						&& Files.getLastModifiedTime(folder).toInstant().isBefore(latest)) {
					delete(folder);
				}
			}
		}
		catch (IOException | DirectoryIteratorException ex) {
			logger.debug("What was left in " + parent + " cannot be deleted", ex);
		}
	}

	@Override
	public void close() {
		delete(this.path);
	}

	private static void delete(Path home) {
		Path library = new TemporaryCatalinaHome(home).library();
		try {
			// Not whatever else a folder of such a name may have
			Files.deleteIfExists(library);
			Files.deleteIfExists(library.getParent());
			Files.deleteIfExists(home);
		}
		catch (IOException ex) {
			logger.debug(home + " cannot be deleted", ex);
		}
	}

}
