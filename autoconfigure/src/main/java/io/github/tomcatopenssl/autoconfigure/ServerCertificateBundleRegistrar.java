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

import java.util.List;

import io.github.tomcatopenssl.certificate.CertificateWatcher;
import io.github.tomcatopenssl.certificate.HostFiles;

import org.springframework.boot.autoconfigure.ssl.SslBundleRegistrar;
import org.springframework.boot.ssl.SslBundleRegistry;

/**
 * Has the certificate files of the properties registered as SSL bundles.
 */
class ServerCertificateBundleRegistrar implements SslBundleRegistrar {

	private final TomcatOpenSslProperties properties;

	private final ServerCertificateConflicts conflicts;

	private final List<String> configured;

	private final CertificateWatcher watcher;

	ServerCertificateBundleRegistrar(TomcatOpenSslProperties properties, ServerCertificateConflicts conflicts,
			List<String> configured, CertificateWatcher watcher) {
		this.properties = properties;
		this.conflicts = conflicts;
		this.configured = configured;
		this.watcher = watcher;
	}

	@Override
	public void registerBundles(SslBundleRegistry registry) {
		if (this.configured.isEmpty()) {
			return;
		}
		ServerCertificateConflicts.rejectManagement(this.configured);
		List<HostFiles> hosts = ConfiguredHosts.of(this.properties);
		this.conflicts.reject(this.configured, hosts);
		this.watcher.register(hosts, registry);
	}

}
