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

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.tomcatopenssl.certificate.CertificateReloads;
import org.apache.catalina.connector.Connector;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Down when OpenSSL is required and does not serve TLS. The validity of certificates is
 * the matter of Spring Boot's own indicator; that new files are not in use is shown, and
 * is no reason to be down, since the old certificate is in use.
 */
class TomcatOpenSslHealthIndicator extends AbstractHealthIndicator {

	private final TlsServers servers;

	private final TlsEngineSelector selector;

	private final @Nullable CertificateReloads reloads;

	TomcatOpenSslHealthIndicator(TlsServers servers, TlsEngineSelector selector, @Nullable CertificateReloads reloads) {
		super("Unable to tell which engine serves TLS");
		this.servers = servers;
		this.selector = selector;
		this.reloads = reloads;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		Map<String, String> engines = new LinkedHashMap<>();
		for (Connector connector : this.servers.running()) {
			engines.put(String.valueOf(connector.getLocalPort()),
					String.join(" and ", TlsConnectors.engines(connector)));
		}
		boolean missing = this.selector.isOpenSslRequired()
				&& engines.values().stream().anyMatch((engine) -> !engine.equals(TlsConnectors.OPENSSL));
		builder.status(missing ? Status.DOWN : Status.UP).withDetail("engines", engines);
		List<CertificateReloads.Status> reloads = (this.reloads != null) ? this.reloads.status() : List.of();
		Map<String, String> problems = new LinkedHashMap<>();
		for (CertificateReloads.Status status : reloads) {
			if (status.problem() != null) {
				problems.put(status.bundle(), status.problem());
			}
		}
		if (!problems.isEmpty()) {
			builder.withDetail("certificateProblems", problems);
		}
	}

}
