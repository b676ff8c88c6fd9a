// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.function.Consumer;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.certificate.FileFailure;
import io.github.tomcatopenssl.internal.certificate.PrivateFiles;
import io.github.tomcatopenssl.internal.certificate.ReloadableFiles;
import io.github.tomcatopenssl.internal.host.SessionTicketKey;
import io.github.tomcatopenssl.internal.host.SessionTicketKeys;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/**
 * The file in {@code server.ssl.session-ticket-key-file}. It is read again when it
 * changes. A file that all users can read or write is refused.
 */
class SessionTicketKeyFile extends SharedTicketKeys<SessionTicketKeyFile.Content> {

	private static final String PROPERTY = ServerSslProperty.SESSION_TICKET_KEY_FILE.toString();

	private static final byte[] NOTHING = {};

	private static final Messages MESSAGES = new Messages("The session ticket key was replaced",
			"The session ticket key was not replaced, and the previous key stays in use",
			"The session ticket key file again contains the key that is in use");

	private final String location;

	private final ResourceLoader resourceLoader;

	/**
	 * Create a new instance.
	 * @param location the file path or resource location of the key
	 * @param resourceLoader finds the file
	 * @param poller receives this instance as soon as it has a key
	 */
	SessionTicketKeyFile(String location, ResourceLoader resourceLoader, Consumer<ReloadableFiles<?>> poller) {
		super(ServerSslProperty.SESSION_TICKET_KEY_FILE, MESSAGES, Clock.systemUTC(), poller);
		this.location = location;
		this.resourceLoader = resourceLoader;
	}

	@Override
	protected Content read() {
		try {
			return new Content(read(this.location), null);
		}
		catch (TlsSettingException ex) {
			return new Content(NOTHING, ex);
		}
	}

	private byte[] read(String location) {
		Path file = path(location);
		try {
			requireSafe(location, file);
			try (InputStream in = Files.newInputStream(file)) {
				return in.readNBytes(SessionTicketKey.MAX_LENGTH + 1);
			}
		}
		catch (IOException ex) {
			FileFailure failure = FileFailure.of(file, PROPERTY, ex);
			throw failure(location, failure.reason(),
					failure.equals(FileFailure.absent(PROPERTY)) ? "Create it with '%s', or correct '%s'"
						.formatted(PrivateFiles.createRandom(file.toString(), 80), PROPERTY) : failure.action(),
					ex);
		}
	}

	private Path path(String location) {
		try {
			Resource resource = this.resourceLoader.getResource(location);
			if (!location.isBlank() && resource.isFile()) {
				return resource.getFilePath();
			}
		}
		catch (IOException | IllegalArgumentException ex) {
			// Not logged, because the location may be the key itself
		}
		throw failure(location, "it is not a file in the file system",
				"Set '%s' to a file that the application can read".formatted(PROPERTY), null);
	}

	// Reading anything but a regular file, such as a pipe, may never end
	private static void requireSafe(String location, Path file) throws IOException {
		if (Files.exists(file) && !Files.isRegularFile(file)) {
			throw failure(location, "it is not a regular file", "Set '%s' to a file".formatted(PROPERTY), null);
		}
		if (PrivateFiles.isOpenToOthers(file)) {
			throw failure(location, PrivateFiles.OPEN_TO_OTHERS, PrivateFiles.protect(file.toString()), null);
		}
	}

	@Override
	protected SessionTicketKeys keys(Content content) {
		if (content.problem() != null) {
			throw content.problem();
		}
		try {
			return SessionTicketKeys.of(SessionTicketKey.of(content.bytes()));
		}
		catch (IllegalArgumentException ex) {
			throw failure(this.location, String.valueOf(ex.getMessage()),
					"Create another file with '(umask 077 && openssl rand -out FILE 80)', and set '%s' to it"
						.formatted(PROPERTY),
					null);
		}
	}

	private static TlsSettingException failure(@Nullable String location, String reason, String action,
			@Nullable Throwable cause) {
		return new TlsSettingException(PROPERTY, location, reason, action, cause);
	}

	@Override
	protected TlsSettingException failure(Throwable ex, boolean byConsumer) {
		return failure(this.location, String.valueOf(ex.getMessage()), "See the log messages", ex);
	}

	/**
	 * The content of the file.
	 *
	 * @param bytes the content
	 * @param problem why there is no content, or {@code null}
	 */
	record Content(byte[] bytes, @Nullable TlsSettingException problem) {

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Content content && Arrays.equals(this.bytes, content.bytes)
					&& String.valueOf(this.problem).equals(String.valueOf(content.problem));
		}

		@Override
		public int hashCode() {
			return Arrays.hashCode(this.bytes);
		}

	}

}
