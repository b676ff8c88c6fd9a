// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.Closeable;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.host.ForeignText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.exception.AcmeException;
import org.shredzone.acme4j.exception.AcmeLazyLoadingException;
import org.shredzone.acme4j.exception.AcmeProtocolException;
import org.shredzone.acme4j.exception.AcmeRateLimitedException;
import org.shredzone.acme4j.exception.AcmeServerException;
import org.shredzone.acme4j.exception.AcmeUserActionRequiredException;

import org.springframework.util.StringUtils;

/**
 * The certificates of a set of domains, one of each key type. It obtains them after the
 * first start, renews them in time, and tries again after a failure. Whatever happens,
 * the server keeps the certificate that it has.
 */
final class AcmeCertificates {

	private static final Log logger = LogFactory.getLog(AcmeCertificates.class);

	/**
	 * How long an answer that is not from an ACME server, such as that of a proxy, can
	 * keep the server from asking. Some certificates are valid for six days.
	 */
	private static final Duration LONGEST_PAUSE = Duration.ofDays(1);

	/**
	 * Over which time attempts are spread that have to wait for the limits of the CA.
	 */
	private static final Duration SPREAD = Duration.ofMinutes(10);

	private final AcmeSettings settings;

	private final AcmeStore store;

	private final Function<Session, AcmeClient> clients;

	private final AcmeCa ca;

	private final CaClock clock;

	private final AcmeSchedule schedule;

	/**
	 * {@code null} if the default host has the certificates, in files.
	 */
	private final @Nullable Host host;

	/**
	 * The serial numbers of the certificates that the host serves.
	 */
	private volatile List<BigInteger> served = List.of();

	private volatile boolean clientWaits;

	private volatile Status status = new Status(null, 0, null);

	/**
	 * How long the certificates can be in use, as far as that was read.
	 */
	private final Map<AcmeKeyType, Validity> validities = new ConcurrentHashMap<>();

	private @Nullable Instant warned;

	/**
	 * Whether this process has made no attempt yet. The first one is made earlier,
	 * because somebody may have removed the cause of a failure.
	 */
	private boolean restarted = true;

	/**
	 * Whether an order of the current attempt has to wait for the limits of the CA.
	 */
	private volatile boolean limited;

	/**
	 * Create a new instance.
	 * @param settings what to obtain, and from which CA
	 * @param store the folder
	 * @param ca the CA
	 * @param clients creates a client for a session with the CA
	 * @param host serves the certificates, or {@code null} for the default host, which
	 * has them in files
	 */
	AcmeCertificates(AcmeSettings settings, AcmeStore store, AcmeCa ca, Function<Session, AcmeClient> clients,
			@Nullable Host host) {
		this.settings = settings;
		this.store = store;
		this.ca = ca;
		this.clock = ca.clock();
		this.schedule = ca.schedule();
		this.clients = clients;
		this.host = host;
	}

	/**
	 * Put the best certificates that there are into their files.
	 * @return the files
	 * @throws IOException if they cannot be read or written
	 */
	List<Path> writeFiles() throws IOException {
		this.store.create();
		List<Path> files = new ArrayList<>();
		for (AcmeKeyType keyType : keyTypes()) {
			provide(keyType);
			files.add(this.store.follow(file(keyType)));
		}
		return files;
	}

	private Path file(AcmeKeyType keyType) {
		return this.store.certificate(keyType.toString());
	}

	// Until the ordered certificate is there, the best other one serves
	private void provide(AcmeKeyType keyType) throws IOException {
		if (!isInForce(readOwn(keyType), keyType)) {
			this.store.exclusively(() -> provideOther(keyType));
		}
	}

	private Path provideOther(AcmeKeyType keyType) throws IOException {
		Path file = file(keyType);
		AcmeCertificate current = this.store.readCertificate(file);
		if (isInForce(current, keyType)) {
			return file;
		}
		AcmeCertificate best = best(keyType);
		if (best != null) {
			if (current == null || !best.leaf().equals(current.leaf())) {
				logger.info("The certificate for %s stays in use until the CA has issued the one for %s"
					.formatted(ForeignText.message(String.join(", ", best.names())), this.settings.names()));
				this.store.write(file, best.pem());
			}
		}
		else if (current == null || !canServe(current, keyType)) {
			if (current == null && this.store.read(file) != null) {
				logger.warn("'%s' is not a certificate, and is replaced".formatted(this.store.describe(file)));
			}
			this.store.write(file, Placeholder.create(keyType, this.settings.domains()));
		}
		return file;
	}

	private boolean isInForce(@Nullable AcmeCertificate certificate, AcmeKeyType keyType) {
		return certificate != null && isOwn(certificate, keyType)
				&& this.clock.instant().isBefore(certificate.expiry());
	}

	private boolean isOwn(AcmeCertificate certificate, AcmeKeyType keyType) {
		return certificate.isFor(this.settings.ca(), this.settings.domains(), keyType);
	}

	private @Nullable AcmeCertificate readOwn(AcmeKeyType keyType) throws IOException {
		AcmeCertificate certificate = this.store.readCertificate(file(keyType));
		if (certificate == null || !isOwn(certificate, keyType)) {
			return null;
		}
		this.validities.put(keyType, Validity.of(certificate));
		return certificate;
	}

	private @Nullable AcmeCertificate best(AcmeKeyType keyType) throws IOException {
		Instant now = this.clock.instant();
		return this.store.certificates()
			.stream()
			.filter((certificate) -> !certificate.isPlaceholder() && certificate.isValid(now)
					&& canServe(certificate, keyType)
					&& certificate.missing(this.settings.domains()).size() < this.settings.domains().size())
			.min(Comparator
				.<AcmeCertificate>comparingInt((certificate) -> certificate.missing(this.settings.domains()).size())
				.thenComparing((certificate) -> !certificate.hasKey(keyType))
				.thenComparing(AcmeCertificate::expiry, Comparator.reverseOrder()))
			.orElse(null);
	}

	// Several certificates of one host need different key types
	private boolean canServe(AcmeCertificate certificate, AcmeKeyType keyType) {
		return keyTypes().size() == 1 || certificate.hasKey(keyType);
	}

	/**
	 * Serve the certificates that are in the folder, unless the default host does.
	 * @return whether none is missing
	 * @throws IOException if they cannot be read
	 */
	boolean serve() throws IOException {
		Host host = this.host;
		if (host == null) {
			return true;
		}
		List<AcmeCertificate> certificates = new ArrayList<>();
		for (AcmeKeyType keyType : keyTypes()) {
			AcmeCertificate certificate = readOwn(keyType);
			if (certificate != null && isInForce(certificate, keyType)) {
				certificates.add(certificate);
			}
		}
		List<BigInteger> serialNumbers = certificates.stream()
			.map((certificate) -> certificate.leaf().getSerialNumber())
			.toList();
		if (!certificates.isEmpty() && !(serialNumbers.equals(this.served) && host.isServing())) {
			host.serve(certificates);
			this.served = serialNumbers;
		}
		return certificates.size() == keyTypes().size();
	}

	/**
	 * Return whether a file has one of the certificates.
	 * @param names the names of files in the store
	 * @return whether one of them is a certificate of this set
	 */
	boolean isIn(Collection<String> names) {
		return keyTypes().stream()
			.map((keyType) -> this.store.certificateName(keyType.toString()))
			.anyMatch(names::contains);
	}

	/**
	 * Look whether a certificate is due, and obtain it.
	 * @param stopped whether the application stops
	 * @return how long to wait for the next attempt
	 */
	Duration attempt(BooleanSupplier stopped) {
		try (Closeable lock = this.store.tryLock()) {
			serveWhatIsThere();
			return (lock != null) ? attemptLocked(stopped) : this.schedule.otherAtWork();
		}
		catch (Exception | Error ex) {
			if (stopped.getAsBoolean()) {
				return Duration.ZERO;
			}
			AcmeStore.Failures failures = failures(ex, this.status.failures());
			report(ex, failures);
			return wait(failures);
		}
		finally {
			this.clientWaits = false;
		}
	}

	// Another replica may have obtained a certificate, and one that was refused can be
	// usable now
	private void serveWhatIsThere() {
		try {
			serve();
		}
		catch (IOException | RuntimeException ex) {
			logger.debug("The certificate for %s cannot be served".formatted(this.settings.names()), ex);
		}
	}

	private Duration wait(AcmeStore.Failures failures) {
		return Duration.between(this.clock.instant(), failures.next());
	}

	// Replicas that share the folder share its failures. Otherwise, they would double
	// the attempts
	private Duration attemptLocked(BooleanSupplier stopped) throws IOException {
		AcmeStore.Failures failures = this.store.failures();
		try {
			Instant next = this.restarted ? failures.restart() : failures.next();
			Duration left = failures.left(this.restarted, this.clock.machine().instant());
			if (left.compareTo(Duration.ZERO) > 0) {
				return waitFor(next, failures.count(), left);
			}
			this.limited = false;
			Instant allowed = spread(allowed(hasAny()));
			if (this.clock.isKnown() && allowed.isAfter(this.clock.instant()) && isDue()) {
				return waitForLimits(allowed, failures);
			}
			Session session = this.ca.sessions().get();
			AcmeClient client = this.clients.apply(session);
			try {
				client.contact();
			}
			catch (AcmeRateLimitedException | CaException ex) {
				if (failures.count() == 0 && !isDue()) {
					return pause(ex);
				}
				throw ex;
			}
			Instant now = this.clock.instant();
			if (next.isAfter(now) && next.isBefore(now.plus(AcmeStore.LONGEST_LIMIT))) {
				return waitFor(next, failures.count(), AcmeSchedule.until(next, now));
			}
			this.restarted = false;
			next = renew(client, session);
			if (this.limited) {
				return waitForLimits(next, failures);
			}
			this.status = new Status(null, 0, next);
			this.warned = null;
			if (!failures.equals(AcmeStore.Failures.NONE)) {
				this.store.write(AcmeStore.Failures.NONE);
			}
			return AcmeSchedule.until(next, this.clock.instant());
		}
		catch (Exception | Error ex) {
			if (stopped.getAsBoolean()) {
				return Duration.ZERO;
			}
			AcmeStore.Failures failed = failures(ex, Math.max(failures.count(), this.status.failures()));
			// Written first: an operator who sees the report may stop the application
			if (isRefusal(ex)) {
				this.store.write(failed);
			}
			if (isLimit(cause(ex))) {
				this.ca.limits().refused(failed.next());
			}
			report(ex, failed);
			return wait(failed);
		}
	}

	// Without an attempt, nothing has succeeded
	private Duration waitForLimits(Instant allowed, AcmeStore.Failures failures) {
		this.limited = true;
		return waitFor(allowed, Math.max(failures.count(), this.status.failures()),
				Duration.between(this.clock.instant(), allowed));
	}

	// The certificate of the server itself does not wait for others
	private Instant allowed(boolean renews) throws IOException {
		if (this.host == null) {
			return Instant.EPOCH;
		}
		return renews ? this.ca.limits().nextRenewal() : this.ca.limits().next(this.clientWaits);
	}

	// Those that have to wait do not come back all at once
	private Instant spread(Instant allowed) {
		return allowed.isAfter(this.clock.instant())
				? allowed.plusMillis(ThreadLocalRandom.current().nextLong(SPREAD.toMillis())) : allowed;
	}

	private Duration pause(Exception ex) throws IOException {
		AcmeStore.Failures pause = failures(ex, 0).notCounted();
		this.store.write(pause);
		this.ca.limits().refused(pause.next());
		this.status = new Status(null, 0, pause.next());
		debug("The CA could not be asked when to renew the certificate", ex);
		return wait(pause);
	}

	private static boolean isLimit(Throwable cause) {
		return cause instanceof AcmeRateLimitedException || cause instanceof CaException failure && failure.isLimit();
	}

	// By the certificates alone, whatever the CA would suggest
	private boolean isDue() throws IOException {
		for (AcmeKeyType keyType : keyTypes()) {
			AcmeCertificate certificate = readOwn(keyType);
			if (certificate == null || !RenewalTime.withoutSuggestion(certificate).isAfter(this.clock.instant())) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return whether a certificate is due.
	 * @return whether it is, also if that cannot be read
	 */
	boolean isDueOrUnknown() {
		try {
			return isDue();
		}
		catch (IOException ex) {
			return true;
		}
	}

	/**
	 * Return the domains, for messages.
	 * @return the domains
	 */
	String names() {
		return this.settings.names();
	}

	private boolean hasAny() throws IOException {
		for (AcmeKeyType keyType : keyTypes()) {
			if (readOwn(keyType) != null) {
				return true;
			}
		}
		return false;
	}

	private Duration waitFor(Instant next, int failures, Duration left) {
		if (failures == 0) {
			this.status = new Status(null, 0, next);
			return left;
		}
		if (this.status.next() == null) {
			info("No certificate is requested for %s before %s, because earlier attempts have failed. To try at once, delete '%s' and start the application again"
				.formatted(this.settings.names(), next, this.store.describe(this.store.failuresFile())));
		}
		String problem = this.status.problem();
		this.status = new Status((problem != null) ? problem : "An earlier attempt has failed", failures, next);
		return left;
	}

	// Other replicas need not wait because of an outage or a folder that fails
	private boolean isRefusal(Throwable ex) {
		Throwable cause = cause(ex);
		return isLimit(cause) || this.clock.isKnown()
				&& (cause instanceof AcmeRefusedException || cause instanceof AcmeServerException);
	}

	private Instant renew(AcmeClient client, Session session) throws Exception {
		Instant next = this.clock.instant().plus(this.schedule.longestDelay());
		Exception failure = null;
		for (AcmeKeyType keyType : keyTypes()) {
			try {
				Instant renewal = renew(client, session, keyType).next();
				next = renewal.isBefore(next) ? renewal : next;
			}
			catch (InterruptedException ex) {
				throw ex;
			}
			catch (Exception ex) {
				if (isLimit(ex)) {
					throw ex;
				}
				// That of the other type may be due as well
				failure = (failure != null) ? failure : ex;
			}
		}
		if (failure != null) {
			throw failure;
		}
		return next;
	}

	private RenewalTime renew(AcmeClient client, Session session, AcmeKeyType keyType) throws Exception {
		if (this.host == null) {
			provide(keyType);
		}
		AcmeCertificate certificate = readOwn(keyType);
		X509Certificate previous = (certificate != null) ? certificate.leaf() : null;
		Instant earliest = nextOrder(keyType);
		RenewalTime renewal = (certificate != null) ? renewal(certificate, session).notBefore(earliest)
				: new RenewalTime(earliest, earliest);
		if (renewal.at().isAfter(this.clock.instant())) {
			return renewal;
		}
		if (previous != null && this.host != null && !this.host.isWanted()) {
			return renewal.notBefore(this.clock.instant().plus(this.schedule.longestDelay()));
		}
		this.clock.requireUsable();
		Instant allowed = spread(this.ca.limits().order(() -> allowed(previous != null)));
		if (allowed.isAfter(this.clock.instant())) {
			this.limited = true;
			return new RenewalTime(allowed, allowed);
		}
		info("A certificate for %s is requested from '%s'".formatted(this.settings.names(), this.settings.ca()));
		AcmeCertificate issued = order(client, keyType, previous);
		this.validities.put(keyType, Validity.of(issued));
		this.ca.issued().incrementAndGet();
		this.ca.limits().succeeded();
		info("The CA has issued a certificate for %s, valid until %s".formatted(this.settings.names(),
				issued.expiry()));
		if (this.host != null) {
			serve();
			this.host.issued();
		}
		renewal = renewal(issued, session).notBefore(nextOrder(keyType));
		warnOfLifetime(issued, renewal.at(), keyType);
		warnOfClock(issued);
		return renewal;
	}

	private AcmeCertificate order(AcmeClient client, AcmeKeyType keyType, @Nullable X509Certificate previous)
			throws Exception {
		OrderRecording recording = new OrderRecording(this.settings, keyType);
		try {
			AcmeCertificate issued = client.obtain(keyType, previous);
			recording.issued(issued);
			return issued;
		}
		catch (Exception ex) {
			recording.failed(describe(cause(ex)));
			throw ex;
		}
	}

	// A time that is too far ahead comes from a clock that was wrong
	private Instant nextOrder(AcmeKeyType keyType) throws IOException {
		AcmeStore.Pause pause = this.store.pause(keyType.toString());
		Instant now = this.clock.instant();
		return pause.obtained().isAfter(now.plus(CaClock.TOLERANCE)) ? now
				: this.schedule.nextOrder(pause.obtained(), pause.dueAtOnce());
	}

	private RenewalTime renewal(AcmeCertificate certificate, Session session) {
		return RenewalTime.of(certificate, session, this.clock, this.schedule);
	}

	// If it had been in use since its first date, it would be due already
	private void warnOfLifetime(AcmeCertificate certificate, Instant next, AcmeKeyType keyType) throws IOException {
		Instant begin = certificate.leaf().getNotBefore().toInstant();
		boolean isDueAtOnce = this.store.pause(keyType.toString()).dueAtOnce() > 0;
		if (isDueAtOnce || !RenewalTime.withoutSuggestion(certificate.leaf(), begin).isAfter(certificate.begin())) {
			warn("The CA has issued a certificate for %s that is valid from %s to %s, %d seconds, of which %d are left. The next one is requested at %s. Find out why the CA dates it back that far, and whether the CA's own certificate is about to expire%s"
				.formatted(this.settings.names(), begin, certificate.expiry(),
						Duration.between(begin, certificate.expiry()).toSeconds(),
						Duration.between(certificate.begin(), certificate.expiry()).toSeconds(), next,
						isDueAtOnce ? ". To try at once, delete '%s' and start the application again"
							.formatted(this.store.describe(this.store.pauseFile(keyType.toString()))) : ""));
		}
	}

	// Readers of the files use the clock of this machine
	private void warnOfClock(AcmeCertificate certificate) {
		Instant now = this.clock.machine().instant();
		if (!certificate.isValid(now)) {
			warn("The certificate is valid from %s to %s, but the clock of this machine shows %s. Correct the clock of this machine, so that the certificate is used"
				.formatted(certificate.leaf().getNotBefore().toInstant(), certificate.expiry(), now));
		}
	}

	private static Throwable cause(Throwable ex) {
		return (ex instanceof AcmeLazyLoadingException && ex.getCause() != null) ? ex.getCause() : ex;
	}

	private AcmeStore.Failures failures(Throwable ex, int before) {
		Instant now = this.clock.instant();
		long delay = Math.min(this.schedule.longestDelay().toMillis(),
				this.schedule.firstDelay().toMillis() << Math.min(before, 16));
		Instant next = now.plusMillis(delay + ThreadLocalRandom.current().nextLong(Math.max(1, delay / 10)));
		Instant restart = now.plus(this.schedule.restartDelay());
		Throwable cause = cause(ex);
		if (isLimit(cause)) {
			Instant allowed = allowed(cause, now, next);
			next = allowed.isAfter(next) ? allowed : next;
			restart = next;
		}
		return new AcmeStore.Failures(before + 1, restart.isBefore(next) ? restart : next, next, now,
				this.clock.machine().instant());
	}

	// A wrong value must not keep the server from ever asking again
	private static Instant allowed(Throwable cause, Instant now, Instant next) {
		Instant allowed;
		Instant latest;
		if (cause instanceof AcmeRateLimitedException refusal) {
			allowed = refusal.getRetryAfter().orElse(next);
			latest = now.plus(AcmeStore.LONGEST_LIMIT);
		}
		else {
			Instant askAgain = ((CaException) cause).askAgain();
			allowed = (askAgain != null) ? askAgain : next;
			latest = now.plus(LONGEST_PAUSE);
		}
		return allowed.isBefore(latest) ? allowed : latest;
	}

	private void report(Throwable ex, AcmeStore.Failures failures) {
		this.ca.failed().incrementAndGet();
		Instant now = this.clock.instant();
		Throwable cause = cause(ex);
		String problem = describe(cause);
		this.status = new Status(problem, failures.count(), failures.next());
		Validity validity = validity();
		String message = "No certificate could be obtained for %s. %sThe next attempt is at %s. %s".formatted(
				this.settings.names(), (validity != null) ? validity.describe(now) + ". " : "", failures.next(),
				problem);
		if (this.warned == null
				|| Duration.between(this.warned, now).abs().compareTo(this.schedule.betweenWarnings()) >= 0) {
			this.warned = now;
			warn(message);
			debug("Cause", cause);
		}
		else {
			debug(message, cause);
		}
	}

	private String describe(Throwable cause) {
		if (cause instanceof AcmeRefusedException refused) {
			return "%s. %s".formatted(refused.getMessage(), refused.action());
		}
		if (cause instanceof AcmeRateLimitedException refusal
				&& refusal.getType().toString().endsWith(":rateLimited")) {
			return "The CA limits requests: %s".formatted(ForeignText.message(cause.getMessage()));
		}
		if (cause instanceof AcmeUserActionRequiredException action) {
			return "The CA requires you to act: %s%s".formatted(ForeignText.message(cause.getMessage()),
					action.getProblem()
						.getInstance()
						.map((page) -> ". See " + ForeignText.message(page.toString()))
						.orElse(""));
		}
		if (cause instanceof AcmeServerException refused) {
			boolean account = refused.getType().toString().matches(".*:(unauthorized|accountDoesNotExist)");
			String profile = this.settings.properties().profile();
			if (!account && StringUtils.hasText(profile)
					&& this.settings.domains().stream().anyMatch(AcmeNames::isAddress)) {
				return "The CA refuses: %s. If it issues certificates for IP addresses with another profile than '%s', remove '%s'"
					.formatted(ForeignText.message(cause.getMessage()), profile, AcmeProperties.PROFILE);
			}
			return "The CA refuses: %s%s".formatted(ForeignText.message(cause.getMessage()),
					account ? ". If the account was deactivated, delete '%s', so that a new one is registered"
						.formatted(this.store.describe(this.store.account())) : "");
		}
		if (cause instanceof TlsSettingException problem) {
			return "%s. %s".formatted(problem.getReason(SettingName::toString),
					problem.getAction(SettingName::toString));
		}
		if (cause instanceof CaException || cause instanceof WrongClockException) {
			return ForeignText.message(cause.getMessage());
		}
		if (cause instanceof AcmeException || cause instanceof AcmeProtocolException) {
			return "The ACME server '%s' of '%s' does not answer as it should: %s".formatted(this.settings.ca(),
					AcmeProperties.DIRECTORY_URL, ForeignText.message(cause.getMessage()));
		}
		if (cause instanceof AcmeStoreException failure) {
			return "%s. %s".formatted(cause.getMessage(), AcmeStoreException.action(failure));
		}
		return ForeignText.message(cause.toString());
	}

	private void info(String message) {
		if (this.host == null) {
			logger.info(message);
		}
		else {
			logger.debug(message);
		}
	}

	// There can be thousands of sets, for which one message stands
	private void warn(String message) {
		if (this.host == null) {
			logger.warn(message);
		}
		else {
			logger.debug(message);
		}
	}

	// What a CA says can contain what someone else has answered to it
	private static void debug(String message, Throwable cause) {
		if (cause instanceof AcmeException || cause instanceof AcmeProtocolException) {
			logger.debug("%s: %s".formatted(message, ForeignText.of(cause)));
		}
		else {
			logger.debug(message, cause);
		}
	}

	List<String> domains() {
		return this.settings.domains();
	}

	private List<AcmeKeyType> keyTypes() {
		return this.settings.properties().keyTypes();
	}

	Clock clock() {
		return this.clock;
	}

	Status status() {
		return this.status;
	}

	/**
	 * Return how long the certificates can be in use.
	 * @return the validity of the one that expires first, or {@code null} if none is
	 * known
	 */
	@Nullable Validity validity() {
		return this.validities.values().stream().min(Comparator.comparing(Validity::end)).orElse(null);
	}

	/**
	 * Return whether the host that comes and goes serves certificates of this set.
	 * @return whether it has any
	 */
	boolean isServed() {
		return this.host != null && !this.served.isEmpty() && this.host.isServing();
	}

	/**
	 * Return whether a client can have an attempt made.
	 * @return whether the last one has not failed, or the next one is due, or waits only
	 * for those without a client
	 */
	boolean mayAttempt() {
		Status status = this.status;
		return status.next() == null || this.limited || !status.next().isAfter(this.clock.instant());
	}

	/**
	 * Return whether it makes sense to go on waiting for a certificate.
	 * @return whether another replica is at work
	 */
	boolean isWithOther() {
		return this.status.next() == null;
	}

	/**
	 * Return whether there is no certificate because of the limits of the CA.
	 * @return whether the next attempt waits for them
	 */
	boolean isLimited() {
		return this.limited;
	}

	/**
	 * Have the next attempt go before those for which no client waits.
	 */
	void clientWaits() {
		this.clientWaits = true;
	}

	/**
	 * A host that comes and goes.
	 */
	interface Host {

		/**
		 * Serve certificates.
		 * @param certificates the certificates, one of each key type
		 */
		void serve(List<AcmeCertificate> certificates);

		/**
		 * Return whether certificates are served.
		 * @return {@code false} if they have been refused since
		 */
		boolean isServing();

		/**
		 * The CA has issued a certificate, which is served.
		 */
		void issued();

		/**
		 * Return whether certificates have to be renewed.
		 * @return whether the application still wants them
		 */
		boolean isWanted();

	}

	/**
	 * How long a certificate can be in use, by the clock of the CA.
	 *
	 * @param due when its renewal is due, unless the CA suggests another time
	 * @param end when it expires
	 */
	record Validity(Instant due, Instant end) {

		static Validity of(AcmeCertificate certificate) {
			return new Validity(RenewalTime.withoutSuggestion(certificate), certificate.expiry());
		}

		/**
		 * Return what is late, and how long there is left.
		 * @param now the time
		 * @return a sentence without its full stop
		 */
		String describe(Instant now) {
			if (!now.isBefore(this.end)) {
				return "The one in use has expired at %s".formatted(this.end);
			}
			return "The one in use is valid until %s (%s left), and its renewal %s %s".formatted(this.end,
					left(Duration.between(now, this.end)), now.isBefore(this.due) ? "is due at" : "has been due since",
					this.due.truncatedTo(ChronoUnit.SECONDS));
		}

		private static String left(Duration left) {
			return (left.toDays() > 1) ? left.toDays() + " days"
					: (left.toHours() > 1) ? left.toHours() + " hours" : left.toMinutes() + " minutes";
		}

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
