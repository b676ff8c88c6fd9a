// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;

import io.github.tomcatopenssl.internal.pem.ShellWord;
import org.jspecify.annotations.Nullable;

import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Files of the user that runs the application. Other users cannot use them, where the
 * file system has permissions.
 */
public final class PrivateFiles {

	private static final Set<PosixFilePermission> FOLDER = PosixFilePermissions.fromString("rwx------");

	private static final Set<PosixFilePermission> OTHERS = Set.of(PosixFilePermission.OTHERS_READ,
			PosixFilePermission.OTHERS_WRITE);

	private static final Set<PosixFilePermission> ALL_OTHERS = PosixFilePermissions.fromString("------rwx");

	private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

	/**
	 * Why the file of a key is not private, as a clause of a sentence.
	 */
	public static final String OPEN_TO_OTHERS = "all users of this machine can read or write it";

	private PrivateFiles() {
	}

	/**
	 * Return whether all users of the machine can read or write a file.
	 * @param file the file
	 * @return whether they can; {@code false} where the file system has no permissions
	 * @throws IOException if that cannot be determined
	 */
	public static boolean isOpenToOthers(Path file) throws IOException {
		return Files.exists(file) && isPosix(file)
				&& !Collections.disjoint(Files.getPosixFilePermissions(file), OTHERS);
	}

	/**
	 * Return the command that creates a file of random bytes, which only its owner can
	 * use.
	 * @param file the file
	 * @param length the length in bytes
	 * @return the command
	 */
	public static String createRandom(String file, int length) {
		return "(umask 077 && openssl rand -out %s %d)".formatted(ShellWord.of(file), length);
	}

	/**
	 * Return the remedy for a key file that other users can read.
	 * @param file the file
	 * @return a sentence without its full stop
	 */
	public static String protect(String file) {
		return "Remove these permissions with 'chmod o-rw %s', or with 'defaultMode: 0440' for a Kubernetes secret, and replace the key if someone may have read it"
			.formatted(ShellWord.of(file));
	}

	/**
	 * Return the user's folder for files that can be created again:
	 * {@code XDG_CACHE_HOME} (XDG Base Directory Specification) if it is set, or the
	 * folder that the operating system provides.
	 * @param environment the environment variables and system properties
	 * @return the folder; its path is not absolute if the user has no home folder
	 */
	static Path cacheFolder(Environment environment) {
		return userFolder(environment, "XDG_CACHE_HOME", "Library/Caches", ".cache");
	}

	/**
	 * Return the user's folder for files that must not be lost: {@code XDG_DATA_HOME} if
	 * it is set, or the folder that the operating system provides.
	 * @param environment the environment variables and system properties
	 * @return the folder; its path is not absolute if the user has no home folder
	 */
	public static Path dataFolder(Environment environment) {
		return userFolder(environment, "XDG_DATA_HOME", "Library/Application Support", ".local/share");
	}

	private static Path userFolder(Environment environment, String variable, String mac, String other) {
		String system = environment.getProperty("os.name", "").toLowerCase(Locale.ROOT);
		String folder = environment.getProperty(system.startsWith("windows") ? "LOCALAPPDATA" : variable);
		if (StringUtils.hasText(folder) && Path.of(folder).isAbsolute()) {
			return Path.of(folder);
		}
		String home = environment.getProperty("HOME");
		return Path.of(StringUtils.hasText(home) ? home : environment.getProperty("user.home", ""))
			.resolve(system.startsWith("mac") ? mac : other);
	}

	/**
	 * Create a folder, and its parents, or take the permissions of others away from one
	 * that exists. Where that is not possible, what counts is that they have none: a
	 * share can be mounted that way, and the volume of a container may belong to a group.
	 * @param folder the folder
	 * @throws OpenFolderException if other users can enter the folder
	 * @throws IOException if the folder cannot be created
	 */
	public static void createFolder(Path folder) throws IOException {
		Files.createDirectories(folder, attributes(folder, FOLDER));
		if (!isPosix(folder) || Files.getPosixFilePermissions(folder).equals(FOLDER)) {
			return;
		}
		Exception failure = null;
		try {
			Files.setPosixFilePermissions(folder, FOLDER);
		}
		catch (IOException | UnsupportedOperationException ex) {
			failure = ex;
		}
		requirePrivate(folder, Files.getPosixFilePermissions(folder), failure);
	}

	static void requirePrivate(Path folder, Set<PosixFilePermission> permissions, @Nullable Exception failure)
			throws OpenFolderException {
		if (Collections.disjoint(permissions, ALL_OTHERS)) {
			return;
		}
		String reason = (failure instanceof FileSystemException refusal && refusal.getReason() != null)
				? refusal.getReason()
				: (failure instanceof UnsupportedOperationException) ? "the file system cannot do it"
						: (failure != null) ? failure.toString() : "the file system ignores it";
		OpenFolderException ex = new OpenFolderException(folder,
				"all users of this machine can enter it (%s), and its permissions cannot be changed: %s"
					.formatted(PosixFilePermissions.toString(permissions), reason));
		ex.initCause(failure);
		throw ex;
	}

	/**
	 * Open a file to write, and create it if it does not exist.
	 * @param file the file
	 * @return the channel
	 * @throws IOException if it cannot be opened
	 */
	public static FileChannel open(Path file) throws IOException {
		return FileChannel.open(file, Set.<OpenOption>of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
				attributes(file, FILE));
	}

	/**
	 * Replace a file as a whole, so that a crash leaves the previous one. The content is
	 * on the disk when this method returns.
	 * @param file the file
	 * @param temporary the file in the same folder to write to first, which nobody else
	 * uses meanwhile
	 * @param content the new content
	 * @throws IOException if the file cannot be replaced
	 */
	public static void replace(Path file, Path temporary, String content) throws IOException {
		Files.deleteIfExists(temporary);
		try {
			try (FileChannel channel = open(temporary)) {
				ByteBuffer bytes = StandardCharsets.UTF_8.encode(content);
				while (bytes.hasRemaining()) {
					channel.write(bytes);
				}
				channel.force(true);
			}
			Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
		}
		finally {
			Files.deleteIfExists(temporary);
		}
	}

	private static FileAttribute<?>[] attributes(Path path, Set<PosixFilePermission> permissions) {
		return isPosix(path) ? new FileAttribute<?>[] { PosixFilePermissions.asFileAttribute(permissions) }
				: new FileAttribute<?>[0];
	}

	private static boolean isPosix(Path path) {
		return path.getFileSystem().supportedFileAttributeViews().contains("posix");
	}

}
