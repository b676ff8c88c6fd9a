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

package io.github.tomcatopenssl.certificate;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/**
 * The file that a property names: loads it, and says what is wrong with it.
 *
 * @param property the property
 * @param location the file, as it is shown
 * @param resource the file
 */
record PemSource(String property, String location, Resource resource) {

	/**
	 * More than a bundle of all public CAs needs.
	 */
	private static final int MAX_SIZE = 4 * 1024 * 1024;

	/**
	 * Return the file that a property names.
	 * @param property the property
	 * @param location a file path or a resource location
	 * @param resourceLoader loads the file
	 * @return the file, which may not exist
	 * @throws CertificateFileException if the location is not one
	 */
	static PemSource of(String property, String location, ResourceLoader resourceLoader) {
		if (location.isBlank()) {
			throw new CertificateFileException(property, null, "it is empty",
					"Set it to a PEM file, or remove it. TLS is turned off by 'server.ssl.enabled: false'", null);
		}
		if (location.contains("-----BEGIN")) {
			throw new CertificateFileException(property, null, "it holds PEM content, and should name a file",
					"Write the content into a file and set '%s' to the file".formatted(property), null);
		}
		Resource resource = resourceLoader.getResource(location);
		return new PemSource(property, describe(resource, location), resource);
	}

	private static String describe(Resource resource, String location) {
		if (isContent(location)) {
			return "base64:...";
		}
		try {
			return resource.isFile() ? resource.getFile().getAbsolutePath() : location;
		}
		catch (IOException ex) {
			return location;
		}
	}

	/**
	 * Whether a location is content itself, which must not be shown.
	 * @param location a file path or a resource location
	 * @return whether it is
	 */
	static boolean isContent(String location) {
		return location.contains("-----BEGIN") || location.regionMatches(true, 0, "base64:", 0, "base64:".length());
	}

	CertificateFileException failure(String reason, String action) {
		return failure(reason, action, null);
	}

	CertificateFileException failure(String reason, String action, @Nullable Throwable cause) {
		return new CertificateFileException(this.property, this.location, reason, action, cause);
	}

	byte[] load() {
		try {
			if (this.resource.isFile()) {
				requireRegularFile(this.resource.getFilePath());
				return load(Files.newInputStream(this.resource.getFilePath()));
			}
			if (!this.resource.exists()) {
				throw missing();
			}
			return load(this.resource.getInputStream());
		}
		catch (NoSuchFileException ex) {
			throw missing();
		}
		catch (AccessDeniedException ex) {
			throw unreadable("access is denied", ex);
		}
		catch (FileSystemException ex) {
			throw failure(String.valueOf(ex.getReason()), ex);
		}
		catch (IOException ex) {
			throw unreadable(String.valueOf(ex.getMessage()), ex);
		}
	}

	private byte[] load(InputStream content) throws IOException {
		try (content) {
			byte[] bytes = content.readNBytes(MAX_SIZE + 1);
			requireSize(bytes.length);
			return bytes;
		}
	}

	// Reading anything else may never end
	private void requireRegularFile(Path file) throws IOException {
		BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
		if (attributes.isDirectory()) {
			throw failure("it is a folder", "Set '%s' to a file in it".formatted(this.property));
		}
		if (!attributes.isRegularFile()) {
			throw failure("it is not a regular file", "Set '%s' to a PEM file".formatted(this.property));
		}
	}

	private void requireSize(int length) {
		if (length == 0) {
			throw failure("it is empty", "Write the PEM content into the file");
		}
		if (length > MAX_SIZE) {
			throw failure("it is larger than 4 MiB, which no PEM file of certificates is",
					"Correct '%s'".formatted(this.property));
		}
	}

	// The words of the operating system where Java has no exception of its own
	private CertificateFileException failure(String reason, FileSystemException cause) {
		if (reason.contains("symbolic link")) {
			return failure("its symbolic links lead in a circle", "Point the link to the file", cause);
		}
		return reason.equals("Not a directory") ? missing() : unreadable(reason, cause);
	}

	private CertificateFileException missing() {
		return failure("it does not exist", "Create the file or correct '%s'".formatted(this.property));
	}

	private CertificateFileException unreadable(String reason, IOException cause) {
		return failure("it cannot be read: " + reason,
				"Give the user that runs the application ('%s') read access to the file and to the folders above it"
					.formatted(System.getProperty("user.name")),
				cause);
	}

}
