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

package io.github.tomcatopenssl.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.tomcatopenssl.certificate.CertificateReloads;
import io.github.tomcatopenssl.certificate.FileSnapshot;
import io.github.tomcatopenssl.certificate.WatchedFiles;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.io.ResourceLoader;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Looks at the certificate files of all hosts again and again, on a thread of its own,
 * rather than wait for events of the file system, which are not delivered for network
 * file systems and some container mounts. Starts after the web server, and has stopped
 * before it stops. Where files are not used when they change, looks whether revocation
 * lists have run out.
 */
class ServerCertificateReloader implements SmartLifecycle, CertificateReloads {

	private static final Log logger = LogFactory.getLog(ServerCertificateReloader.class);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

	private final ServerCertificateBundleRegistrar registrar;

	private final SslBundleRegistry registry;

	private final ResourceLoader resourceLoader;

	private final boolean reloadOnUpdate;

	private @Nullable ScheduledExecutorService executor;

	private volatile boolean running;

	ServerCertificateReloader(ServerCertificateBundleRegistrar registrar, SslBundleRegistry registry,
			ResourceLoader resourceLoader, boolean reloadOnUpdate) {
		this.registrar = registrar;
		this.registry = registry;
		this.resourceLoader = resourceLoader;
		this.reloadOnUpdate = reloadOnUpdate;
	}

	@Override
	public List<Status> status() {
		return this.registrar.certificates().stream().map(ReloadableCertificate::status).toList();
	}

	@Override
	public void start() {
		List<ReloadableCertificate> certificates = this.registrar.certificates();
		if (this.reloadOnUpdate) {
			WatchedFiles files = new WatchedFiles(this.registrar.locations(), this.resourceLoader);
			if (files.isAnyChangeable()) {
				repeat(() -> {
					FileSnapshot snapshot = files.look(System.nanoTime());
					certificates
						.forEach((certificate) -> certificate.check(this.registry, snapshot, System.nanoTime()));
				});
			}
		}
		else if (certificates.stream().anyMatch(ReloadableCertificate::hasRevocationLists)) {
			repeat(() -> certificates
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
