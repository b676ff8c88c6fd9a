// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.ReloadableFiles;
import io.github.tomcatopenssl.host.SessionTicketKey;
import io.github.tomcatopenssl.host.SessionTicketKeys;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ResourceLoader;

/**
 * The keys in {@code server.ssl.session-ticket-key-files}. The first key encrypts session
 * tickets, and all keys decrypt them. The files are read when the first connector needs
 * the keys, and again when the files change.
 */
class SessionTicketKeyFiles extends ReloadableFiles<SessionTicketKeyFiles.Content> {

	private static final String PROPERTY = ServerSslProperty.SESSION_TICKET_KEY_FILES.toString();

	private static final Log logger = LogFactory.getLog(SessionTicketKeyFiles.class);

	private final List<String> files;

	private final ResourceLoader resourceLoader;

	private final Consumer<ReloadableFiles<?>> poller;

	private final AtomicBoolean reported = new AtomicBoolean();

	private @Nullable SessionTicketKeys keys;

	/**
	 * Create a new instance.
	 * @param files the file paths or resource locations of the keys, the key that
	 * encrypts first; empty for OpenSSL's own keys
	 * @param resourceLoader finds the files
	 * @param poller receives this instance as soon as it has keys
	 */
	SessionTicketKeyFiles(List<String> files, ResourceLoader resourceLoader, Consumer<ReloadableFiles<?>> poller) {
		super("session-ticket-keys", null,
				"The session ticket keys were not replaced, and the previous keys stay in use",
				"The session ticket key files match the keys in use again", Clock.systemUTC());
		this.files = List.copyOf(files);
		this.resourceLoader = resourceLoader;
		this.poller = poller;
	}

	/**
	 * Return the keys for the virtual hosts of an engine.
	 * @param openSsl whether the engine is OpenSSL; otherwise it is JSSE, which cannot be
	 * given keys
	 * @return the keys, or {@code null} for the engine's own
	 * @throws CertificateFileException if a file cannot be used
	 */
	@Nullable SessionTicketKeys of(boolean openSsl) {
		if (this.files.isEmpty()) {
			return null;
		}
		if (!openSsl) {
			if (this.reported.compareAndSet(false, true)) {
				logger.warn("'" + PROPERTY
						+ "' has no effect on JSSE, which serves TLS: its session ticket keys cannot be set. Serve TLS with OpenSSL, or remove the property");
			}
			return null;
		}
		return load();
	}

	private synchronized SessionTicketKeys load() {
		SessionTicketKeys keys = this.keys;
		if (keys == null) {
			Content content = read();
			keys = new SessionTicketKeys(content.require());
			this.keys = keys;
			started(content);
			this.poller.accept(this);
		}
		return keys;
	}

	@Override
	protected Content read() {
		List<SessionTicketKey> keys = new ArrayList<>();
		try {
			for (int i = 0; i < this.files.size(); i++) {
				keys.add(new SessionTicketKeyFile("%s[%d]".formatted(PROPERTY, i), this.files.get(i))
					.read(this.resourceLoader));
			}
			return new Content(List.copyOf(keys), null);
		}
		catch (CertificateFileException ex) {
			return new Content(List.of(), ex);
		}
	}

	@Override
	protected Runnable validate(Content content) {
		List<SessionTicketKey> replacement = content.require();
		return () -> {
			load().replace(replacement);
			logger.info("The session ticket keys were replaced");
		};
	}

	@Override
	protected CertificateFileException failure(Throwable ex, boolean byConsumer) {
		return new CertificateFileException(PROPERTY, null, "Tomcat cannot use the keys: " + ex.getMessage(),
				"See Tomcat's log messages. The keys are tried again automatically", ex);
	}

	/**
	 * The content of the files.
	 *
	 * @param keys the keys
	 * @param problem why the files cannot be used, or {@code null}
	 */
	record Content(List<SessionTicketKey> keys, @Nullable CertificateFileException problem) {

		private List<SessionTicketKey> require() {
			if (this.problem != null) {
				throw this.problem;
			}
			return this.keys;
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Content content && this.keys.equals(content.keys)
					&& String.valueOf(this.problem).equals(String.valueOf(content.problem));
		}

		@Override
		public int hashCode() {
			return this.keys.hashCode();
		}

	}

}
