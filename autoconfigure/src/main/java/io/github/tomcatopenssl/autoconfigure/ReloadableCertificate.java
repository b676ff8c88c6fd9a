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

	private @Nullable SslBundle loaded;

	private long seenAt;

	private long triedAt;

	private volatile CertificateReloads.Status status;

	ReloadableCertificate(ServerCertificate certificate, ServerCertificateBundles bundles,
			ResourceLoader resourceLoader, Clock clock) {
		this.certificate = certificate;
		this.bundles = bundles;
		this.resourceLoader = resourceLoader;
		this.clock = clock;
		this.used = read();
		this.seen = this.used;
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
		if (this.certificate.serverName() == null) {
			for (String ca : content.trust().withoutRevocationList()) {
				logger.warn(
						"'server.ssl.certificate-revocation-list-file' ('%s'): it has no list of the CA '%s', all of whose clients are refused. Add the list of that CA"
							.formatted(this.certificate.trust().certificateRevocationListFile(), ca));
			}
		}
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
		if (!contents.equals(this.seen)) {
			this.seen = contents;
			this.seenAt = now;
			return;
		}
		if (contents.equals(this.used)) {
			checkRevocationLists(now);
			return;
		}
		boolean waiting = now - this.seenAt < QUIET_PERIOD.toNanos();
		boolean alreadyRefused = contents.equals(this.refused) && now - this.triedAt < RETRY_PERIOD.toNanos();
		if (waiting || alreadyRefused) {
			return;
		}
		this.triedAt = now;
		try {
			reload(registry, contents);
		}
		catch (CertificateFileException ex) {
			if (now - this.seenAt >= GRACE_PERIOD.toNanos()) {
				this.refused = contents;
				report("SSL bundle '%s' was not reloaded, what was loaded before stays in use. "
					.formatted(this.certificate.bundleName()), ex);
			}
		}
	}

	private void reload(SslBundleRegistry registry, FileContents contents) {
		Instant now = this.clock.instant();
		ServerCertificate.Content content = this.certificate.load(this.resourceLoader, now);
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
		this.status = new CertificateReloads.Status(this.status.bundle(), this.status.serverName(),
				this.status.succeeded() + 1, this.status.failed(), now, null);
		logger.info("SSL bundle '%s' was reloaded: the certificate '%s' in '%s' is valid until %s".formatted(
				this.certificate.bundleName(), content.leaf().getSubjectX500Principal().getName(),
				this.certificate.file(), content.leaf().getNotAfter().toInstant()));
	}

	private void update(SslBundleRegistry registry, SslBundle bundle) {
		try {
			registry.updateBundle(this.certificate.bundleName(), bundle);
			this.loaded = bundle;
		}
		catch (RuntimeException ex) {
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
			report("Clients are refused. ", ex);
		}
	}

	private void report(String consequence, CertificateFileException ex) {
		String problem = ex.getMessage() + ". " + ex.getAction();
		if (problem.equals(this.status.problem())) {
			return;
		}
		this.status = new CertificateReloads.Status(this.status.bundle(), this.status.serverName(),
				this.status.succeeded(), this.status.failed() + 1, this.status.lastSuccess(), problem);
		if (this.certificate.isOwn(ex.getProperty())) {
			logger.warn(consequence + problem);
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
