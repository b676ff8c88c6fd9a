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
import org.jspecify.annotations.Nullable;

/**
 * A {@code catalina.home} with one library, where Tomcat looks for it first: whatever
 * file is put there is loaded and no other. Only this user can enter it, and its name is
 * unpredictable.
 * <p>
 * It is used for the moment of loading. Windows deletes no library that is in use: a
 * later start does.
 */
final class LibraryHome implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LibraryHome.class);

	private static final String CATALINA_HOME = "catalina.home";

	private static final int ATTEMPTS = 10;

	private static final String PREFIX = "tomcat-openssl-";

	/**
	 * How old a folder is that nobody can be about to load a library from.
	 */
	private static final Duration ABANDONED = Duration.ofMinutes(10);

	private final Path path;

	private LibraryHome(Path path) {
		this.path = path;
	}

	/**
	 * Create a folder, and delete those that this user's JVMs have left.
	 * @param parent where to create it
	 * @return the folder
	 * @throws IOException if it cannot be created
	 */
	static LibraryHome createIn(Path parent) throws IOException {
		LibraryHome home = new LibraryHome(Files.createTempDirectory(parent.toAbsolutePath(), PREFIX));
		try {
			Files.createDirectory(home.library().getParent());
		}
		catch (IOException ex) {
			home.close();
			throw ex;
		}
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
				restore(home, previous);
			}
		}
	}

	private static void restore(String home, @Nullable String previous) {
		if (previous != null && home.equals(System.getProperty(CATALINA_HOME))) {
			System.setProperty(CATALINA_HOME, previous);
		}
		else {
			System.getProperties().remove(CATALINA_HOME, home);
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
		Path library = new LibraryHome(home).library();
		try {
			Files.deleteIfExists(library);
			Files.deleteIfExists(library.getParent());
			Files.deleteIfExists(home);
		}
		catch (IOException ex) {
			logger.debug(home + " cannot be deleted", ex);
		}
	}

}
