// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.host.CertificateHost;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import io.github.tomcatopenssl.internal.host.ForeignText;
import io.github.tomcatopenssl.internal.host.HostNames;
import io.github.tomcatopenssl.internal.store.SharedStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The sets of domains whose hosts come and go: those of the properties and of the
 * application, and the names that clients have asked for.
 */
final class AcmeSets {

	private static final Log logger = LogFactory.getLog(AcmeSets.class);

	/**
	 * Between the first attempts of sets whose certificates are not due.
	 */
	private static final Duration BETWEEN_STARTS = Duration.ofSeconds(2);

	/**
	 * Maximum number of names without a certificate that clients have asked for. Failures
	 * are in the folder too, so that a name that was dropped waits all the same.
	 */
	static final int MOST_WAITING = 1000;

	/**
	 * How many examples a message has.
	 */
	private static final int MOST_NAMED = 3;

	private static final Duration SECOND = Duration.ofSeconds(1);

	private final CertificateHosts hosts;

	private final AcmeWork work;

	private final AcmeSchedule schedule;

	private final Factory factory;

	private final @Nullable AcmeDomains application;

	private final @Nullable AcmeOnDemandDomains onDemand;

	private final Map<Set<String>, SetOfDomains> sets = new LinkedHashMap<>();

	/**
	 * Those that no longer count, but serve names until another set does.
	 */
	private final Map<Set<String>, SetOfDomains> leaving = new LinkedHashMap<>();

	/**
	 * Those of names that clients have asked for and that have no certificate, the oldest
	 * one first.
	 */
	private final Set<SetOfDomains> waiting = new LinkedHashSet<>();

	/**
	 * The sets of the properties and of the application by their domains.
	 */
	private volatile Map<String, SetOfDomains> byDomain = Map.of();

	private List<List<String>> configured = List.of();

	private @Nullable Set<List<String>> found;

	private boolean isFailing;

	private final List<String> issued = new ArrayList<>();

	private Set<SetOfDomains> failing = Set.of();

	private @Nullable Instant warned;

	private boolean reportedWaiting;

	private @Nullable String mark;

	private long nextQuestion = System.nanoTime();

	private volatile @Nullable ScheduledExecutorService thread;

	/**
	 * Create a new instance.
	 * @param hosts gets the hosts
	 * @param work makes the attempts
	 * @param schedule how long to wait
	 * @param factory creates the certificates of a set
	 * @param application has more sets, or {@code null}
	 * @param onDemand allows names that clients ask for, or {@code null}
	 */
	AcmeSets(CertificateHosts hosts, AcmeWork work, AcmeSchedule schedule, Factory factory,
			@Nullable AcmeDomains application, @Nullable AcmeOnDemandDomains onDemand) {
		this.hosts = hosts;
		this.work = work;
		this.schedule = schedule;
		this.factory = factory;
		this.application = application;
		this.onDemand = onDemand;
	}

	/**
	 * Serve what is in the folder for the sets of the properties.
	 * @param configured the sets
	 * @param patience how long a handshake waits for a certificate, at most
	 * @throws IOException if the folder cannot be read
	 */
	void load(List<List<String>> configured, Duration patience) throws IOException {
		this.configured = configured;
		this.hosts.expect(SettingName.ACME);
		update(configured);
		if (this.onDemand != null) {
			this.hosts.askLast((serverName, name) -> {
				obtain(serverName, this.onDemand, patience);
				return null;
			});
		}
	}

	/**
	 * Ask the application, and serve what is in the folder for its sets.
	 */
	void prepare() {
		refresh();
	}

	void start() {
		ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor((work) -> {
			Thread daemon = new Thread(work, "acme-domains");
			daemon.setDaemon(true);
			return daemon;
		});
		long interval = Math.min(this.schedule.clockCheck().toMillis(), this.schedule.otherAtWork().toMillis());
		prepare();
		thread.scheduleWithFixedDelay(this::refresh, interval, interval, TimeUnit.MILLISECONDS);
		this.thread = thread;
	}

	void stop() {
		ScheduledExecutorService thread = this.thread;
		this.thread = null;
		if (thread != null) {
			thread.shutdownNow();
		}
	}

	// The executor would not ask again after an error
	private void refresh() {
		try {
			takeOver();
			if (System.nanoTime() - this.nextQuestion >= 0) {
				this.nextQuestion = System.nanoTime() + this.schedule.clockCheck().toNanos();
				askApplication();
				removeThoseThatLeave();
				report();
			}
		}
		catch (Throwable ex) {
			try {
				warnOnce("The domains of certificates could not be brought up to date", ex);
			}
			catch (Throwable unlogged) {
				// There is no memory
			}
		}
	}

	// What other replicas have renewed
	private void takeOver() {
		try {
			SharedStore.Changes changes = this.factory.changed(this.mark);
			Set<String> names = Set.copyOf(changes.names());
			if (this.mark != null && !names.isEmpty()) {
				for (SetOfDomains set : all().filter((any) -> any.certificates.isIn(names)).toList()) {
					set.certificates.serve();
				}
			}
			this.mark = changes.mark();
		}
		catch (IOException | RuntimeException ex) {
			logger.debug("Certificates of other replicas cannot be taken over", ex);
		}
	}

	private void askApplication() throws IOException {
		if (this.application == null) {
			return;
		}
		Set<List<String>> found;
		try {
			found = this.application.find()
				.stream()
				.map(AcmeSets::copy)
				.collect(Collectors.toCollection(LinkedHashSet::new));
		}
		catch (RuntimeException ex) {
			warnOnce(
					"The application has not said for which domains to obtain certificates, so that those from before count",
					ex);
			return;
		}
		if (!found.equals(this.found)) {
			List<List<String>> all = new ArrayList<>(this.configured);
			List<String> refused = new ArrayList<>();
			for (List<String> domains : found) {
				try {
					all.add(this.factory.validate(domains));
				}
				catch (TlsSettingException ex) {
					refused.add(ForeignText.message(ex.getReason(SettingName::toString)));
				}
			}
			update(all);
			this.found = found;
			warn("Sets of domains of the application for which no certificate is possible: %d. %s", refused);
		}
		this.isFailing = false;
	}

	private void warnOnce(String message, Throwable ex) {
		String text = "%s: %s".formatted(message, ForeignText.of(ex));
		if (this.isFailing) {
			logger.debug(text);
		}
		else {
			logger.warn(text);
		}
		this.isFailing = true;
	}

	// The application may go on to change it, and what it has not is not a name
	private static List<String> copy(@Nullable List<@Nullable String> domains) {
		return (domains != null) ? domains.stream().map((domain) -> Objects.requireNonNullElse(domain, "")).toList()
				: List.of();
	}

	private static void warn(String message, List<String> examples) {
		if (!examples.isEmpty()) {
			logger.warn(message.formatted(examples.size(), some(examples)));
		}
	}

	private static String some(List<String> examples) {
		return examples.stream().limit(MOST_NAMED).collect(Collectors.joining(". "))
				+ ((examples.size() > MOST_NAMED) ? ". And others" : "");
	}

	private void update(Collection<List<String>> wanted) throws IOException {
		Map<String, SetOfDomains> byDomain = new HashMap<>();
		Set<SetOfDomains> all = new LinkedHashSet<>();
		List<SetOfDomains> added = new ArrayList<>();
		synchronized (this) {
			for (List<String> domains : wanted) {
				SetOfDomains set = this.sets.get(Set.copyOf(domains));
				if (set == null) {
					set = create(domains);
				}
				if (!set.isAdded) {
					added.add(set);
				}
				set.isOnDemand = false;
				this.waiting.remove(set);
				all.add(set);
				for (String domain : domains) {
					byDomain.put(domain, set);
				}
			}
			for (SetOfDomains set : List.copyOf(this.sets.values())) {
				if (!set.isOnDemand && !all.contains(set)) {
					forget(set);
					this.leaving.put(set.key(), set);
				}
			}
			this.byDomain = byDomain;
		}
		List<SetOfDomains> missing = new ArrayList<>();
		for (SetOfDomains set : added) {
			add(set);
			if (!set.certificates.isServed()) {
				missing.add(set);
			}
		}
		if (this.found == null) {
			serveOthers(missing);
		}
	}

	private SetOfDomains create(List<String> domains) {
		SetOfDomains left = this.leaving.remove(Set.copyOf(domains));
		SetOfDomains set = (left != null) ? left : new SetOfDomains(domains);
		this.sets.put(set.key(), set);
		return set;
	}

	// A file that cannot be read, or used, is a matter of its set, which asks the CA
	private void add(SetOfDomains set) {
		boolean complete = false;
		try {
			complete = set.certificates.serve();
		}
		catch (IOException | RuntimeException ex) {
			logger.debug("The certificate for %s cannot be served".formatted(String.join(", ", set.domains)), ex);
		}
		synchronized (this) {
			if (this.sets.get(set.key()) == set) {
				this.work.add(set.certificates, complete ? spread() : Duration.ZERO);
				set.isAdded = true;
			}
		}
	}

	// Thousands of them would ask the CA at the same time
	private Duration spread() {
		long most = Math.min(this.schedule.longestDelay().toMillis(),
				BETWEEN_STARTS.toMillis() * (this.sets.size() - 1));
		return Duration.ofMillis(ThreadLocalRandom.current().nextLong(most + 1));
	}

	// Those of other sets, until the CA has issued the right ones
	private void serveOthers(List<SetOfDomains> missing) throws IOException {
		if (missing.isEmpty()) {
			return;
		}
		Map<String, List<AcmeCertificate>> others = new HashMap<>();
		for (AcmeCertificate certificate : this.factory.valid()) {
			certificate.names()
				.forEach((name) -> others.computeIfAbsent(name, (any) -> new ArrayList<>()).add(certificate));
		}
		for (SetOfDomains set : missing) {
			set.domains.stream()
				.flatMap((domain) -> Stream.of(domain, HostNames.wildcardOf(domain)))
				.flatMap((name) -> others.getOrDefault(name, List.of()).stream())
				.min(Comparator.<AcmeCertificate>comparingInt((certificate) -> certificate.missing(set.domains).size())
					.thenComparing(AcmeCertificate::expiry, Comparator.reverseOrder()))
				.ifPresent((best) -> serve(set, best));
		}
	}

	private static void serve(SetOfDomains set, AcmeCertificate other) {
		try {
			set.serve(List.of(other));
		}
		catch (RuntimeException ex) {
			logger.debug("'%s' cannot be served".formatted(other), ex);
		}
	}

	private void forget(SetOfDomains set) {
		this.sets.remove(set.key(), set);
		this.waiting.remove(set);
		this.work.remove(set.certificates);
		set.isAdded = false;
	}

	private void removeThoseThatLeave() {
		Set<String> missing = this.byDomain.entrySet()
			.stream()
			.filter((domain) -> !domain.getValue().certificates.isServed())
			.map(Map.Entry::getKey)
			.collect(Collectors.toSet());
		Set<String> wildcards = missing.stream().map(HostNames::wildcardOf).collect(Collectors.toSet());
		List<SetOfDomains> gone;
		synchronized (this) {
			gone = this.leaving.values()
				.stream()
				.filter((set) -> set.names()
					.noneMatch((name) -> missing.contains(name) || missing.contains(HostNames.wildcardOf(name))
							|| wildcards.contains(name)))
				.toList();
			gone.forEach((set) -> this.leaving.remove(set.key()));
		}
		gone.forEach(SetOfDomains::remove);
		if (!gone.isEmpty()) {
			logger.info("Certificates that are no longer wanted, and no longer served: %d, such as that for %s"
				.formatted(gone.size(), String.join(", ", gone.get(0).domains)));
		}
	}

	// The next handshake finds the host, if this one does not
	private void obtain(String serverName, AcmeOnDemandDomains onDemand, Duration patience) {
		SetOfDomains set = this.byDomain.getOrDefault(serverName, this.byDomain.get(HostNames.wildcardOf(serverName)));
		try {
			if (set == null) {
				List<String> domains = this.factory.validate(List.of(serverName));
				set = onDemand.isAllowed(serverName) ? onDemand(domains) : null;
			}
			if (set != null) {
				await(set, patience.toNanos());
			}
		}
		catch (TlsSettingException ex) {
			logger.debug("'%s' is not a name for a certificate".formatted(ForeignText.of(serverName)));
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("There is no certificate for '%s' yet".formatted(ForeignText.of(serverName)), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private SetOfDomains onDemand(List<String> domains) {
		SetOfDomains set;
		synchronized (this) {
			set = this.sets.get(Set.copyOf(domains));
			if (set == null) {
				set = create(domains);
				set.isOnDemand = true;
				this.waiting.add(set);
				if (this.waiting.size() > MOST_WAITING) {
					forget(this.waiting.iterator().next());
				}
			}
			if (set.isAdded) {
				return set;
			}
		}
		add(set);
		return set;
	}

	private void await(SetOfDomains set, long patience)
			throws InterruptedException, ExecutionException, TimeoutException {
		long end = System.nanoTime() + patience;
		long left = patience;
		boolean goesOn = set.certificates.mayAttempt();
		while (left > 0 && !set.certificates.isServed() && goesOn) {
			set.certificates.clientWaits();
			this.work.hurry(set.certificates).get(left, TimeUnit.NANOSECONDS);
			goesOn = set.certificates.isWithOther();
			if (!set.certificates.isServed() && goesOn) {
				TimeUnit.NANOSECONDS.sleep(Math.min(SECOND.toNanos(), left));
			}
			left = end - System.nanoTime();
		}
	}

	private void report() {
		List<String> issued;
		synchronized (this.issued) {
			issued = List.copyOf(this.issued);
			this.issued.clear();
		}
		Summary summary = summary();
		boolean waiting = summary.waiting() > 0;
		if (!issued.isEmpty() || waiting && !this.reportedWaiting) {
			logger.info("Certificates that the CA has issued: %d%s. Of %4$d sets of domains, %3$d have one%5$s"
				.formatted(issued.size(), issued.isEmpty() ? "" : ", such as that for " + issued.get(0),
						summary.served(), summary.sets(), waiting ? ", and %d wait, because of '%s'"
							.formatted(summary.waiting(), AcmeProperties.ORDERS_PER_HOUR) : ""));
		}
		this.reportedWaiting = waiting;
		List<Failing> problems = Failing.of(all());
		Set<SetOfDomains> failing = problems.stream().map(Failing::set).collect(Collectors.toSet());
		Instant now = Instant.now();
		boolean isNews = !this.failing.containsAll(failing);
		Duration pause = isNews ? this.schedule.restartDelay() : this.schedule.betweenWarnings();
		if (!failing.isEmpty() && (this.warned == null || !now.isBefore(this.warned.plus(pause)))) {
			warn("Sets of domains for which no certificate could be obtained: %d. %s",
					problems.stream()
						.sorted(Comparator.comparing((problem) -> this.failing.contains(problem.set())))
						.map(Failing::problem)
						.toList());
			this.warned = now;
			this.failing = failing;
		}
	}

	private Stream<SetOfDomains> all() {
		synchronized (this) {
			return List.copyOf(this.sets.values()).stream();
		}
	}

	/**
	 * Return how the sets are.
	 * @return a summary
	 */
	Summary summary() {
		List<SetOfDomains> sets = all().toList();
		List<String> problems = Failing.of(sets.stream()).stream().map(Failing::problem).toList();
		return new Summary(sets.size(), (int) sets.stream().filter((set) -> set.certificates.isServed()).count(),
				problems.size(), (int) sets.stream().filter(SetOfDomains::isWaiting).count(),
				problems.stream().limit(MOST_NAMED).toList());
	}

	/**
	 * A set whose last attempt has failed.
	 *
	 * @param set the set
	 * @param end when its certificate expires, at the time of the question
	 * @param problem the problem
	 */
	private record Failing(SetOfDomains set, Instant end, String problem) {

		static List<Failing> of(Stream<SetOfDomains> sets) {
			List<Failing> failing = new ArrayList<>();
			sets.forEach((set) -> {
				String problem = set.problem();
				if (problem != null) {
					failing.add(new Failing(set, set.end(), problem));
				}
			});
			failing.sort(Comparator.comparing(Failing::end));
			return failing;
		}

	}

	/**
	 * How the sets are.
	 *
	 * @param sets how many there are
	 * @param served how many have a certificate
	 * @param failing for how many the last attempt has failed
	 * @param waiting how many have none because of the limits of the CA
	 * @param problems why, for the three whose certificates expire first
	 */
	record Summary(int sets, int served, int failing, int waiting, List<String> problems) {

	}

	/**
	 * Creates what a set needs.
	 */
	interface Factory {

		/**
		 * Check the domains of a set.
		 * @param domains the domains
		 * @return the domains, as the CA expects them
		 * @throws TlsSettingException if a CA cannot issue a certificate for them
		 */
		List<String> validate(List<String> domains);

		/**
		 * Create the certificates of a set.
		 * @param domains the domains
		 * @param host serves the certificates
		 * @return the certificates
		 */
		AcmeCertificates create(List<String> domains, AcmeCertificates.Host host);

		/**
		 * Return all valid certificates in the folder.
		 * @return the certificates
		 * @throws IOException if the folder cannot be read
		 */
		List<AcmeCertificate> valid() throws IOException;

		/**
		 * Return the certificates that replicas have replaced.
		 * @param since the mark of an earlier answer, or {@code null} at first
		 * @return their names in the store, and the mark for the next question
		 * @throws IOException if the store cannot be read
		 */
		SharedStore.Changes changed(@Nullable String since) throws IOException;

	}

	/**
	 * Domains that share a certificate.
	 */
	private final class SetOfDomains implements AcmeCertificates.Host {

		private final List<String> domains;

		private final AcmeCertificates certificates;

		private volatile boolean isOnDemand;

		/**
		 * Whether attempts are made for it.
		 */
		private boolean isAdded;

		private volatile @Nullable CertificateHost host;

		private volatile @Nullable String refusal;

		private SetOfDomains(List<String> domains) {
			this.domains = domains;
			this.certificates = AcmeSets.this.factory.create(domains, this);
		}

		private Set<String> key() {
			return Set.copyOf(this.domains);
		}

		private String name() {
			return "acme/" + String.join(",", new TreeSet<>(this.domains));
		}

		@Override
		public void serve(List<AcmeCertificate> certificates) {
			CertificateHost host = CertificateHost.of(name(),
					certificates.stream().map((certificate) -> AcmeCertificate.key(certificate.pem())).toList(),
					(problem) -> this.refusal = problem.getReason(SettingName::toString));
			// Another set of the same domains may have taken its place
			synchronized (AcmeSets.this) {
				if (AcmeSets.this.sets.get(key()) == this || AcmeSets.this.leaving.get(key()) == this) {
					AcmeSets.this.hosts.put(host).forEach(logger::debug);
					this.host = host;
					this.refusal = null;
					AcmeSets.this.waiting.remove(this);
				}
			}
		}

		@Override
		public boolean isServing() {
			CertificateHost host = this.host;
			return host != null && AcmeSets.this.hosts.get(host.name()) == host;
		}

		@Override
		public void issued() {
			synchronized (AcmeSets.this.issued) {
				AcmeSets.this.issued.add(String.join(", ", this.domains));
			}
		}

		@Override
		public boolean isWanted() {
			if (!this.isOnDemand) {
				return true;
			}
			try {
				if (Objects.requireNonNull(AcmeSets.this.onDemand).isAllowed(this.domains.get(0))) {
					return true;
				}
			}
			catch (RuntimeException ex) {
				logger.debug("The application has not said whether a certificate is wanted", ex);
				return true;
			}
			synchronized (AcmeSets.this) {
				forget(this);
			}
			remove();
			return false;
		}

		private Stream<String> names() {
			CertificateHost host = this.host;
			return (host != null) ? host.serverNames().stream() : Stream.empty();
		}

		private void remove() {
			CertificateHost host = this.host;
			if (host != null) {
				AcmeSets.this.hosts.remove(host);
			}
		}

		private boolean isWaiting() {
			return !this.certificates.isServed() && this.certificates.isLimited();
		}

		// Without a certificate, there is no time left
		private Instant end() {
			AcmeCertificates.Validity validity = this.certificates.validity();
			return (validity != null) ? validity.end() : Instant.EPOCH;
		}

		private @Nullable String problem() {
			String problem = (this.refusal != null) ? this.refusal : this.certificates.status().problem();
			AcmeCertificates.Validity validity = this.certificates.validity();
			return (problem != null)
					? "%s: %s%s".formatted(String.join(", ", this.domains), problem,
							(validity != null) ? ". " + validity.describe(this.certificates.clock().instant()) : "")
					: null;
		}

	}

}
