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

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.FileSnapshot;

import org.springframework.boot.autoconfigure.ssl.SslBundleRegistrar;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.core.io.ResourceLoader;

/**
 * Registers the certificate files as SSL bundles, so that both engines, all web servers,
 * SSL information, health and metrics read the same thing.
 */
class ServerCertificateBundleRegistrar implements SslBundleRegistrar {

	private final TomcatOpenSslProperties properties;

	private final ServerCertificateConflicts conflicts;

	private final List<String> configured;

	private final ServerCertificateBundles bundles;

	private final ResourceLoader resourceLoader;

	private volatile List<ReloadableCertificate> certificates = List.of();

	/**
	 * Create a new registrar.
	 * @param properties the properties of this project
	 * @param conflicts rejects properties that contradict each other
	 * @param configured the names of the certificate properties that are set
	 * @param bundles makes the bundles
	 * @param resourceLoader loads the files
	 */
	ServerCertificateBundleRegistrar(TomcatOpenSslProperties properties, ServerCertificateConflicts conflicts,
			List<String> configured, ServerCertificateBundles bundles, ResourceLoader resourceLoader) {
		this.properties = properties;
		this.conflicts = conflicts;
		this.configured = configured;
		this.bundles = bundles;
		this.resourceLoader = resourceLoader;
	}

	@Override
	public void registerBundles(SslBundleRegistry registry) {
		if (this.configured.isEmpty()) {
			return;
		}
		ServerCertificateConflicts.rejectManagement(this.configured);
		List<ServerCertificate> hosts = ServerCertificates.of(this.properties);
		this.conflicts.reject(this.configured, hosts);
		FileSnapshot files = FileSnapshot.read(locations(hosts), this.resourceLoader);
		List<ReloadableCertificate> started = new ArrayList<>();
		for (ServerCertificate host : hosts) {
			ReloadableCertificate certificate = new ReloadableCertificate(host, this.bundles, this.resourceLoader,
					Clock.systemUTC());
			register(registry, host, certificate.start(files));
			started.add(certificate);
		}
		this.certificates = List.copyOf(started);
	}

	/**
	 * Return the certificates.
	 * @return those that are registered, that of the default host first; empty when there
	 * are no certificate files
	 */
	List<ReloadableCertificate> certificates() {
		return this.certificates;
	}

	/**
	 * Return where the files of all certificates are.
	 * @return file paths and resource locations
	 */
	List<String> locations() {
		return locations(this.certificates.stream().map(ReloadableCertificate::certificate).toList());
	}

	private static List<String> locations(List<ServerCertificate> hosts) {
		return hosts.stream().flatMap((host) -> host.locations().stream()).distinct().toList();
	}

	private static void register(SslBundleRegistry registry, ServerCertificate host, SslBundle bundle) {
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

}
