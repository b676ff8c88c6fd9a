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

package io.github.tomcatopenssl;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;

import io.github.tomcatopenssl.LoadAttempt.Result;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat Native that comes as a dependency. It is extracted into a private folder with an
 * unpredictable name, compared with its SHA-256, loaded, and deleted as soon as the JVM
 * has it. A lock tells the folders of running JVMs from those that a killed one has left.
 */
final class BundledLibrary {

	private static final Log logger = LogFactory.getLog(BundledLibrary.class);

	/**
	 * Prefix of the folders.
	 */
	static final String FOLDER_PREFIX = "tomcat-openssl-";

	private static final String LOCK = "lock";

	/**
	 * How long a folder may be without its lock, which is made right after it.
	 */
	private static final Duration UNLOCKED = Duration.ofMinutes(10);

	private final Platform platform;

	private final Path workFolder;

	BundledLibrary(Platform platform, @Nullable Path workFolder) {
		this.platform = platform;
		this.workFolder = (workFolder != null) ? workFolder : Path.of(System.getProperty("java.io.tmpdir"));
	}

	String location() {
		return "bundled " + this.platform.classifier();
	}

	/**
	 * Extract and load the library.
	 * @return the attempt that failed, or {@code null} when the library is loaded
	 */
	@Nullable LoadAttempt load() {
		ClassLoader classLoader = BundledLibrary.class.getClassLoader();
		try (InputStream library = classLoader.getResourceAsStream(this.platform.resource());
				InputStream checksum = classLoader.getResourceAsStream(this.platform.resource() + ".sha256")) {
			if (library == null || checksum == null) {
				return LoadAttempt.failed(location(), Result.NOT_BUNDLED,
						"no dependency brings a library for " + this.platform.classifier());
			}
			deleteLeftovers();
			return extractAndLoad(library, new String(checksum.readAllBytes(), StandardCharsets.US_ASCII).strip());
		}
		catch (IOException ex) {
			return new LoadAttempt(location(), Result.NOT_EXTRACTED,
					"it cannot be extracted into '%s': %s".formatted(this.workFolder, ex), ex);
		}
	}

	private @Nullable LoadAttempt extractAndLoad(InputStream library, String checksum) throws IOException {
		Path folder = Files.createTempDirectory(this.workFolder.toAbsolutePath(), FOLDER_PREFIX, ownerOnly());
		Path file = folder.resolve(LibraryCandidates.preferredFileName());
		try (FileChannel channel = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE_NEW,
				StandardOpenOption.WRITE); FileLock lock = channel.lock()) {
			logger.debug("Extracting " + location() + " to " + file + ", " + lock);
			Files.copy(library, file);
			if (!checksum.equals(sha256(file))) {
				return LoadAttempt.failed(location(), Result.NOT_EXTRACTED,
						"'%s' does not have the content that was written to it".formatted(file));
			}
			LoadAttempt failure = NativeLibraryLoader.load(file, location());
			return (failure != null) ? explain(failure, file) : null;
		}
		finally {
			delete(folder);
		}
	}

	private LoadAttempt explain(LoadAttempt failure, Path file) {
		Result result = (failure.result() != Result.NOT_EXECUTABLE) ? failure.result() : Result.NOT_EXTRACTED;
		return new LoadAttempt(location(), result, failure.reason() + " ('" + file + "')", failure.cause());
	}

	private FileAttribute<?>[] ownerOnly() {
		boolean posix = this.workFolder.getFileSystem().supportedFileAttributeViews().contains("posix");
		return posix
				? new FileAttribute<?>[] {
						PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")) }
				: new FileAttribute<?>[0];
	}

	private static String sha256(Path file) throws IOException {
		try (InputStream in = Files.newInputStream(file)) {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			byte[] buffer = new byte[65536];
			for (int length = in.read(buffer); length != -1; length = in.read(buffer)) {
				digest.update(buffer, 0, length);
			}
			return HexFormat.of().formatHex(digest.digest());
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void deleteLeftovers() {
		try (DirectoryStream<Path> folders = Files.newDirectoryStream(this.workFolder, FOLDER_PREFIX + "*")) {
			for (Path folder : folders) {
				if (isLeftover(folder)) {
					delete(folder);
				}
			}
		}
		catch (IOException ex) {
			logger.debug("Leftovers in " + this.workFolder + " cannot be deleted", ex);
		}
	}

	private static boolean isLeftover(Path folder) {
		if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
			return false;
		}
		try (FileChannel channel = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.WRITE,
				LinkOption.NOFOLLOW_LINKS); FileLock lock = channel.tryLock()) {
			return lock != null;
		}
		catch (NoSuchFileException ex) {
			return isOld(folder);
		}
		catch (IOException | OverlappingFileLockException ex) {
			// Somebody else's, or in use by this JVM
			return false;
		}
	}

	private static boolean isOld(Path folder) {
		try {
			return Files.getLastModifiedTime(folder, LinkOption.NOFOLLOW_LINKS)
				.toInstant()
				.isBefore(Instant.now().minus(UNLOCKED));
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static void delete(Path folder) {
		try {
			Files.deleteIfExists(folder.resolve(LibraryCandidates.preferredFileName()));
			Files.deleteIfExists(folder.resolve(LOCK));
			Files.deleteIfExists(folder);
		}
		catch (IOException ex) {
			logger.debug(folder + " cannot be deleted", ex);
		}
	}

}
