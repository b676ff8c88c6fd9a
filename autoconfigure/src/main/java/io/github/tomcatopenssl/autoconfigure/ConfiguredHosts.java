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

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.ServerNameCertificate;
import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.HostFiles;
import io.github.tomcatopenssl.certificate.KeyMaterial;
import io.github.tomcatopenssl.certificate.TrustMaterial;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * Reads the properties of the certificate files.
 */
final class ConfiguredHosts {

	static final String PREFIX = "server.ssl.";

	/**
	 * Name of the bundle of the default host, for what shows bundles and for other
	 * servers that use the same certificate. Those of other hosts have their name behind
	 * it.
	 */
	static final String BUNDLE_NAME = "server-ssl";

	private final TomcatOpenSslProperties properties;

	private ConfiguredHosts(TomcatOpenSslProperties properties) {
		this.properties = properties;
	}

	static List<HostFiles> of(TomcatOpenSslProperties properties) {
		ConfiguredHosts configured = new ConfiguredHosts(properties);
		List<HostFiles> all = new ArrayList<>();
		all.add(configured.defaultHost());
		all.addAll(configured.otherHosts());
		return all;
	}

	private HostFiles defaultHost() {
		List<CertificateFileProperties> certificates = this.properties.getCertificates();
		List<KeyMaterial.Locations> locations = new ArrayList<>();
		if (this.properties.getCertificateFile() != null) {
			KeyMaterial.Locations alone = locations("", this.properties);
			if (!certificates.isEmpty()) {
				throw alone.failure("'server.ssl.certificates' is set as well, and the two contradict each other",
						"Move the file into an element of 'server.ssl.certificates', or remove one of the two", null);
			}
			locations.add(alone);
		}
		for (int i = 0; i < certificates.size(); i++) {
			locations.add(locations("certificates[%d].".formatted(i), certificates.get(i)));
		}
		if (locations.isEmpty()) {
			throw new CertificateFileException(PREFIX + "certificate-file", null,
					"it is not set, but other properties of it are (its key, key password, chain, CA or revocation list file, or certificates of server names)",
					"Set 'server.ssl.certificate-file' to the certificate of the default host, or remove the others",
					null);
		}
		return host(null, locations);
	}

	private List<HostFiles> otherHosts() {
		Map<String, List<KeyMaterial.Locations>> hosts = new LinkedHashMap<>();
		List<ServerNameCertificate> certificates = this.properties.getServerNameCertificates();
		for (int i = 0; i < certificates.size(); i++) {
			String name = "server-name-certificates[%d]".formatted(i);
			String serverName = certificates.get(i).getServerName();
			if (!StringUtils.hasText(serverName)) {
				throw new CertificateFileException(PREFIX + name + ".server-name", null, "it is not set",
						"Set it to the host name that the certificate is for", null);
			}
			hosts.computeIfAbsent(serverName.strip().toLowerCase(Locale.ROOT), (host) -> new ArrayList<>())
				.add(locations(name + ".", certificates.get(i)));
		}
		return hosts.entrySet().stream().map((host) -> host(host.getKey(), host.getValue())).toList();
	}

	private HostFiles host(@Nullable String serverName, List<KeyMaterial.Locations> locations) {
		return new HostFiles((serverName != null) ? BUNDLE_NAME + "-" + serverName : BUNDLE_NAME, serverName,
				List.copyOf(locations), new TrustMaterial.Locations(PREFIX, this.properties.getCaCertificateFile(),
						this.properties.getCertificateRevocationListFile()));
	}

	private static KeyMaterial.Locations locations(String name, CertificateFileProperties certificate) {
		String prefix = PREFIX + name;
		String certificateFile = certificate.getCertificateFile();
		if (certificateFile == null) {
			throw new CertificateFileException(prefix + "certificate-file", null, "it is not set",
					"Set it to a PEM file, or remove the other properties that begin with '%s'".formatted(prefix),
					null);
		}
		return new KeyMaterial.Locations(prefix, certificateFile, certificate.getCertificateKeyFile(),
				certificate.getCertificateKeyPassword(), certificate.getCertificateChainFile());
	}

}
