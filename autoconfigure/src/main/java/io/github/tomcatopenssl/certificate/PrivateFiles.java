// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Creates files and folders that only their owner can use, where the file system has
 * permissions.
 */
public final class PrivateFiles {

	private static final Set<PosixFilePermission> FOLDER = PosixFilePermissions.fromString("rwx------");

	private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

	private PrivateFiles() {
	}

	/**
	 * Create a folder, and its parents, or take the permissions of others away from one
	 * that exists.
	 * @param folder the folder
	 * @throws IOException if that is not possible
	 */
	public static void createFolder(Path folder) throws IOException {
		Files.createDirectories(folder, attributes(folder, FOLDER));
		if (isPosix(folder) && !Files.getPosixFilePermissions(folder).equals(FOLDER)) {
			Files.setPosixFilePermissions(folder, FOLDER);
		}
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
	 * @param temporary a file in the same folder, which nobody else uses meanwhile
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
