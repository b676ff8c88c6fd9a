// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.core.NestedExceptionUtils;

/**
 * The SSL bundle of a host, which is updated when the certificate files of the host
 * change.
 */
final class HostCertificate extends ReloadableFiles<Map<String, FileContent>> {

	private static final Log logger = LogFactory.getLog(HostCertificate.class);

	private final HostFiles host;

	private final SslBundleRegistry registry;

	private final BiFunction<HostFiles, HostFiles.Content, SslBundle> bundles;

	private final Supplier<Map<String, FileContent>> reader;

	private final boolean reloadOnUpdate;

	private final Clock clock;

	private Map<String, FileContent> files;

	/**
	 * The content in use, or the content that the consumers of the bundle are just being
	 * given.
	 */
	private volatile Current current;

	/**
	 * Read the files and register them as an SSL bundle.
	 * @param host the files of the host
	 * @param registry the registry of SSL bundles
	 * @param bundles creates a bundle from the files
	 * @param reader reads at least the files of the host, by property
	 * @param reloadOnUpdate whether to reload the files when they change
	 * @param clock the clock that certificates and revocation lists are checked against
	 * @throws CertificateFileException if the files cannot be used
	 */
	HostCertificate(HostFiles host, SslBundleRegistry registry,
			BiFunction<HostFiles, HostFiles.Content, SslBundle> bundles, Supplier<Map<String, FileContent>> reader,
			boolean reloadOnUpdate, Clock clock) {
		super(host.bundleName(), host.serverName(),
				"SSL bundle '%s' was not reloaded, and its previous content stays in use".formatted(host.bundleName()),
				"The files of SSL bundle '%s' match its content in use again".formatted(host.bundleName()), clock);
		this.host = host;
		this.registry = registry;
		this.bundles = bundles;
		this.reader = reader;
		this.reloadOnUpdate = reloadOnUpdate;
		this.clock = clock;
		this.files = read();
		HostFiles.Content content = host.parse(this.files);
		Instant now = clock.instant();
		content.trust().requireInForce(host.trust(), now);
		// They are used anyway, because there are no others
		content.validityProblems(now).forEach(HostCertificate::warn);
		warnOfClients(content);
		this.current = new Current(content, bundles.apply(host, content));
		register(host.bundleName());
		started(this.files);
	}

	private void register(String name) {
		try {
			this.registry.registerBundle(name, this.current.bundle());
		}
		catch (IllegalStateException ex) {
			throw new CertificateFileException(this.host.certificates().get(0).certificateFileProperty(), null,
					"there is already an SSL bundle with the name '%s', which the certificate file needs"
						.formatted(name),
					"Give your bundle '%s' another name".formatted(name), ex);
		}
	}

	boolean isFor(String serverName) {
		return serverName.equalsIgnoreCase(this.host.serverName());
	}

	List<X509CRL> revocationLists() {
		return this.current.content().trust().revocationLists();
	}

	@Override
	protected Map<String, FileContent> read() {
		Map<String, FileContent> files = new LinkedHashMap<>(this.reader.get());
		files.keySet().retainAll(this.host.locations().keySet());
		return files;
	}

	@Override
	protected Runnable validate(Map<String, FileContent> files) {
		HostFiles.Content content = this.host.parse(files);
		Instant now = this.clock.instant();
		content.validityProblems(now).stream().findFirst().ifPresent((problem) -> {
			throw problem;
		});
		// Expired lists that are already in use must not keep a new certificate out
		if (!this.host.hasSameRevocationLists(files, this.files)) {
			content.trust().requireInForce(this.host.trust(), now);
		}
		Current next = new Current(content, this.bundles.apply(this.host, content));
		return () -> use(files, next);
	}

	private void use(Map<String, FileContent> files, Current next) {
		Current before = this.current;
		this.current = next;
		try {
			this.registry.updateBundle(this.host.bundleName(), next.bundle());
		}
		catch (Throwable ex) {
			this.current = before;
			try {
				this.registry.updateBundle(this.host.bundleName(), before.bundle());
			}
			catch (Throwable rollbackFailure) {
				ex.addSuppressed(rollbackFailure);
			}
			throw ex;
		}
		this.files = files;
		X509Certificate leaf = next.content().leaf();
		logger.info(
				"SSL bundle '%s' was reloaded: the certificate '%s' in '%s' is valid until %s, from %s, serial number %x"
					.formatted(this.host.bundleName(), CertificateChain.name(leaf), this.host.file(),
							leaf.getNotAfter().toInstant(), leaf.getNotBefore().toInstant(), leaf.getSerialNumber()));
		warnOfClients(next.content());
	}

	@Override
	protected CertificateFileException failure(Throwable ex, boolean byConsumer) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
		return byConsumer ? this.host.failure("a consumer of the SSL bundle refuses it: " + cause,
				"Use a certificate and a key that the TLS engine supports, or correct the handler that was passed to 'SslBundles.addBundleUpdateHandler'. The reload is tried again automatically",
				ex)
				: this.host.failure("the SSL bundle cannot be created from it: " + cause,
						"Correct the properties and files of 'server.ssl'", ex);
	}

	// The default host logs the problems of shared files
	@Override
	protected boolean isLogged(CertificateFileException problem) {
		return this.host.isOwn(problem.getProperty());
	}

	// Revocation lists expire although their files do not change
	@Override
	protected void checkInUse() {
		try {
			this.current.content().trust().requireInForce(this.host.trust(), this.clock.instant());
			super.checkInUse();
		}
		catch (CertificateFileException ex) {
			report("Java refuses clients while no revocation list is in force"
					+ (this.reloadOnUpdate ? "" : ". Restart the application with a current list"), ex, 0);
		}
	}

	// Warns of clients that refuse the certificate, and of clients that are refused
	private void warnOfClients(HostFiles.Content content) {
		content.certificates()
			.stream()
			.flatMap((files) -> files.staplingProblem().stream())
			.forEach(HostCertificate::warn);
		if (this.host.serverName() == null) {
			for (String ca : content.trust().withoutRevocationList()) {
				logger.warn(
						"'server.ssl.certificate-revocation-list-file' ('%s'): it has no list from the CA '%s', so all clients of that CA are refused. Add the list from that CA"
							.formatted(this.host.trust().certificateRevocationListFile(), ca));
			}
		}
	}

	private static void warn(CertificateFileException problem) {
		logger.warn(problem.getMessage() + ". " + problem.getAction());
	}

	private record Current(HostFiles.Content content, SslBundle bundle) {

	}

}
