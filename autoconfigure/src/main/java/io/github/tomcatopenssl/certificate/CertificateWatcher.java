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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.io.ResourceLoader;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Registers the certificate files as SSL bundles, so that both engines, all web servers,
 * SSL information, health and metrics read the same thing. Then looks at the files of all
 * hosts again and again, on a thread of its own, rather than wait for events of the file
 * system, which are not delivered for network file systems and some container mounts.
 * Starts after the web server, and has stopped before it stops. Where files are not used
 * when they change, looks whether revocation lists have run out.
 */
public class CertificateWatcher implements SmartLifecycle, CertificateReloads {

	private static final Log logger = LogFactory.getLog(CertificateWatcher.class);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

	private final BiFunction<HostFiles, HostFiles.Content, SslBundle> bundles;

	private final ResourceLoader resourceLoader;

	private final boolean reloadOnUpdate;

	private volatile List<ReloadableCertificate> certificates = List.of();

	private @Nullable SslBundleRegistry registry;

	private @Nullable ScheduledExecutorService executor;

	private volatile boolean running;

	/**
	 * Create a new watcher.
	 * @param bundles makes bundles of the files
	 * @param resourceLoader loads the files
	 * @param reloadOnUpdate whether the files are used when they change
	 */
	public CertificateWatcher(BiFunction<HostFiles, HostFiles.Content, SslBundle> bundles,
			ResourceLoader resourceLoader, boolean reloadOnUpdate) {
		this.bundles = bundles;
		this.resourceLoader = resourceLoader;
		this.reloadOnUpdate = reloadOnUpdate;
	}

	/**
	 * Read the files of some hosts and register them as SSL bundles.
	 * @param hosts the hosts, the default host first
	 * @param registry the registry of the bundles
	 * @throws CertificateFileException if some files cannot be used
	 */
	public void register(List<HostFiles> hosts, SslBundleRegistry registry) {
		FileSnapshot files = FileSnapshot.read(locations(hosts), this.resourceLoader);
		List<ReloadableCertificate> certificates = new ArrayList<>();
		for (HostFiles host : hosts) {
			ReloadableCertificate certificate = new ReloadableCertificate(host, files, this.bundles,
					this.resourceLoader, Clock.systemUTC());
			register(host, certificate.bundle(), registry);
			certificates.add(certificate);
		}
		this.certificates = List.copyOf(certificates);
		this.registry = registry;
	}

	private static void register(HostFiles host, SslBundle bundle, SslBundleRegistry registry) {
		try {
			registry.registerBundle(host.bundleName(), bundle);
		}
		catch (IllegalStateException ex) {
			throw new CertificateFileException(host.certificates().get(0).certificateFileProperty(), null,
					"there is an SSL bundle of the name '%s' already, which is that of the certificate file".formatted(
							host.bundleName()),
					"Give your bundle '%s' another name".formatted(host.bundleName()), ex);
		}
	}

	/**
	 * Return the hosts.
	 * @return those that are registered, the default host first; empty when there are no
	 * certificate files
	 */
	public List<HostFiles> hosts() {
		return this.certificates.stream().map(ReloadableCertificate::host).toList();
	}

	private static List<String> locations(List<HostFiles> hosts) {
		return hosts.stream().flatMap((host) -> host.locations().stream()).distinct().toList();
	}

	@Override
	public List<Status> status() {
		return this.certificates.stream().map(ReloadableCertificate::status).toList();
	}

	@Override
	public void start() {
		SslBundleRegistry registry = this.registry;
		if (this.reloadOnUpdate && registry != null) {
			WatchedFiles files = new WatchedFiles(locations(hosts()), this.resourceLoader);
			if (files.isAnyChangeable()) {
				repeat(() -> {
					FileSnapshot snapshot = files.look(System.nanoTime());
					this.certificates
						.forEach((certificate) -> certificate.check(registry, snapshot, System.nanoTime()));
				});
			}
		}
		else if (this.certificates.stream().anyMatch(ReloadableCertificate::hasRevocationLists)) {
			repeat(() -> this.certificates
				.forEach((certificate) -> certificate.checkRevocationLists(System.nanoTime(), false)));
		}
		this.running = true;
	}

	private void repeat(Runnable look) {
		CustomizableThreadFactory threads = new CustomizableThreadFactory("certificate-reload-");
		threads.setDaemon(true);
		this.executor = Executors.newSingleThreadScheduledExecutor(threads);
		this.executor.scheduleWithFixedDelay(() -> {
			try {
				look.run();
			}
			catch (Throwable ex) {
				// The next look must not be missed
				logger.error("Unable to look at the certificate files", ex);
			}
		}, INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
	}

	@Override
	public void stop() {
		if (this.executor != null) {
			this.executor.shutdown();
			try {
				if (!this.executor.awaitTermination(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
					logger.warn(
							"Reading the certificate files does not end. See whether the file system that they are on still answers");
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			this.executor = null;
		}
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
