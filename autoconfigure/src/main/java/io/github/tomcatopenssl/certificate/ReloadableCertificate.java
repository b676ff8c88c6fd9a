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

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BiFunction;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

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

	private final HostFiles host;

	private final BiFunction<HostFiles, HostFiles.Content, SslBundle> bundles;

	private final ResourceLoader resourceLoader;

	private final Clock clock;

	private final ReloadStatus status;

	private Used used;

	private HostState state = new HostState.InUse();

	private long revocationListsCheckedAt = System.nanoTime() - REVOCATION_PERIOD.toNanos();

	ReloadableCertificate(HostFiles host, FileSnapshot files,
			BiFunction<HostFiles, HostFiles.Content, SslBundle> bundles, ResourceLoader resourceLoader, Clock clock) {
		this.host = host;
		this.bundles = bundles;
		this.resourceLoader = resourceLoader;
		this.clock = clock;
		this.status = new ReloadStatus(host);
		Instant now = clock.instant();
		HostFiles.Content content = host.parse(files, now);
		this.status.started(content, now);
		this.used = new Used(files.of(host.locations()), content, now, bundles.apply(host, content));
	}

	HostFiles host() {
		return this.host;
	}

	SslBundle bundle() {
		return this.used.bundle();
	}

	CertificateReloads.Status status() {
		return this.status.get();
	}

	boolean hasRevocationLists() {
		return !this.used.content().trust().revocationLists().isEmpty();
	}

	void check(SslBundleRegistry registry, FileSnapshot files, long now) {
		FileSnapshot contents = files.of(this.host.locations());
		this.state = this.state.look(contents, this.used.files(), now);
		if (this.state instanceof HostState.InUse) {
			checkRevocationLists(now, true);
		}
		else if (!contents.equals(this.used.files()) && this.state.isDue(now)) {
			this.revocationListsCheckedAt = now;
			this.state = use(registry, contents, now);
		}
	}

	private HostState use(SslBundleRegistry registry, FileSnapshot contents, long now) {
		try {
			return reload(registry, contents) ? new HostState.InUse() : this.state;
		}
		catch (CertificateFileException ex) {
			return refuse(contents, ex, now);
		}
		catch (RuntimeException ex) {
			logger.debug("SSL bundle '%s' cannot be made".formatted(this.host.bundleName()), ex);
			return refuse(contents,
					this.host.failure(
							"the SSL bundle cannot be made of it: " + NestedExceptionUtils.getMostSpecificCause(ex),
							"Correct the properties and files of 'server.ssl'", ex),
					now);
		}
	}

	private boolean reload(SslBundleRegistry registry, FileSnapshot contents) {
		Instant now = this.clock.instant();
		// Revocation lists that have run out in use must not keep a new certificate out
		Instant listsAt = this.host.hasSameRevocationLists(contents, this.used.files()) ? this.used.listsAt() : now;
		HostFiles.Content content = this.host.parse(contents, listsAt);
		this.host.requireValid(content, now);
		if (!FileSnapshot.read(this.host.locations(), this.resourceLoader).equals(contents)) {
			// Changed since: what was read one after another may be of both
			return false;
		}
		SslBundle bundle = this.bundles.apply(this.host, content);
		update(registry, bundle);
		this.used = new Used(contents, content, listsAt, bundle);
		this.status.reloaded(content, now);
		return true;
	}

	private void update(SslBundleRegistry registry, SslBundle bundle) {
		try {
			registry.updateBundle(this.host.bundleName(), bundle);
		}
		catch (Throwable ex) {
			try {
				registry.updateBundle(this.host.bundleName(), this.used.bundle());
			}
			catch (Throwable rollbackFailure) {
				ex.addSuppressed(rollbackFailure);
			}
			logger.debug("SSL bundle '%s' was refused".formatted(this.host.bundleName()), ex);
			throw new RefusedByConsumerException(this.host, ex);
		}
	}

	private HostState refuse(FileSnapshot contents, CertificateFileException ex, long now) {
		HostState next = this.state.refuse(contents, ex instanceof RefusedByConsumerException, now);
		boolean again = this.state.isReported();
		if (next != this.state && !(again && next instanceof HostState.Changed)) {
			this.status.refused(ex, !again);
		}
		return next;
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
			this.used.content().trust().requireInForce(this.host.trust(), this.clock.instant());
			this.status.recovered();
		}
		catch (CertificateFileException ex) {
			this.status.revocationListRanOut(ex, reloadOnUpdate);
		}
	}

	/**
	 * What is in use.
	 *
	 * @param files what the files contained
	 * @param content what that was
	 * @param listsAt when the revocation lists were in force
	 * @param bundle the bundle that was made of it
	 */
	private record Used(FileSnapshot files, HostFiles.Content content, Instant listsAt, SslBundle bundle) {

	}

	/**
	 * A consumer of the bundle, such as the web server, does not take files that are
	 * right by themselves.
	 */
	private static final class RefusedByConsumerException extends CertificateFileException {

		private RefusedByConsumerException(HostFiles host, Throwable cause) {
			super(host.certificates().get(0).certificateFileProperty(), host.file(),
					"a consumer of the SSL bundle refuses it: " + NestedExceptionUtils.getMostSpecificCause(cause),
					"It is tried again. Use a certificate and a key that the TLS engine supports, or correct the handler that was given to 'SslBundles.addBundleUpdateHandler'",
					cause);
		}

	}

}
