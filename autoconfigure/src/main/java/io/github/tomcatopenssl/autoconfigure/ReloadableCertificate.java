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
import io.github.tomcatopenssl.certificate.FileSnapshot;
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

	private static final Duration REVOCATION_PERIOD = Duration.ofSeconds(10);

	private final ServerCertificate certificate;

	private final ServerCertificateBundles bundles;

	private final ResourceLoader resourceLoader;

	private final Clock clock;

	private @Nullable FileSnapshot used;

	private HostState state = new HostState.InUse();

	private @Nullable SslBundle loaded;

	private PemTrustFiles trust = new PemTrustFiles(List.of(), List.of());

	private Instant revocationListsLoadedAt;

	private long revocationListsCheckedAt = System.nanoTime() - REVOCATION_PERIOD.toNanos();

	private final ReloadStatus status;

	ReloadableCertificate(ServerCertificate certificate, ServerCertificateBundles bundles,
			ResourceLoader resourceLoader, Clock clock) {
		this.certificate = certificate;
		this.bundles = bundles;
		this.resourceLoader = resourceLoader;
		this.clock = clock;
		this.revocationListsLoadedAt = clock.instant();
		this.status = new ReloadStatus(certificate);
	}

	ServerCertificate certificate() {
		return this.certificate;
	}

	CertificateReloads.Status status() {
		return this.status.get();
	}

	boolean hasRevocationLists() {
		return !this.trust.revocationLists().isEmpty();
	}

	/**
	 * Use the files for the first time. Certificates that are not valid are used all the
	 * same, since there are no others.
	 * @param files what the files contain
	 * @return the bundle
	 * @throws CertificateFileException if the files cannot be used
	 */
	SslBundle start(FileSnapshot files) {
		ServerCertificate.Content content = this.certificate.parse(files, this.clock.instant());
		for (CertificateFileException problem : this.certificate.validityProblems(content, this.clock.instant())) {
			logger.warn(problem.getMessage() + ". " + problem.getAction());
		}
		warnOfMissingRevocationLists(content);
		this.used = files.of(this.certificate.locations());
		this.trust = content.trust();
		this.loaded = this.bundles.create(this.certificate, content);
		return this.loaded;
	}

	/**
	 * Look whether the files have changed, and use them if they have and can be used.
	 * @param registry the registry of the bundle
	 * @param files what the files contain
	 * @param now the time in nanoseconds, as {@link System#nanoTime()} has it
	 */
	void check(SslBundleRegistry registry, FileSnapshot files, long now) {
		FileSnapshot contents = files.of(this.certificate.locations());
		this.state = look(contents, now);
		if (this.state instanceof HostState.InUse) {
			checkRevocationLists(now, true);
		}
		else if (!contents.equals(this.used) && isDue(now)) {
			this.revocationListsCheckedAt = now;
			this.state = use(registry, contents, now);
		}
	}

	private HostState look(FileSnapshot contents, long now) {
		if (this.state instanceof HostState.Changed changed) {
			HostState.Changed seen = changed.look(contents, now);
			return (contents.equals(this.used) && seen.isSettled(now)) ? new HostState.InUse() : seen;
		}
		FileSnapshot known = (this.state instanceof HostState.Refused refused) ? refused.contents() : this.used;
		return contents.equals(known) ? this.state : HostState.Changed.now(contents, now);
	}

	private boolean isDue(long now) {
		return (this.state instanceof HostState.Changed changed) ? changed.isDue(now)
				: this.state instanceof HostState.Refused refused && now - refused.nextTry() >= 0;
	}

	private HostState use(SslBundleRegistry registry, FileSnapshot contents, long now) {
		try {
			return reload(registry, contents) ? new HostState.InUse() : this.state;
		}
		catch (CertificateFileException ex) {
			return refuse(contents, ex, now);
		}
		catch (RuntimeException ex) {
			logger.debug("SSL bundle '%s' cannot be made".formatted(this.certificate.bundleName()), ex);
			return refuse(contents,
					this.certificate.failure(
							"the SSL bundle cannot be made of it: " + NestedExceptionUtils.getMostSpecificCause(ex),
							"Correct the properties and files of 'server.ssl'", ex),
					now);
		}
	}

	private HostState refuse(FileSnapshot contents, CertificateFileException ex, long now) {
		boolean byConsumer = ex instanceof RefusedByConsumerException;
		boolean first = true;
		if (this.state instanceof HostState.Changed changed) {
			first = !changed.refused();
			if (!changed.isSettled(now)) {
				if (first) {
					this.status.refused(ex, true);
				}
				return new HostState.Changed(contents, byConsumer ? now : changed.first(), changed.last(), true);
			}
			if (!byConsumer && !changed.isGraceOver(now)) {
				return changed;
			}
		}
		this.status.refused(ex, first && !(this.state instanceof HostState.Refused));
		return byConsumer ? HostState.Refused.byConsumer(contents, now, this.state)
				: HostState.Refused.itself(contents, now);
	}

	private boolean reload(SslBundleRegistry registry, FileSnapshot contents) {
		Instant now = this.clock.instant();
		// Revocation lists that have run out in use must not keep a new certificate out
		Instant listsAt = hasSameRevocationLists(contents) ? this.revocationListsLoadedAt : now;
		ServerCertificate.Content content = this.certificate.parse(contents, listsAt);
		List<CertificateFileException> problems = this.certificate.validityProblems(content, now);
		if (!problems.isEmpty()) {
			throw problems.get(0);
		}
		if (!FileSnapshot.read(this.certificate.locations(), this.resourceLoader).equals(contents)) {
			// Changed since: what was read one after another may be of both
			return false;
		}
		update(registry, this.bundles.create(this.certificate, content));
		this.used = contents;
		this.trust = content.trust();
		this.revocationListsLoadedAt = listsAt;
		this.status.reloaded(content.leaf(), now);
		warnOfMissingRevocationLists(content);
		return true;
	}

	private boolean hasSameRevocationLists(FileSnapshot contents) {
		String location = this.certificate.trust().certificateRevocationListFile();
		return location != null && this.used != null && contents.isSame(location, this.used);
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
		catch (Throwable ex) {
			try {
				registry.updateBundle(this.certificate.bundleName(), Objects.requireNonNull(this.loaded));
			}
			catch (Throwable rollbackFailure) {
				ex.addSuppressed(rollbackFailure);
			}
			logger.debug("SSL bundle '%s' was refused".formatted(this.certificate.bundleName()), ex);
			throw new RefusedByConsumerException(this.certificate, ex);
		}
	}

	/**
	 * Look whether the revocation lists in use have run out, which they do without being
	 * changed.
	 * @param now the time in nanoseconds, as {@link System#nanoTime()} has it
	 * @param reloadOnUpdate whether the files are used when they change
	 */
	void checkRevocationLists(long now, boolean reloadOnUpdate) {
		if (hasRevocationLists() && now - this.revocationListsCheckedAt < REVOCATION_PERIOD.toNanos()) {
			return;
		}
		this.revocationListsCheckedAt = now;
		try {
			this.trust.requireInForce(this.certificate.trust(), this.clock.instant());
			this.status.recovered();
		}
		catch (CertificateFileException ex) {
			this.status.revocationListRanOut(ex, reloadOnUpdate);
		}
	}

}
