// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.security.cert.X509Certificate;
import java.time.Instant;

import io.github.tomcatopenssl.certificate.CertificateReloads.Status;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Keeps and logs what became of the files of a host, each problem once.
 */
class ReloadStatus {

	private static final Log logger = LogFactory.getLog(ReloadStatus.class);

	private final HostFiles host;

	private volatile Status status;

	ReloadStatus(HostFiles host) {
		this.host = host;
		this.status = new Status(host.bundleName(), host.serverName(), 0, 0, null, null);
	}

	Status get() {
		return this.status;
	}

	// Certificates that are not valid are used all the same, since there are no others
	void started(HostFiles.Content content, Instant now) {
		content.validityProblems(now).forEach(ReloadStatus::warn);
		warnOfClients(content);
	}

	void reloaded(HostFiles.Content content, Instant now) {
		X509Certificate leaf = content.leaf();
		set(this.status.succeeded() + 1, this.status.failed(), now, null);
		logger.info(
				"SSL bundle '%s' was reloaded: the certificate '%s' in '%s' is valid until %s, from %s, serial number %x"
					.formatted(this.host.bundleName(), leaf.getSubjectX500Principal().getName(), this.host.file(),
							leaf.getNotAfter().toInstant(), leaf.getNotBefore().toInstant(), leaf.getSerialNumber()));
		warnOfClients(content);
	}

	// Those that refuse the certificate, or are refused
	private void warnOfClients(HostFiles.Content content) {
		content.certificates()
			.stream()
			.flatMap((files) -> files.staplingProblem().stream())
			.forEach(ReloadStatus::warn);
		if (this.host.serverName() == null) {
			for (String ca : content.trust().withoutRevocationList()) {
				logger.warn(
						"'server.ssl.certificate-revocation-list-file' ('%s'): it has no list of the CA '%s', all of whose clients are refused. Add the list of that CA"
							.formatted(this.host.trust().certificateRevocationListFile(), ca));
			}
		}
	}

	private static void warn(CertificateFileException problem) {
		logger.warn(problem.getMessage() + ". " + problem.getAction());
	}

	void refused(CertificateFileException ex, boolean first) {
		report("SSL bundle '%s' was not reloaded, what was loaded before stays in use. "
			.formatted(this.host.bundleName()), ex, this.status.failed() + (first ? 1 : 0));
	}

	void revocationListRanOut(CertificateFileException ex, boolean reloadOnUpdate) {
		report("Java refuses clients without a revocation list in force"
				+ (reloadOnUpdate ? ". " : ", restart the application with a current one. "), ex, this.status.failed());
	}

	private void report(String consequence, CertificateFileException ex, long failed) {
		String problem = consequence + ex.getMessage() + ". " + ex.getAction();
		boolean same = problem.equals(this.status.problem());
		set(this.status.succeeded(), failed, this.status.lastSuccess(), problem);
		if (!same && this.host.isOwn(ex.getProperty())) {
			logger.warn(problem);
		}
	}

	void recovered() {
		if (this.status.problem() != null) {
			set(this.status.succeeded(), this.status.failed(), this.status.lastSuccess(), null);
			logger
				.info("The files of SSL bundle '%s' are again those that are in use".formatted(this.host.bundleName()));
		}
	}

	private void set(long succeeded, long failed, @Nullable Instant lastSuccess, @Nullable String problem) {
		this.status = new Status(this.host.bundleName(), this.host.serverName(), succeeded, failed, lastSuccess,
				problem);
	}

}
