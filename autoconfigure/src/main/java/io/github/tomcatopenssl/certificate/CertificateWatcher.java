// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.ssl.SslBundleRegistrar;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.Ssl.ClientAuth;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.io.ResourceLoader;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Registers the certificate files as SSL bundles, so that both engines, all web servers,
 * SSL information, health and metrics read the same certificates. Then polls the files of
 * all hosts on its own thread. It does not rely on file system events, because network
 * file systems and some container mounts do not deliver them. Starts after the web
 * server, and stops before it. If files are not reloaded, only checks whether revocation
 * lists have expired.
 */
public class CertificateWatcher implements SslBundleRegistrar, SmartLifecycle, CertificateReloads {

	private static final Log logger = LogFactory.getLog(CertificateWatcher.class);

	/**
	 * The longest and the shortest interval between two polls, in milliseconds.
	 */
	private static final long LONGEST_INTERVAL = 1000;

	private static final long SHORTEST_INTERVAL = 10;

	private final List<VirtualHostFiles> hosts;

	private final CertificateFileBundles bundles;

	private final CertificateFileBundles managementBundles;

	private final ResourceLoader resourceLoader;

	private final boolean reloadOnUpdate;

	private final Duration quietPeriod;

	private final Function<SettingName, String> names;

	private final List<ReloadableFiles<?>> others = new CopyOnWriteArrayList<>();

	private volatile Map<String, FileContent> contents = Map.of();

	private volatile List<HostCertificate> certificates = List.of();

	private volatile @Nullable ThreadPoolTaskScheduler scheduler;

	/**
	 * Create a new watcher.
	 * @param hosts the hosts, the default host first; empty if there are no certificate
	 * files
	 * @param ssl the TLS settings of the main server, besides its certificates
	 * @param managementSsl the TLS settings of the management server, besides its
	 * certificate
	 * @param resourceLoader loads the files
	 * @param reloadOnUpdate whether to reload the files when they change
	 * @param quietPeriod how long files must stay unchanged before they are used
	 * @param names returns the name of the property that a setting comes from
	 */
	public CertificateWatcher(List<VirtualHostFiles> hosts, Ssl ssl, Ssl managementSsl, ResourceLoader resourceLoader,
			boolean reloadOnUpdate, Duration quietPeriod, Function<SettingName, String> names) {
		this.hosts = List.copyOf(hosts);
		this.bundles = new CertificateFileBundles(ssl);
		this.managementBundles = new CertificateFileBundles(managementSsl);
		this.resourceLoader = resourceLoader;
		this.reloadOnUpdate = reloadOnUpdate;
		this.quietPeriod = quietPeriod;
		this.names = names;
	}

	/**
	 * Read the files and register them as SSL bundles.
	 * @throws TlsSettingException if a file cannot be used
	 */
	@Override
	public void registerBundles(SslBundleRegistry registry) {
		readFiles();
		this.certificates = this.hosts.stream()
			.map((host) -> new HostCertificate(host, registry,
					host.isManagement() ? this.managementBundles : this.bundles, () -> this.contents,
					this.reloadOnUpdate, Clock.systemUTC(), this.names))
			.toList();
	}

	// Once for all hosts, which share the files of the CAs and the revocation lists
	private void readFiles() {
		Map<String, String> locations = new LinkedHashMap<>();
		this.hosts.forEach((host) -> locations.putAll(host.locations()));
		this.contents = FileContent.read(locations, this.contents, this.resourceLoader, System.nanoTime());
	}

	/**
	 * Return the hosts.
	 * @return the hosts, the default host first; empty if there are no certificate files
	 */
	public List<VirtualHostFiles> hosts() {
		return this.hosts;
	}

	/**
	 * Return whether the files of all hosts are registered as SSL bundles.
	 * @return whether a registry has asked for them
	 */
	public boolean isRegistered() {
		return this.certificates.size() == this.hosts.size();
	}

	/**
	 * Return the validated revocation lists, including those of files that are just being
	 * put into use.
	 * @param bundle the name of an SSL bundle that is created from certificate files
	 * @return the revocation lists of its host
	 */
	public List<X509CRL> revocationLists(String bundle) {
		return this.certificates.stream()
			.filter((certificate) -> certificate.isOf(bundle))
			.findFirst()
			.map(HostCertificate::revocationLists)
			.orElse(List.of());
	}

	/**
	 * Return how the clients of a host are verified.
	 * @param bundle the name of an SSL bundle that is created from certificate files
	 * @return how they are verified, or {@code null} for the setting of the server
	 */
	public @Nullable ClientAuth clientAuth(String bundle) {
		return this.hosts.stream()
			.filter((host) -> host.bundleName().equals(bundle))
			.findFirst()
			.map(VirtualHostFiles::clientAuth)
			.orElse(null);
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

	private Stream<ReloadableFiles<?>> files() {
		return Stream.concat(this.certificates.stream(), this.others.stream());
	}

	@Override
	public List<Status> status() {
		return files().map(ReloadableFiles::status).toList();
	}

	@Override
	public void start() {
		boolean isNeeded = this.reloadOnUpdate ? files().findAny().isPresent()
				: this.certificates.stream().anyMatch((certificate) -> !certificate.revocationLists().isEmpty());
		if (!isNeeded) {
			return;
		}
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		scheduler.setThreadNamePrefix("certificate-reload-");
		scheduler.setDaemon(true);
		scheduler.setErrorHandler((ex) -> logger.error("Unable to check the certificate files", ex));
		scheduler.setWaitForTasksToCompleteOnShutdown(true);
		scheduler.setAwaitTerminationSeconds(10);
		scheduler.afterPropertiesSet();
		Duration interval = Duration
			.ofMillis(Math.min(LONGEST_INTERVAL, Math.max(SHORTEST_INTERVAL, this.quietPeriod.toMillis() / 2)));
		scheduler.scheduleWithFixedDelay(this::poll, Instant.now().plus(interval), interval);
		this.scheduler = scheduler;
	}

	private void poll() {
		if (this.reloadOnUpdate) {
			readFiles();
			files().forEach((files) -> files.poll(this.quietPeriod, System.nanoTime()));
		}
		else {
			this.certificates.forEach(HostCertificate::checkInUse);
		}
	}

	@Override
	public void stop() {
		ThreadPoolTaskScheduler scheduler = this.scheduler;
		if (scheduler != null) {
			scheduler.shutdown();
			if (!scheduler.getScheduledExecutor().isTerminated()) {
				logger.warn(
						"Reading the certificate files takes too long. Check whether their file system still responds");
			}
			this.scheduler = null;
		}
	}

	@Override
	public boolean isRunning() {
		return this.scheduler != null;
	}

}
