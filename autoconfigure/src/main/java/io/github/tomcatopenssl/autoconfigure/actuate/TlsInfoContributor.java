// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import java.util.LinkedHashMap;
import java.util.Map;

import io.github.tomcatopenssl.autoconfigure.TlsEngines;
import io.github.tomcatopenssl.endpoint.TlsConnectors;
import org.apache.catalina.connector.Connector;

import org.springframework.boot.actuate.info.Info.Builder;
import org.springframework.boot.actuate.info.InfoContributor;

/**
 * Adds the engine and the policy of each connector that serves TLS.
 */
class TlsInfoContributor implements InfoContributor {

	private final TlsEngines tlsEngines;

	TlsInfoContributor(TlsEngines tlsEngines) {
		this.tlsEngines = tlsEngines;
	}

	@Override
	public void contribute(Builder builder) {
		Map<String, Object> connectors = new LinkedHashMap<>();
		for (Connector connector : this.tlsEngines.running()) {
			Map<String, String> details = new LinkedHashMap<>();
			details.put("engine", String.join(" and ", TlsConnectors.engines(connector)));
			String policy = TlsConnectors.policy(connector);
			if (policy != null) {
				details.put("policy", policy);
			}
			connectors.put(String.valueOf(connector.getLocalPort()), details);
		}
		if (!connectors.isEmpty()) {
			builder.withDetail("tls", connectors);
		}
	}

}
