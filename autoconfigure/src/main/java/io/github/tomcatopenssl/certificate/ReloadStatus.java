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

	/**
	 * The files are used for the first time. Certificates that are not valid are used all
	 * the same, since there are no others.
	 * @param content what the files contain
	 * @param now the time
	 */
	void started(HostFiles.Content content, Instant now) {
		for (CertificateFileException problem : this.host.validityProblems(content, now)) {
			logger.warn(problem.getMessage() + ". " + problem.getAction());
		}
		warnOfMissingRevocationLists(content);
	}

	void reloaded(HostFiles.Content content, Instant now) {
		X509Certificate leaf = content.leaf();
		set(this.status.succeeded() + 1, this.status.failed(), now, null);
		logger.info("SSL bundle '%s' was reloaded: the certificate '%s' in '%s' is valid until %s".formatted(
				this.host.bundleName(), leaf.getSubjectX500Principal().getName(), this.host.file(),
				leaf.getNotAfter().toInstant()));
		warnOfMissingRevocationLists(content);
	}

	private void warnOfMissingRevocationLists(HostFiles.Content content) {
		if (this.host.serverName() == null) {
			for (String ca : content.trust().withoutRevocationList()) {
				logger.warn(
						"'server.ssl.certificate-revocation-list-file' ('%s'): it has no list of the CA '%s', all of whose clients are refused. Add the list of that CA"
							.formatted(this.host.trust().certificateRevocationListFile(), ca));
			}
		}
	}

	/**
	 * The files are not used.
	 * @param ex why
	 * @param first whether they were not refused before
	 */
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
