// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/**
 * The content of the file of a property, or the reason why the file could not be read.
 * Two instances are equal if their bytes and their problems are the same, because times
 * and sizes do not show every change.
 *
 * @param file the file, as messages show it, or {@code null} if they must not show it
 * @param inFileSystem whether the file is in the file system
 * @param bytes the content
 * @param problem why there is no content, or {@code null}
 */
record FileContent(@Nullable String file, boolean inFileSystem, byte[] bytes,
		@Nullable CertificateFileException problem) {

	/**
	 * The maximum size in bytes. A bundle of all public CAs is smaller.
	 */
	private static final int MAX_SIZE = 4 * 1024 * 1024;

	private static final byte[] NOTHING = {};

	/**
	 * Return the contents of files.
	 * @param locations the locations of the files by property
	 * @param before the contents that were read before; only those in the file system are
	 * read again
	 * @param resourceLoader finds the files
	 * @return the contents by property
	 */
	static Map<String, FileContent> read(Map<String, String> locations, Map<String, FileContent> before,
			ResourceLoader resourceLoader) {
		Map<String, FileContent> files = new LinkedHashMap<>();
		locations.forEach((property, location) -> {
			FileContent last = before.get(property);
			files.put(property,
					(last != null && !last.inFileSystem()) ? last : read(property, location, resourceLoader));
		});
		return files;
	}

	boolean isOpenToOthers() {
		try {
			return this.inFileSystem && PrivateFiles.isOpenToOthers(Path.of(String.valueOf(this.file)));
		}
		catch (IOException ex) {
			// It was just replaced
			return false;
		}
	}

	private static FileContent read(String property, String location, ResourceLoader resourceLoader) {
		String file = null;
		boolean inFileSystem = false;
		try {
			requireLocation(property, location);
			file = CertificateFileException.describe(location);
			Resource resource = resourceLoader.getResource(location);
			inFileSystem = resource.isFile();
			if (inFileSystem) {
				file = resource.getFilePath().toAbsolutePath().toString();
				requireRegularFile(property, file, resource.getFilePath());
			}
			else if (!resource.exists()) {
				throw missing(property, file);
			}
			try (InputStream in = inFileSystem ? Files.newInputStream(resource.getFilePath())
					: resource.getInputStream()) {
				byte[] bytes = in.readNBytes(MAX_SIZE + 1);
				requireSize(property, file, bytes.length);
				return new FileContent(file, inFileSystem, bytes, null);
			}
		}
		catch (CertificateFileException ex) {
			return new FileContent(file, inFileSystem, NOTHING, ex);
		}
		catch (InvalidPathException ex) {
			return new FileContent(file, inFileSystem, NOTHING, unusableName(property, file, ex));
		}
		catch (IllegalArgumentException ex) {
			return new FileContent(file, inFileSystem, NOTHING, failure(property, file,
					"it is not a valid location: " + ex.getMessage(), "Correct '%s'".formatted(property)));
		}
		catch (IOException ex) {
			return new FileContent(file, inFileSystem, NOTHING,
					inFileSystem ? unreadable(property, String.valueOf(file), ex)
							: failure(property, file, "it cannot be read: " + ex.getMessage(),
									"Correct '%1$s', or write the content to a file and set '%1$s' to that file"
										.formatted(property)));
		}
	}

	private static CertificateFileException unusableName(String property, @Nullable String file,
			InvalidPathException ex) {
		if (StandardCharsets.US_ASCII.newEncoder().canEncode(ex.getInput())) {
			return failure(property, file, "it is not a valid path: " + ex.getReason(),
					"Correct '%s'".formatted(property));
		}
		return failure(property, file,
				"its name cannot be used on this system, whose character encoding is '%s': %s"
					.formatted(System.getProperty("sun.jnu.encoding"), ex.getReason()),
				"Start the application with a UTF-8 locale, such as LC_ALL=C.UTF-8, or rename the file that '%s' names"
					.formatted(property));
	}

	private static void requireLocation(String property, String location) {
		if (location.isBlank()) {
			throw failure(property, null, "it is empty",
					"Set it to a PEM file, or remove it. To turn off TLS, set 'server.ssl.enabled' to 'false'");
		}
		if (location.contains("-----BEGIN")) {
			throw failure(property, null, "it contains PEM content, but must name a file",
					"Write the content to a file and set '%s' to that file".formatted(property));
		}
	}

	// Reading a file that is not a regular one, such as a pipe, may never end
	private static void requireRegularFile(String property, String file, Path path) throws IOException {
		BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
		if (attributes.isDirectory()) {
			throw failure(property, file, "it is a folder", "Set '%s' to a file in it".formatted(property));
		}
		if (!attributes.isRegularFile()) {
			throw failure(property, file, "it is not a regular file", "Set '%s' to a PEM file".formatted(property));
		}
	}

	private static void requireSize(String property, String file, int size) {
		if (size == 0) {
			throw failure(property, file, "it is empty", "Write the PEM content to the file");
		}
		if (size > MAX_SIZE) {
			throw failure(property, file, "it is larger than 4 MiB, too large for a PEM file",
					"Correct '%s'".formatted(property));
		}
	}

	private static CertificateFileException unreadable(String property, String file, IOException ex) {
		FileFailure failure = FileFailure.of(Path.of(file), property, ex);
		return failure(property, file, failure.reason(), failure.action());
	}

	private static CertificateFileException missing(String property, @Nullable String file) {
		return failure(property, file, "it does not exist", "Create the file or correct '%s'".formatted(property));
	}

	private static CertificateFileException failure(String property, @Nullable String file, String reason,
			String action) {
		return new CertificateFileException(property, file, reason, action, null);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof FileContent content && Arrays.equals(this.bytes, content.bytes)
				&& String.valueOf(this.problem).equals(String.valueOf(content.problem));
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.bytes);
	}

}
