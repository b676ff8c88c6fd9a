// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.certificate.CertificateReloads;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.ssl.SslBundleRegistrar;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.Ssl;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.io.ResourceLoader;

/**
 * Reads the certificate files and hands them to the web servers as SSL bundles. The
 * application gets the same bundles for its clients, SSL information, health and metrics.
 * Then polls the files of all hosts on its own thread. It does not rely on file system
 * events, because network file systems and some container mounts do not deliver them.
 * Starts after the web server, and stops before it. If files are not reloaded, only
 * checks whether revocation lists have expired.
 */
public class CertificateWatcher implements SslBundleRegistrar, SmartLifecycle, CertificateReloads {

	private static final Log logger = LogFactory.getLog(CertificateWatcher.class);

	/**
	 * The longest and the shortest interval between two polls, in milliseconds.
	 */
	private static final long LONGEST_INTERVAL = 1000;

	private static final long SHORTEST_INTERVAL = 10;

	/**
	 * How long to wait for the end of a poll, in seconds.
	 */
	private static final int STOP_SECONDS = 10;

	/**
	 * After how long a poll counts as one that hangs.
	 */
	private static final Duration LONGEST_POLL = Duration.ofMinutes(1);

	private final List<VirtualHostFiles> hosts;

	private final ServerBundles serverBundles = new ServerBundles();

	private final ResourceLoader resourceLoader;

	private final boolean reloadOnUpdate;

	private final Duration quietPeriod;

	private final Clock clock;

	/**
	 * When the current poll has begun.
	 */
	private volatile @Nullable Instant polling;

	/**
	 * Why the last poll has failed, or {@code null}.
	 */
	private volatile @Nullable String failure;

	/**
	 * Whether the failure of a poll was logged, and the files were not in order since.
	 */
	private boolean isLogged;

	private Duration pause = Duration.ZERO;

	private long nextPoll = System.nanoTime();

	private final List<ReloadableFiles<?>> others = new CopyOnWriteArrayList<>();

	private volatile Map<String, FileContent> contents;

	private final List<HostCertificate> certificates;

	private @Nullable CertificateDirectory directory;

	/**
	 * Not one of Spring's, because agents for tracing record each run of those.
	 */
	private volatile @Nullable ScheduledExecutorService scheduler;

	/**
	 * Has thousands of certificates, for which the others do not wait.
	 */
	private volatile @Nullable ScheduledExecutorService directoryScheduler;

	/**
	 * Read the files.
	 * @param hosts the hosts, the default host first; empty if there are no certificate
	 * files
	 * @param ssl the TLS settings of the main server, besides its certificates
	 * @param managementSsl the TLS settings of the management server, besides its
	 * certificate
	 * @param resourceLoader loads the files
	 * @param reloadOnUpdate whether to reload the files when they change
	 * @param quietPeriod how long files must stay unchanged before they are used
	 * @param clock the clock for the current time
	 * @param names returns the name of the property that a setting comes from
	 * @throws TlsSettingException if a file cannot be used
	 */
	public CertificateWatcher(List<VirtualHostFiles> hosts, Ssl ssl, Ssl managementSsl, ResourceLoader resourceLoader,
			boolean reloadOnUpdate, Duration quietPeriod, Clock clock, Function<SettingName, String> names) {
		this.hosts = List.copyOf(hosts);
		this.resourceLoader = resourceLoader;
		this.reloadOnUpdate = reloadOnUpdate;
		this.quietPeriod = quietPeriod;
		this.clock = clock;
		this.contents = read(Map.of());
		CertificateFileBundles bundles = new CertificateFileBundles(ssl);
		CertificateFileBundles managementBundles = new CertificateFileBundles(managementSsl);
		this.certificates = this.hosts.stream()
			.map((host) -> new HostCertificate(host, host.isManagement() ? managementBundles : bundles,
					() -> this.contents, reloadOnUpdate, clock, names))
			.toList();
		this.certificates.forEach((certificate) -> certificate.register(this.serverBundles));
	}

	/**
	 * Register the SSL bundles for the application, which need not ask for them.
	 * @throws TlsSettingException if the application has a bundle of the same name
	 */
	@Override
	public void registerBundles(SslBundleRegistry registry) {
		this.certificates.forEach((certificate) -> certificate.register(registry));
		// Spring Boot would warn at each reload that nobody uses the update
		if (registry instanceof SslBundles bundles) {
			this.hosts.forEach((host) -> bundles.addBundleUpdateHandler(host.bundleName(), (ignored) -> {
			}));
		}
	}

	/**
	 * Return the SSL bundles that web servers use.
	 * @return the bundles
	 */
	public ServerBundles serverBundles() {
		return this.serverBundles;
	}

	// Once for all hosts, which share the files of the CAs and the revocation lists
	private Map<String, FileContent> read(Map<String, FileContent> before) {
		Set<ConfiguredFile> files = new LinkedHashSet<>();
		this.hosts.forEach((host) -> files.addAll(host.files()));
		return FileContent.read(files, before, this.resourceLoader, System.nanoTime());
	}

	/**
	 * Return the hosts.
	 * @return the hosts, the default host first; empty if there are no certificate files
	 */
	public List<VirtualHostFiles> hosts() {
		return this.hosts;
	}

	/**
	 * Return where a certificate comes from, including those that are just being put into
	 * use.
	 * @param certificate a certificate of a server, or of its chain
	 * @return its number, file and property, or {@code null} if it is in none of the
	 * files
	 */
	public @Nullable String origin(X509Certificate certificate) {
		return this.certificates.stream().flatMap((host) -> host.origins(certificate)).findFirst().orElse(null);
	}

	/**
	 * Poll other files too.
	 * @param files the files
	 */
	public void watch(ReloadableFiles<?> files) {
		this.others.add(files);
	}

	/**
	 * Read the certificates of a folder, each of which makes a host.
	 * @param property the name of the property that names the folder
	 * @param location the folder
	 * @param hosts gets the hosts
	 * @throws TlsSettingException if the folder cannot be read
	 */
	public void watch(String property, String location, CertificateHosts hosts) {
		CertificateDirectory directory = CertificateDirectory.of(property, location, hosts, this.resourceLoader,
				this.reloadOnUpdate, this.quietPeriod, this.clock);
		directory.load();
		this.directory = directory;
	}

	private Stream<ReloadableFiles<?>> files() {
		return Stream.concat(this.certificates.stream(), this.others.stream());
	}

	@Override
	public List<Status> status() {
		String overdue = overdue();
		String problem = (overdue != null) ? overdue : this.failure;
		CertificateDirectory directory = this.directory;
		return Stream
			.concat(files().map(ReloadableFiles::status)
				.map((status) -> (problem != null) ? withProblem(status, problem) : status),
					Stream.ofNullable(directory).map(CertificateDirectory::status))
			.toList();
	}

	private static Status withProblem(Status status, String problem) {
		return new Status(status.name(), status.serverName(), status.succeeded(), status.failed(), status.lastSuccess(),
				problem);
	}

	private @Nullable String overdue() {
		Instant polling = this.polling;
		return (polling != null && polling.plus(LONGEST_POLL).isBefore(this.clock.instant()))
				? "The files have not been checked since %s. Check whether their file system still responds"
					.formatted(polling)
				: null;
	}

	@Override
	public void start() {
		CertificateDirectory directory = this.directory;
		if (directory != null) {
			ScheduledExecutorService scheduler = scheduler("certificate-directory-1");
			scheduler.scheduleWithFixedDelay(directory::pollSafely, LONGEST_INTERVAL, LONGEST_INTERVAL,
					TimeUnit.MILLISECONDS);
			this.directoryScheduler = scheduler;
		}
		boolean isNeeded = this.reloadOnUpdate ? files().findAny().isPresent()
				: this.certificates.stream().anyMatch((certificate) -> !certificate.revocationLists().isEmpty());
		if (!isNeeded) {
			return;
		}
		ScheduledExecutorService scheduler = scheduler("certificate-reload-1");
		long interval = Math.min(LONGEST_INTERVAL, Math.max(SHORTEST_INTERVAL, this.quietPeriod.toMillis() / 2));
		scheduler.scheduleWithFixedDelay(this::pollSafely, interval, interval, TimeUnit.MILLISECONDS);
		this.scheduler = scheduler;
	}

	private static ScheduledExecutorService scheduler(String name) {
		return Executors.newSingleThreadScheduledExecutor((poller) -> {
			Thread thread = new Thread(poller, name);
			thread.setDaemon(true);
			return thread;
		});
	}

	// The executor would not poll again after an error
	private void pollSafely() {
		if (System.nanoTime() - this.nextPoll < 0) {
			return;
		}
		try {
			this.polling = this.clock.instant();
			poll();
			this.pause = Duration.ZERO;
			this.failure = null;
			logRecovery();
		}
		catch (Throwable ex) {
			try {
				failed(ex);
			}
			catch (Throwable unlogged) {
				// It cannot be logged: there is no memory, or an appender has failed
			}
		}
		finally {
			this.polling = null;
		}
	}

	private void failed(Throwable ex) {
		this.pause = ReloadableFiles.next(this.pause, this.quietPeriod, ReloadableFiles.LONGEST_PAUSE);
		this.nextPoll = System.nanoTime() + this.pause.toNanos();
		String problem = "The certificate files could not be checked, and those in use stay in use: %s. %s"
			.formatted(ex, ReloadableFiles.action(ex, "See the log for where it failed"));
		this.failure = problem;
		if (!this.isLogged) {
			this.isLogged = true;
			logger.error(problem, ex);
		}
	}

	private void logRecovery() {
		if (this.isLogged && files().allMatch((files) -> files.status().problem() == null)) {
			this.isLogged = false;
			logger.info("The certificate files are checked again");
		}
	}

	private void poll() {
		if (this.reloadOnUpdate) {
			this.contents = read(this.contents);
			files().forEach((files) -> files.poll(this.quietPeriod, System.nanoTime()));
		}
		else {
			this.certificates.forEach(HostCertificate::checkInUse);
		}
	}

	@Override
	public void stop() {
		List<ScheduledExecutorService> schedulers = Stream.of(this.scheduler, this.directoryScheduler)
			.filter(Objects::nonNull)
			.toList();
		schedulers.forEach(ScheduledExecutorService::shutdown);
		if (!schedulers.stream().allMatch(CertificateWatcher::isTerminated)) {
			logger.warn("Reading the certificate files takes too long. Check whether their file system still responds");
		}
		this.scheduler = null;
		this.directoryScheduler = null;
	}

	private static boolean isTerminated(ScheduledExecutorService scheduler) {
		try {
			return scheduler.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return scheduler.isTerminated();
		}
	}

	@Override
	public boolean isRunning() {
		return this.scheduler != null || this.directoryScheduler != null;
	}

}
