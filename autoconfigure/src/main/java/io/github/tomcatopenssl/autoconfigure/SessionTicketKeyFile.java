// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.PrivateFiles;
import io.github.tomcatopenssl.host.SessionTicketKey;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/**
 * A file with a session ticket key. Whoever reads the file can decrypt what TLS 1.2
 * clients have sent and will send. For this reason, a file that all users can read or
 * write is refused.
 *
 * @param property the property that names the file
 * @param location a file path or a resource location
 */
record SessionTicketKeyFile(String property, String location) {

	SessionTicketKey read(ResourceLoader resourceLoader) {
		Resource resource = resourceLoader.getResource(this.location);
		if (this.location.isBlank() || !resource.isFile()) {
			throw failure("it is not a file in the file system",
					"Set '%s' to a file that the application can read".formatted(this.property), null);
		}
		try {
			Path file = resource.getFilePath();
			requireSafe(file);
			byte[] content = content(file);
			if (!SessionTicketKey.isLength(content.length)) {
				throw failure(
						"it has %s bytes, but a key has 48 or 80".formatted(
								(content.length > SessionTicketKey.MAX_LENGTH) ? "more than 80" : content.length),
						"Create another file with 'openssl rand -out FILE 80', and set '%s' to it"
							.formatted(this.property),
						null);
			}
			return SessionTicketKey.of(content);
		}
		catch (NoSuchFileException ex) {
			throw failure("it does not exist",
					"Create it with 'openssl rand -out %s 80', or correct '%s'".formatted(this.location, this.property),
					ex);
		}
		catch (IOException ex) {
			throw failure(
					"it cannot be read: "
							+ ((ex instanceof AccessDeniedException) ? "access is denied" : ex.getMessage()),
					"Give the user that runs the application ('%s') read access to the file and to the folders above it"
						.formatted(System.getProperty("user.name")),
					ex);
		}
	}

	// Reading anything but a regular file, such as a pipe, may never end
	private void requireSafe(Path file) throws IOException {
		if (Files.exists(file) && !Files.isRegularFile(file)) {
			throw failure("it is not a regular file", "Set '%s' to a file".formatted(this.property), null);
		}
		if (PrivateFiles.isOpenToOthers(file)) {
			throw failure(PrivateFiles.OPEN_TO_OTHERS, PrivateFiles.protect(this.location), null);
		}
	}

	private static byte[] content(Path file) throws IOException {
		try (InputStream in = Files.newInputStream(file)) {
			return in.readNBytes(SessionTicketKey.MAX_LENGTH + 1);
		}
	}

	private CertificateFileException failure(String reason, String action, @Nullable Throwable cause) {
		return new CertificateFileException(this.property, this.location, reason, action, cause);
	}

}
