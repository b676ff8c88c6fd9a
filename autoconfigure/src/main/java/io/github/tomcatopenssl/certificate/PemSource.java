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
import java.nio.file.Files;

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
			if (!this.resource.exists()) {
				throw failure("it does not exist", "Create the file or correct '%s'".formatted(this.property));
			}
			if (this.resource.isFile()) {
				requireReadableFile();
			}
			try (InputStream in = this.resource.getInputStream()) {
				byte[] content = in.readNBytes(MAX_SIZE + 1);
				requireSize(content.length);
				return content;
			}
		}
		catch (IOException ex) {
			throw unreadable(ex);
		}
	}

	// Reading anything but a regular file may never end
	private void requireReadableFile() throws IOException {
		if (this.resource.getFile().isDirectory()) {
			throw failure("it is a folder", "Set '%s' to a file in it".formatted(this.property));
		}
		if (!Files.isRegularFile(this.resource.getFile().toPath())) {
			throw failure("it is not a regular file", "Set '%s' to a PEM file".formatted(this.property));
		}
		if (!this.resource.getFile().canRead()) {
			throw unreadable(null);
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

	private CertificateFileException unreadable(@Nullable IOException cause) {
		return failure("it cannot be read" + ((cause != null) ? ": " + cause.getMessage() : ""),
				"Give the user that runs the application ('%s') read access to the file and to the folders above it"
					.formatted(System.getProperty("user.name")),
				cause);
	}

}
