// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/**
 * What a file contained when it was read, or why it could not be read.
 *
 * @param shown the file, as it is shown; {@code null} when it must not be
 * @param inFileSystem whether it is a file of the file system
 * @param bytes its content
 * @param problem why there is no content, or {@code null}
 */
record FileContent(@Nullable String shown, boolean inFileSystem, byte[] bytes, @Nullable Problem problem) {

	/**
	 * More than a bundle of all public CAs needs.
	 */
	private static final int MAX_SIZE = 4 * 1024 * 1024;

	private static final byte[] NOTHING = {};

	static FileContent read(String location, ResourceLoader resourceLoader) {
		if (location.isBlank()) {
			return new FileContent(null, false, NOTHING, new Problem("it is empty",
					"Set it to a PEM file, or remove it. TLS is turned off by 'server.ssl.enabled: false'"));
		}
		if (location.contains("-----BEGIN")) {
			return new FileContent(null, false, NOTHING, new Problem("it holds PEM content, and should name a file",
					"Write the content into a file and set '%s' to the file"));
		}
		String shown = KeyMaterial.describe(location);
		boolean inFileSystem = false;
		try {
			Resource resource = resourceLoader.getResource(location);
			inFileSystem = resource.isFile();
			if (inFileSystem) {
				shown = resource.getFilePath().toAbsolutePath().toString();
			}
			return new FileContent(shown, inFileSystem, load(resource, inFileSystem), null);
		}
		catch (InvalidPathException ex) {
			return new FileContent(shown, inFileSystem, NOTHING, new Problem(
					"its name cannot be used on this system, whose character encoding is '%s': %s"
						.formatted(System.getProperty("sun.jnu.encoding"), ex.getReason()),
					"Start the application with a locale of UTF-8, such as LC_ALL=C.UTF-8, or rename the file of '%s'"));
		}
		catch (Problem problem) {
			return new FileContent(shown, inFileSystem, NOTHING, problem);
		}
		catch (IOException ex) {
			return new FileContent(shown, inFileSystem, NOTHING, problem(ex));
		}
	}

	private static byte[] load(Resource resource, boolean inFileSystem) throws IOException {
		if (inFileSystem) {
			requireRegularFile(resource.getFilePath());
		}
		else if (!resource.exists()) {
			throw missing();
		}
		try (InputStream in = inFileSystem ? Files.newInputStream(resource.getFilePath()) : resource.getInputStream()) {
			byte[] bytes = in.readNBytes(MAX_SIZE + 1);
			if (bytes.length == 0) {
				throw new Problem("it is empty", "Write the PEM content into the file");
			}
			if (bytes.length > MAX_SIZE) {
				throw new Problem("it is larger than 4 MiB, which no PEM file of certificates is", "Correct '%s'");
			}
			return bytes;
		}
	}

	// Reading anything else may never end
	private static void requireRegularFile(Path file) throws IOException {
		BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
		if (attributes.isDirectory()) {
			throw new Problem("it is a folder", "Set '%s' to a file in it");
		}
		if (!attributes.isRegularFile()) {
			throw new Problem("it is not a regular file", "Set '%s' to a PEM file");
		}
	}

	// The words of the operating system where Java has no exception of its own
	private static Problem problem(IOException ex) {
		String reason = (ex instanceof FileSystemException failure) ? String.valueOf(failure.getReason())
				: String.valueOf(ex.getMessage());
		if (ex instanceof NoSuchFileException || reason.equals("Not a directory")) {
			return missing();
		}
		if (reason.contains("symbolic link")) {
			return new Problem("its symbolic links lead in a circle", "Point the link to the file");
		}
		return new Problem(
				"it cannot be read: " + ((ex instanceof AccessDeniedException) ? "access is denied" : reason),
				"Give the user that runs the application ('%s') read access to the file and to the folders above it"
					.formatted(System.getProperty("user.name")));
	}

	private static Problem missing() {
		return new Problem("it does not exist", "Create the file or correct '%s'");
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof FileContent content && Arrays.equals(this.bytes, content.bytes)
				&& Objects.equals(reason(), content.reason());
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.bytes);
	}

	private @Nullable String reason() {
		return (this.problem != null) ? this.problem.reason : null;
	}

	/**
	 * Why a file has no content, and what to do about it, with {@code %s} for the
	 * property.
	 */
	@SuppressWarnings("serial")
	static final class Problem extends IOException {

		private final String reason;

		private final String action;

		Problem(String reason, String action) {
			super(reason);
			this.reason = reason;
			this.action = action;
		}

		CertificateFileException of(String property, @Nullable String shown) {
			return new CertificateFileException(property, shown, this.reason, this.action.replace("%s", property),
					null);
		}

	}

}
