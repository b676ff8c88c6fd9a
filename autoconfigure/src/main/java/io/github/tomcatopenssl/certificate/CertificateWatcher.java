// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.security.cert.X509CRL;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.ssl.SslBundleRegistrar;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.io.ResourceLoader;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Registers the certificate files as SSL bundles, so that both engines, all web servers,
 * SSL information, health and metrics read the same thing. Then looks at the files of all
 * hosts again and again, on a thread of its own, rather than wait for events of the file
 * system, which are not delivered for network file systems and some container mounts.
 * Starts after the web server, and has stopped before it stops. Where files are not used
 * when they change, looks whether revocation lists have run out.
 */
public class CertificateWatcher implements SslBundleRegistrar, SmartLifecycle, CertificateReloads {

	private static final Log logger = LogFactory.getLog(CertificateWatcher.class);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private final List<HostFiles> hosts;

	private final BiFunction<HostFiles, HostFiles.Content, SslBundle> bundles;

	private final ResourceLoader resourceLoader;

	private final boolean reloadOnUpdate;

	private final List<Watched> others = new CopyOnWriteArrayList<>();

	private volatile List<ReloadableCertificate> certificates = List.of();

	private @Nullable SslBundleRegistry registry;

	private volatile @Nullable ThreadPoolTaskScheduler scheduler;

	private final long createdAt = System.nanoTime();

	private int speed = 1;

	/**
	 * Create a new watcher.
	 * @param hosts the hosts, the default host first; empty when there are no certificate
	 * files
	 * @param bundles makes bundles of the files
	 * @param resourceLoader loads the files
	 * @param reloadOnUpdate whether the files are used when they change
	 */
	public CertificateWatcher(List<HostFiles> hosts, BiFunction<HostFiles, HostFiles.Content, SslBundle> bundles,
			ResourceLoader resourceLoader, boolean reloadOnUpdate) {
		this.hosts = List.copyOf(hosts);
		this.bundles = bundles;
		this.resourceLoader = resourceLoader;
		this.reloadOnUpdate = reloadOnUpdate;
	}

	/**
	 * Read the files and register them as SSL bundles.
	 * @throws CertificateFileException if some files cannot be used
	 */
	@Override
	public void registerBundles(SslBundleRegistry registry) {
		FileSnapshot files = FileSnapshot.read(locations(), this.resourceLoader);
		List<ReloadableCertificate> certificates = new ArrayList<>();
		for (HostFiles host : this.hosts) {
			ReloadableCertificate certificate = new ReloadableCertificate(host, files, this.bundles,
					this.resourceLoader, Clock.systemUTC());
			certificate.register(registry);
			certificates.add(certificate);
		}
		this.certificates = List.copyOf(certificates);
		this.registry = registry;
	}

	/**
	 * Return the hosts.
	 * @return the hosts, the default host first; empty when there are no certificate
	 * files
	 */
	public List<HostFiles> hosts() {
		return this.hosts;
	}

	/**
	 * Return the revocation lists that were validated, those of files that are just taken
	 * into use included.
	 * @param serverName the name of the host
	 * @return its revocation lists, or those of the default host
	 */
	public List<X509CRL> revocationLists(String serverName) {
		List<ReloadableCertificate> certificates = this.certificates;
		return certificates.stream()
			.filter((certificate) -> certificate.isFor(serverName))
			.findFirst()
			.or(() -> certificates.stream().findFirst())
			.map(ReloadableCertificate::revocationLists)
			.orElse(List.of());
	}

	private List<String> locations() {
		return this.hosts.stream().flatMap((host) -> host.locations().stream()).distinct().toList();
	}

	@Override
	public List<Status> status() {
		return Stream
			.concat(this.certificates.stream().map(ReloadableCertificate::status),
					this.others.stream().map(Watched::status))
			.toList();
	}

	/**
	 * Look at other files too, from the next start on.
	 * @param other what looks at them
	 */
	public void watch(Watched other) {
		this.others.add(other);
	}

	@Override
	public void start() {
		SslBundleRegistry registry = this.registry;
		if (this.reloadOnUpdate && registry != null) {
			WatchedFiles files = new WatchedFiles(locations(), this.resourceLoader);
			if (files.isAnyChangeable() || !this.others.isEmpty()) {
				repeat(() -> {
					FileSnapshot snapshot = files.look(now());
					this.certificates.forEach((certificate) -> certificate.check(registry, snapshot, now()));
					this.others.forEach(Watched::look);
				});
			}
		}
		else if (this.certificates.stream().anyMatch(ReloadableCertificate::hasRevocationLists)) {
			repeat(() -> this.certificates.forEach((certificate) -> certificate.checkRevocationLists(now(), false)));
		}
	}

	/**
	 * Have all that is waited for pass faster, for tests.
	 * @param speed how many times faster than the clock
	 */
	void accelerate(int speed) {
		this.speed = speed;
	}

	private long now() {
		return this.createdAt + (System.nanoTime() - this.createdAt) * this.speed;
	}

	private void repeat(Runnable look) {
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		scheduler.setThreadNamePrefix("certificate-reload-");
		scheduler.setDaemon(true);
		scheduler.setErrorHandler((ex) -> logger.error("Unable to look at the certificate files", ex));
		scheduler.setWaitForTasksToCompleteOnShutdown(true);
		scheduler.setAwaitTerminationSeconds(10);
		scheduler.afterPropertiesSet();
		Duration interval = INTERVAL.dividedBy(this.speed);
		scheduler.scheduleWithFixedDelay(look, Instant.now().plus(interval), interval);
		this.scheduler = scheduler;
	}

	@Override
	public void stop() {
		ThreadPoolTaskScheduler scheduler = this.scheduler;
		if (scheduler != null) {
			scheduler.shutdown();
			if (!scheduler.getScheduledExecutor().isTerminated()) {
				logger.warn(
						"Reading the certificate files does not end. See whether the file system that they are on still answers");
			}
			this.scheduler = null;
		}
	}

	@Override
	public boolean isRunning() {
		return this.scheduler != null;
	}

	/**
	 * Other files that are used anew when they change.
	 */
	public interface Watched {

		/**
		 * Look whether the files have changed, each second.
		 */
		void look();

		/**
		 * Return what became of them.
		 * @return the state
		 */
		Status status();

	}

}
