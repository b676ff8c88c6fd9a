// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.CertificateReloads.Status;
import io.github.tomcatopenssl.certificate.CertificateWatcher.Watched;
import io.github.tomcatopenssl.tomcat.ticket.SessionTicketKey;
import io.github.tomcatopenssl.tomcat.ticket.SessionTicketKeys;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ResourceLoader;

/**
 * The keys of {@code server.ssl.session-ticket-key-files}: the first encrypts session
 * tickets, all decrypt them. Read when the first connector needs them, and again when the
 * files change.
 */
class SessionTicketKeyFiles implements Watched {

	static final String PROPERTY = "server.ssl.session-ticket-key-files";

	private static final String NAME = "session-ticket-keys";

	private static final Log logger = LogFactory.getLog(SessionTicketKeyFiles.class);

	private final List<String> files;

	private final ResourceLoader resourceLoader;

	private final Consumer<Watched> watcher;

	private final AtomicBoolean reported = new AtomicBoolean();

	private @Nullable SessionTicketKeys keys;

	private volatile Status status = new Status(NAME, null, 0, 0, null, null);

	private @Nullable Outcome lastSeen;

	/**
	 * Create a new instance.
	 * @param files the files, file paths or resource locations, the one that encrypts
	 * first; empty for OpenSSL's own keys
	 * @param resourceLoader finds the files
	 * @param watcher is given what is to be watched, once there is something
	 */
	SessionTicketKeyFiles(List<String> files, ResourceLoader resourceLoader, Consumer<Watched> watcher) {
		this.files = List.copyOf(files);
		this.resourceLoader = resourceLoader;
		this.watcher = watcher;
	}

	/**
	 * Return the keys for the virtual hosts of an engine.
	 * @param openSsl whether it is OpenSSL; JSSE otherwise, which cannot be given keys
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
						+ "' has no effect on JSSE, which serves TLS and cannot be given the keys of its session tickets. Have OpenSSL serve, or remove the property");
			}
			return null;
		}
		return load();
	}

	private synchronized SessionTicketKeys load() {
		SessionTicketKeys keys = this.keys;
		if (keys == null) {
			Outcome outcome = read();
			if (outcome.problem() != null) {
				throw outcome.problem();
			}
			keys = new SessionTicketKeys(outcome.keys());
			this.keys = keys;
			this.lastSeen = outcome;
			this.watcher.accept(this);
		}
		return keys;
	}

	@Override
	public Status status() {
		return this.status;
	}

	// Only what has stayed the same since the look before: a file may be half written
	@Override
	public synchronized void look() {
		Outcome outcome = read();
		boolean settled = outcome.isSame(this.lastSeen);
		this.lastSeen = outcome;
		if (!settled) {
			return;
		}
		if (outcome.problem() != null) {
			refused(outcome.problem());
		}
		else if (!outcome.keys().equals(load().keys())) {
			use(outcome.keys());
		}
		else if (this.status.problem() != null) {
			set(0, 0, null);
			logger.info("The session ticket keys are again those that are in use");
		}
	}

	private void use(List<SessionTicketKey> replacement) {
		try {
			load().replace(replacement);
		}
		catch (RuntimeException ex) {
			logger.debug("The session ticket keys were refused", ex);
			refused(new CertificateFileException(PROPERTY, null, "Tomcat cannot use the keys: " + ex.getMessage(),
					"It is tried again. See Tomcat's log messages", ex));
			return;
		}
		set(1, 0, null);
		logger.info("The session ticket keys were replaced");
	}

	private void refused(CertificateFileException ex) {
		String problem = "The session ticket keys were not replaced, those before stay in use. " + ex.getMessage()
				+ ". " + ex.getAction();
		if (!problem.equals(this.status.problem())) {
			set(0, 1, problem);
			logger.warn(problem);
		}
	}

	private void set(int succeeded, int failed, @Nullable String problem) {
		this.status = new Status(NAME, null, this.status.succeeded() + succeeded, this.status.failed() + failed,
				(succeeded > 0) ? Instant.now() : this.status.lastSuccess(), problem);
	}

	private Outcome read() {
		List<SessionTicketKey> keys = new ArrayList<>();
		try {
			for (int i = 0; i < this.files.size(); i++) {
				keys.add(new SessionTicketKeyFile("%s[%d]".formatted(PROPERTY, i), this.files.get(i))
					.read(this.resourceLoader));
			}
			return new Outcome(List.copyOf(keys), null);
		}
		catch (CertificateFileException ex) {
			return new Outcome(List.of(), ex);
		}
	}

	// What the files were found to be
	private record Outcome(List<SessionTicketKey> keys, @Nullable CertificateFileException problem) {

		boolean isSame(@Nullable Outcome other) {
			return other != null && this.keys.equals(other.keys) && Objects.equals(message(), other.message());
		}

		private @Nullable String message() {
			return (this.problem != null) ? this.problem.getMessage() : null;
		}

	}

}
