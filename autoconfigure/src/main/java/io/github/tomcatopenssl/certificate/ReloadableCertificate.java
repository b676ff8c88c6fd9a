// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.security.cert.X509CRL;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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

	private final ReloadSchedule schedule;

	private Used used;

	/**
	 * Those of the files in use, or of the ones that the consumers of the bundle are just
	 * given.
	 */
	private volatile List<X509CRL> revocationLists;

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
		this.revocationLists = content.trust().revocationLists();
		this.schedule = new ReloadSchedule(this.used.files());
	}

	boolean isFor(String serverName) {
		return serverName.equalsIgnoreCase(this.host.serverName());
	}

	List<X509CRL> revocationLists() {
		return this.revocationLists;
	}

	void register(SslBundleRegistry registry) {
		String name = this.host.bundleName();
		try {
			registry.registerBundle(name, this.used.bundle());
		}
		catch (IllegalStateException ex) {
			throw new CertificateFileException(this.host.certificates().get(0).certificateFileProperty(), null,
					"there is an SSL bundle of the name '%s' already, which is that of the certificate file"
						.formatted(name),
					"Give your bundle '%s' another name".formatted(name), ex);
		}
	}

	CertificateReloads.Status status() {
		return this.status.get();
	}

	boolean hasRevocationLists() {
		return !this.used.content().trust().revocationLists().isEmpty();
	}

	void check(SslBundleRegistry registry, FileSnapshot files, long now) {
		FileSnapshot contents = files.of(this.host.locations());
		if (this.schedule.look(contents, this.used.files(), now) == ReloadSchedule.State.IN_USE) {
			checkRevocationLists(now, true);
		}
		else if (!contents.equals(this.used.files()) && this.schedule.isDue(now)) {
			this.revocationListsCheckedAt = now;
			use(registry, contents, now);
		}
	}

	private void use(SslBundleRegistry registry, FileSnapshot contents, long now) {
		boolean offered = false;
		try {
			Instant time = this.clock.instant();
			// Lists in use that have run out must not keep a new certificate out
			Instant listsAt = this.host.hasSameRevocationLists(contents, this.used.files()) ? this.used.listsAt()
					: time;
			HostFiles.Content content = this.host.parse(contents, listsAt);
			content.validityProblems(time).stream().findFirst().ifPresent((problem) -> {
				throw problem;
			});
			if (!FileSnapshot.read(this.host.locations(), this.resourceLoader).equals(contents)) {
				// Changed since: what was read one after another may be of both
				return;
			}
			SslBundle bundle = this.bundles.apply(this.host, content);
			offered = true;
			this.revocationLists = content.trust().revocationLists();
			update(registry, bundle);
			this.used = new Used(contents, content, listsAt, bundle);
			this.schedule.used();
			this.status.reloaded(content, time);
		}
		catch (Throwable ex) {
			logger.debug("SSL bundle '%s' was refused".formatted(this.host.bundleName()), ex);
			boolean first = !this.schedule.isReported();
			if (this.schedule.refuse(offered, now)) {
				this.status.refused(failure(ex, offered), first);
			}
			if (ex instanceof VirtualMachineError error) {
				// Such as no memory, which is not the certificate's fault
				throw error;
			}
		}
	}

	private void update(SslBundleRegistry registry, SslBundle bundle) {
		try {
			registry.updateBundle(this.host.bundleName(), bundle);
		}
		catch (Throwable ex) {
			this.revocationLists = this.used.content().trust().revocationLists();
			try {
				registry.updateBundle(this.host.bundleName(), this.used.bundle());
			}
			catch (Throwable rollbackFailure) {
				ex.addSuppressed(rollbackFailure);
			}
			throw ex;
		}
	}

	private CertificateFileException failure(Throwable ex, boolean byConsumer) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
		if (byConsumer) {
			return this.host.failure("a consumer of the SSL bundle refuses it: " + cause,
					"It is tried again. Use a certificate and a key that the TLS engine supports, or correct the handler that was given to 'SslBundles.addBundleUpdateHandler'",
					ex);
		}
		return (ex instanceof CertificateFileException failure) ? failure
				: this.host.failure("the SSL bundle cannot be made of it: " + cause,
						"Correct the properties and files of 'server.ssl'", ex);
	}

	// They run out without being changed
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

	// What is in use; listsAt is when its revocation lists were in force
	private record Used(FileSnapshot files, HostFiles.Content content, Instant listsAt, SslBundle bundle) {

	}

}
