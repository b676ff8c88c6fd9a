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
import java.util.List;
import java.util.stream.Stream;

import org.springframework.core.env.Environment;

/**
 * The certificate properties that are set. Not a condition, as ahead-of-time processing
 * would decide it when the application is built.
 */
final class ServerCertificateProperties {

	private static final List<String> NAMES = List.of("certificate-file", "certificate-key-file",
			"certificate-key-password", "certificate-chain-file", "ca-certificate-file",
			"certificate-revocation-list-file");

	private static final List<String> MANAGEMENT = Stream
		.concat(NAMES.stream(), Stream.of("ocsp-enabled", "ocsp-soft-fail", "reload-on-update",
				"certificates[0].certificate-file", "server-name-certificates[0].certificate-file"))
		.map("management.server.ssl."::concat)
		.toList();

	private ServerCertificateProperties() {
	}

	/**
	 * Return which properties are set: also those without the certificate itself, so that
	 * they are not ignored in silence.
	 * @param environment the environment
	 * @param properties what is bound from it
	 * @return the names; only those of the management server when TLS is turned off
	 */
	static List<String> found(Environment environment, TomcatOpenSslProperties properties) {
		List<String> found = new ArrayList<>(MANAGEMENT.stream().filter(environment::containsProperty).toList());
		if (!environment.getProperty("server.ssl.enabled", Boolean.class, true)) {
			return found;
		}
		NAMES.stream().map(ConfiguredHosts.PREFIX::concat).filter(environment::containsProperty).forEach(found::add);
		if (!properties.getCertificates().isEmpty()) {
			found.add("server.ssl.certificates");
		}
		if (!properties.getServerNameCertificates().isEmpty()) {
			found.add("server.ssl.server-name-certificates");
		}
		if (properties.isOcspEnabled()) {
			found.add("server.ssl.ocsp-enabled");
		}
		return found;
	}

}
