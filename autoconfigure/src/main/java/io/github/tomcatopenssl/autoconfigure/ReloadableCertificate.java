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

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.CertificateReloads;
import io.github.tomcatopenssl.certificate.PemTrustFiles;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ResourceLoader;

/**
 * The certificate of a host, which is loaded anew when its files change. New files are
 * checked as a whole before they are used, and what was loaded before stays in use when
 * they cannot be.
 */
class ReloadableCertificate {

	private static final Log logger = LogFactory.getLog(ReloadableCertificate.class);

	/**
	 * How long the files have to stay the same before they are loaded, as a file may be
	 * half written and yet complete as PEM.
	 */
	static final Duration QUIET_PERIOD = Duration.ofSeconds(2);

	/**
	 * How long files that never stop changing are waited for, from the first change that
	 * is seen: with the second until then, at most ten.
	 */
	static final Duration LONGEST_WAIT = Duration.ofSeconds(9);

	/**
	 * How long files that cannot be used are waited for: the second one of a pair may not
	 * be written yet.
	 */
	static final Duration GRACE_PERIOD = Duration.ofSeconds(6);

	/**
	 * How often files that cannot be used are tried again, as a certificate becomes valid
	 * without being changed.
	 */
	static final Duration RETRY_PERIOD = Duration.ofSeconds(10);

	private final ServerCertificate certificate;

	private final ServerCertificateBundles bundles;

	private final ResourceLoader resourceLoader;

	private final Clock clock;

	private FileContents used;

	private FileContents seen;

	private @Nullable FileContents refused;

	private boolean refusedByServer;

	private @Nullable SslBundle loaded;

	private Instant revocationListsLoadedAt;

	private long seenAt;

	private boolean settled = true;

	private long changingSince;

	private boolean refusedWhileChanging;

	private long triedAt = System.nanoTime() - RETRY_PERIOD.toNanos();

	private volatile CertificateReloads.Status status;

	ReloadableCertificate(ServerCertificate certificate, ServerCertificateBundles bundles,
			ResourceLoader resourceLoader, Clock clock) {
		this.certificate = certificate;
		this.bundles = bundles;
		this.resourceLoader = resourceLoader;
		this.clock = clock;
		this.used = read();
		this.seen = this.used;
		this.revocationListsLoadedAt = clock.instant();
		this.status = new CertificateReloads.Status(certificate.bundleName(), certificate.serverName(), 0, 0, null,
				null);
	}

	ServerCertificate certificate() {
		return this.certificate;
	}

	CertificateReloads.Status status() {
		return this.status;
	}

	boolean isWatchable() {
		return !this.used.isEmpty();
	}

	/**
	 * Load the files for the first time. Certificates that are not valid are used all the
	 * same, since there are no others.
	 * @return the bundle
	 * @throws CertificateFileException if the files cannot be used
	 */
	SslBundle load() {
		ServerCertificate.Content content = this.certificate.load(this.resourceLoader, this.clock.instant());
		for (CertificateFileException problem : this.certificate.validityProblems(content, this.clock.instant())) {
			logger.warn(problem.getMessage() + ". " + problem.getAction());
		}
		warnOfMissingRevocationLists(content);
		this.loaded = this.bundles.create(this.certificate, content);
		return this.loaded;
	}

	/**
	 * Look whether the files have changed, and use them if they have and can be used.
	 * @param registry the registry of the bundle
	 * @param now the time in nanoseconds, as {@link System#nanoTime()} has it
	 */
	void check(SslBundleRegistry registry, long now) {
		FileContents contents = read();
		boolean changed = !contents.equals(this.seen);
		if (changed) {
			changed(contents, now);
		}
		this.settled = this.settled || now - this.seenAt >= QUIET_PERIOD.toNanos();
		if (contents.equals(this.used)) {
			if (!changed) {
				checkRevocationLists(now);
			}
			return;
		}
		boolean due = this.settled || now - this.changingSince >= LONGEST_WAIT.toNanos();
		if (!due || isRefused(contents, now)) {
			return;
		}
		this.triedAt = now;
		try {
			reload(registry, contents);
		}
		catch (CertificateFileException ex) {
			if (this.refusedByServer) {
				this.changingSince = now;
			}
			if (!this.settled || now - this.seenAt >= GRACE_PERIOD.toNanos() || this.refusedByServer) {
				refuse(contents, ex);
			}
		}
		catch (RuntimeException ex) {
			logger.debug("SSL bundle '%s' cannot be made".formatted(this.certificate.bundleName()), ex);
			refuse(contents,
					this.certificate.failure(
							"the SSL bundle cannot be made of it: " + NestedExceptionUtils.getMostSpecificCause(ex),
							"Correct the properties and files of 'server.ssl'", ex));
		}
	}

	private void changed(FileContents contents, long now) {
		if (this.settled) {
			startWaiting(now);
		}
		this.seen = contents;
		this.seenAt = now;
	}

	private void startWaiting(long now) {
		this.settled = false;
		this.changingSince = now;
		this.refusedWhileChanging = false;
	}

	// What the server refuses it goes on refusing, and each try costs the sessions
	private boolean isRefused(FileContents contents, long now) {
		return contents.equals(this.refused) && (this.refusedByServer || now - this.triedAt < RETRY_PERIOD.toNanos());
	}

	private void reload(SslBundleRegistry registry, FileContents contents) {
		Instant now = this.clock.instant();
		this.refusedByServer = false;
		// Revocation lists that have run out in use must not keep a new certificate out
		Instant listsAt = hasSameRevocationLists(contents) ? this.revocationListsLoadedAt : now;
		ServerCertificate.Content content = this.certificate.load(this.resourceLoader, listsAt);
		List<CertificateFileException> problems = this.certificate.validityProblems(content, now);
		if (!problems.isEmpty()) {
			throw problems.get(0);
		}
		if (!read().equals(contents)) {
			// Changed while they were loaded: what was loaded may be of both
			return;
		}
		update(registry, this.bundles.create(this.certificate, content));
		this.used = contents;
		this.settled = true;
		this.revocationListsLoadedAt = listsAt;
		this.status = new CertificateReloads.Status(this.status.bundle(), this.status.serverName(),
				this.status.succeeded() + 1, this.status.failed(), now, null);
		logger.info("SSL bundle '%s' was reloaded: the certificate '%s' in '%s' is valid until %s".formatted(
				this.certificate.bundleName(), content.leaf().getSubjectX500Principal().getName(),
				this.certificate.file(), content.leaf().getNotAfter().toInstant()));
		warnOfMissingRevocationLists(content);
	}

	private boolean hasSameRevocationLists(FileContents contents) {
		String location = this.certificate.trust().certificateRevocationListFile();
		try {
			return location != null && contents
				.isSame(this.resourceLoader.getResource(location).getFile().toPath().toAbsolutePath(), this.used);
		}
		catch (IOException ex) {
			return false;
		}
	}

	private void warnOfMissingRevocationLists(ServerCertificate.Content content) {
		if (this.certificate.serverName() == null) {
			for (String ca : content.trust().withoutRevocationList()) {
				logger.warn(
						"'server.ssl.certificate-revocation-list-file' ('%s'): it has no list of the CA '%s', all of whose clients are refused. Add the list of that CA"
							.formatted(this.certificate.trust().certificateRevocationListFile(), ca));
			}
		}
	}

	private void update(SslBundleRegistry registry, SslBundle bundle) {
		try {
			registry.updateBundle(this.certificate.bundleName(), bundle);
			this.loaded = bundle;
		}
		catch (RuntimeException ex) {
			this.refusedByServer = true;
			try {
				registry.updateBundle(this.certificate.bundleName(), Objects.requireNonNull(this.loaded));
			}
			catch (RuntimeException rollbackFailure) {
				ex.addSuppressed(rollbackFailure);
			}
			logger.debug("SSL bundle '%s' was refused".formatted(this.certificate.bundleName()), ex);
			throw this.certificate.failure(
					"the web server refuses it: " + NestedExceptionUtils.getMostSpecificCause(ex).getMessage(),
					"Use a certificate and a key that the TLS engine supports", ex);
		}
	}

	// One that was in force when it was loaded runs out without being changed
	private void checkRevocationLists(long now) {
		if (this.certificate.trust().certificateRevocationListFile() == null) {
			recover();
			return;
		}
		if (now - this.triedAt < RETRY_PERIOD.toNanos()) {
			return;
		}
		this.triedAt = now;
		try {
			PemTrustFiles.load(this.certificate.trust(), this.resourceLoader, this.clock.instant());
			recover();
		}
		catch (CertificateFileException ex) {
			report("Java refuses clients without a revocation list in force. ", ex, this.status.failed());
		}
	}

	private void refuse(FileContents contents, CertificateFileException ex) {
		if (!this.settled) {
			if (this.refusedWhileChanging) {
				return;
			}
			this.refusedWhileChanging = true;
		}
		boolean again = contents.equals(this.refused);
		this.refused = contents;
		report("SSL bundle '%s' was not reloaded, what was loaded before stays in use. "
			.formatted(this.certificate.bundleName()), ex, this.status.failed() + (again ? 0 : 1));
	}

	private void report(String consequence, CertificateFileException ex, long failed) {
		String problem = consequence + ex.getMessage() + ". " + ex.getAction();
		boolean same = problem.equals(this.status.problem());
		this.status = new CertificateReloads.Status(this.status.bundle(), this.status.serverName(),
				this.status.succeeded(), failed, this.status.lastSuccess(), problem);
		if (!same && this.certificate.isOwn(ex.getProperty())) {
			logger.warn(problem);
		}
	}

	private void recover() {
		if (this.status.problem() != null) {
			this.status = new CertificateReloads.Status(this.status.bundle(), this.status.serverName(),
					this.status.succeeded(), this.status.failed(), this.status.lastSuccess(), null);
			logger.info("The files of SSL bundle '%s' are again those that are in use"
				.formatted(this.certificate.bundleName()));
		}
	}

	private FileContents read() {
		return FileContents.read(this.certificate.locations(), this.resourceLoader);
	}

}
