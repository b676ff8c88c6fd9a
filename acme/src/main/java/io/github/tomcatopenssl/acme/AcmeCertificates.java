// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import io.github.tomcatopenssl.acme.AcmeClient.AcmeRefusedException;
import io.github.tomcatopenssl.acme.AcmeClient.Renewal;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.Acme;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.Acme.AcmeKeyType;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.exception.AcmeException;
import org.shredzone.acme4j.exception.AcmeLazyLoadingException;
import org.shredzone.acme4j.exception.AcmeNetworkException;
import org.shredzone.acme4j.exception.AcmeProtocolException;
import org.shredzone.acme4j.exception.AcmeRateLimitedException;
import org.shredzone.acme4j.exception.AcmeServerException;
import org.shredzone.acme4j.exception.AcmeUserActionRequiredException;

/**
 * Keeps the certificates up to date on a thread of its own: it obtains them after the
 * first start, renews them in time, and tries again after a failure. Whatever happens,
 * the server keeps the certificate that it has.
 */
final class AcmeCertificates {

	private static final Log logger = LogFactory.getLog(AcmeCertificates.class);

	/**
	 * How long to wait while another replica is at work.
	 */
	private static final Duration OTHER_AT_WORK = Duration.ofSeconds(10);

	/**
	 * How long to wait after the first failure. Each further one doubles it.
	 */
	private static final Duration FIRST_DELAY = Duration.ofMinutes(2);

	private static final Duration LONGEST_DELAY = Duration.ofHours(6);

	/**
	 * How far ahead a recorded time of the next attempt can be. Let's Encrypt's limits
	 * are for a week; what is later comes from a wrong clock.
	 */
	private static final Duration LONGEST_LIMIT = Duration.ofDays(8);

	private static final Duration BETWEEN_WARNINGS = Duration.ofDays(1);

	private final Acme properties;

	private final List<String> domains;

	private final AcmeStore store;

	private final Supplier<AcmeClient> clients;

	private final Clock clock;

	private final AtomicLong issued = new AtomicLong();

	private final AtomicLong failed = new AtomicLong();

	private volatile @Nullable ScheduledExecutorService thread;

	private volatile Status status = new Status(null, 0, null);

	private @Nullable Instant warned;

	/**
	 * Whether this process has just been started. It tries at once, because somebody may
	 * have removed the cause of a failure.
	 */
	private boolean restarted = true;

	AcmeCertificates(Acme properties, List<String> domains, AcmeStore store, Supplier<AcmeClient> clients,
			Clock clock) {
		this.properties = properties;
		this.domains = domains;
		this.store = store;
		this.clients = clients;
		this.clock = clock;
	}

	/**
	 * Return the files of the certificates, and create those that do not exist yet.
	 * @return the files
	 * @throws IOException if they cannot be created
	 */
	List<Path> files() throws IOException {
		this.store.create();
		List<Path> files = new ArrayList<>();
		for (AcmeKeyType keyType : this.properties.keyTypes()) {
			Path file = this.store.certificate(AcmeClient.fileName(keyType));
			// A replica that has the lock has come this far already
			while (read(file) == null) {
				try (Closeable lock = this.store.tryLock()) {
					if (lock != null && read(file) == null) {
						if (Files.exists(file)) {
							logger.warn("'%s' is not a certificate, and is replaced".formatted(file));
						}
						this.store.write(file, Placeholder.create(keyType, this.domains));
					}
				}
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
			}
			files.add(file);
		}
		return files;
	}

	private static @Nullable X509Certificate read(Path file) throws IOException {
		String pem = AcmeStore.read(file);
		if (pem == null) {
			return null;
		}
		try {
			return (X509Certificate) CertificateFactory.getInstance("X.509")
				.generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
		}
		catch (CertificateException ex) {
			logger.debug("'%s' is not a certificate".formatted(file), ex);
			return null;
		}
	}

	synchronized void start() {
		// One works, and one ends work that takes too long
		ScheduledExecutorService thread = Executors.newScheduledThreadPool(2, (work) -> {
			Thread daemon = new Thread(work, "acme");
			daemon.setDaemon(true);
			return daemon;
		});
		this.thread = thread;
		schedule(thread, Duration.ZERO);
	}

	private void schedule(ScheduledExecutorService thread, Duration delay) {
		if (!thread.isShutdown()) {
			thread.schedule(() -> run(thread), Math.max(0, delay.toMillis()), TimeUnit.MILLISECONDS);
		}
	}

	synchronized void stop() {
		ScheduledExecutorService thread = this.thread;
		this.thread = null;
		if (thread == null) {
			return;
		}
		thread.shutdownNow();
		try {
			if (!thread.awaitTermination(10, TimeUnit.SECONDS)) {
				logger.warn("The CA takes too long to answer, and the answer is ignored");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	boolean isRunning() {
		return this.thread != null;
	}

	private void run(ScheduledExecutorService thread) {
		Instant next = this.clock.instant().plus(LONGEST_DELAY);
		try (Closeable lock = this.store.tryLock()) {
			next = (lock != null) ? attempt(thread) : this.clock.instant().plus(OTHER_AT_WORK);
		}
		catch (IOException ex) {
			if (!thread.isShutdown()) {
				next = failed(ex, this.status.failures());
			}
		}
		finally {
			this.restarted = false;
			schedule(thread, Duration.between(this.clock.instant(), next));
		}
	}

	// Replicas that share the folder share its failures: they would double the attempts
	private Instant attempt(ScheduledExecutorService thread) throws IOException {
		Instant now = this.clock.instant();
		AcmeStore.Failures failures = this.store.failures();
		if (!this.restarted && failures.next().isAfter(now) && failures.next().isBefore(now.plus(LONGEST_LIMIT))) {
			this.status = new Status(this.status.problem(), failures.count(), failures.next());
			return failures.next();
		}
		// The JDK's HTTP client waits without limit for the rest of an answer
		Future<?> limit = thread.schedule(Thread.currentThread()::interrupt, LONGEST_DELAY.toSeconds(),
				TimeUnit.SECONDS);
		try {
			Instant next = renew(now);
			this.status = new Status(null, 0, next);
			this.warned = null;
			this.store.write(AcmeStore.Failures.NONE);
			return next;
		}
		catch (Exception | Error ex) {
			if (thread.isShutdown()) {
				return now;
			}
			Instant next = failed(ex, failures.count());
			this.store.write(new AcmeStore.Failures(failures.count() + 1, next));
			return next;
		}
		finally {
			limit.cancel(false);
		}
	}

	private Instant renew(Instant now) throws Exception {
		AcmeClient client = this.clients.get();
		Instant next = now.plus(LONGEST_DELAY);
		Exception failure = null;
		for (AcmeKeyType keyType : this.properties.keyTypes()) {
			try {
				Renewal renewal = renew(client, keyType, now);
				next = earliest(next, renewal.at(), renewal.askAgain());
			}
			catch (InterruptedException | AcmeRateLimitedException ex) {
				throw ex;
			}
			catch (Exception ex) {
				// That of the other type may be due as well
				failure = (failure != null) ? failure : ex;
			}
		}
		if (failure != null) {
			throw failure;
		}
		return next;
	}

	private Renewal renew(AcmeClient client, AcmeKeyType keyType, Instant now) throws Exception {
		X509Certificate certificate = read(this.store.certificate(AcmeClient.fileName(keyType)));
		boolean first = certificate == null || Placeholder.is(certificate);
		if (certificate != null && !first) {
			Renewal renewal = client.renewal(certificate, now);
			if (renewal.at().isAfter(now)) {
				return renewal;
			}
		}
		logger.info("A certificate for %s is requested from '%s'".formatted(String.join(", ", this.domains),
				this.properties.directoryUrl()));
		X509Certificate issued = client.obtain(keyType, first ? null : certificate);
		this.issued.incrementAndGet();
		Renewal renewal = client.renewal(issued, now);
		// Never one after the other, whatever the CA says and whatever the clock shows
		Instant earliest = now
			.plus(Duration.between(issued.getNotBefore().toInstant(), issued.getNotAfter().toInstant()).dividedBy(3));
		return renewal.at().isBefore(earliest) ? new Renewal(earliest, renewal.askAgain()) : renewal;
	}

	private static Instant earliest(Instant... instants) {
		return List.of(instants).stream().min(Instant::compareTo).orElseThrow();
	}

	private Instant failed(Throwable ex, int before) {
		this.failed.incrementAndGet();
		int failures = before + 1;
		Instant now = this.clock.instant();
		long delay = Math.min(LONGEST_DELAY.toMillis(), FIRST_DELAY.toMillis() << Math.min(failures - 1, 16));
		Instant next = now.plusMillis(delay + ThreadLocalRandom.current().nextLong(delay / 10));
		Throwable cause = (ex instanceof AcmeLazyLoadingException && ex.getCause() != null) ? ex.getCause() : ex;
		if (cause instanceof AcmeRateLimitedException limited) {
			Instant allowed = limited.getRetryAfter().orElse(next);
			next = allowed.isAfter(next) ? allowed : next;
		}
		String problem = describe(cause);
		this.status = new Status(problem, failures, next);
		String message = "No certificate could be obtained for %s. The next attempt is at %s. %s"
			.formatted(String.join(", ", this.domains), next, problem);
		if (this.warned == null || !now.isBefore(this.warned.plus(BETWEEN_WARNINGS))) {
			this.warned = now;
			logger.warn(message);
			logger.debug("Cause", cause);
		}
		else {
			logger.debug(message, cause);
		}
		return next;
	}

	private String describe(Throwable cause) {
		if (cause instanceof AcmeRefusedException refused) {
			return "%s. %s".formatted(refused.getMessage(), refused.action());
		}
		if (cause instanceof AcmeRateLimitedException) {
			return "The CA limits requests: %s".formatted(cause.getMessage());
		}
		if (cause instanceof AcmeUserActionRequiredException action) {
			return "The CA requires you to act: %s%s".formatted(cause.getMessage(),
					action.getProblem().getInstance().map((page) -> ". See " + page).orElse(""));
		}
		if (cause instanceof AcmeServerException refused) {
			boolean account = refused.getType().toString().matches(".*:(unauthorized|accountDoesNotExist)");
			return "The CA refuses: %s%s".formatted(cause.getMessage(),
					account ? ". If the account was deactivated, delete '%s', so that another one is registered"
						.formatted(this.store.account()) : "");
		}
		if (cause instanceof AcmeNetworkException) {
			return "The ACME server '%s' of 'server.ssl.acme.directory-url' cannot be reached: %s. Check the network, its proxy ('https.proxyHost'), and 'server.ssl.acme.ssl-bundle' if the CA is a private one"
				.formatted(this.properties.directoryUrl(), cause.getCause());
		}
		if (cause instanceof AcmeException || cause instanceof AcmeProtocolException) {
			return "The ACME server '%s' of 'server.ssl.acme.directory-url' does not answer as it should: %s"
				.formatted(this.properties.directoryUrl(), cause.getMessage());
		}
		return cause.toString();
	}

	/**
	 * Return whether the CA has issued all certificates.
	 * @return whether it has; otherwise a placeholder is in use
	 */
	boolean isIssued() {
		try {
			for (AcmeKeyType keyType : this.properties.keyTypes()) {
				X509Certificate certificate = read(this.store.certificate(AcmeClient.fileName(keyType)));
				if (certificate == null || Placeholder.is(certificate)) {
					return false;
				}
			}
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	AcmeClient client() {
		return this.clients.get();
	}

	Acme properties() {
		return this.properties;
	}

	List<String> domains() {
		return this.domains;
	}

	Status status() {
		return this.status;
	}

	long issued() {
		return this.issued.get();
	}

	long failed() {
		return this.failed.get();
	}

	/**
	 * How the last attempt went.
	 *
	 * @param problem why it failed, or {@code null} if it did not
	 * @param failures how many attempts in a row have failed
	 * @param next when the next attempt is, or {@code null} before the first one
	 */
	record Status(@Nullable String problem, int failures, @Nullable Instant next) {

	}

}
