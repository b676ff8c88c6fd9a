// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.TomcatNativeStatus;
import io.github.tomcatopenssl.autoconfigure.TlsEngines;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.Openssl;
import io.github.tomcatopenssl.tomcat.TlsConnectors;
import org.apache.catalina.connector.Connector;

import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/**
 * Shows which engine serves TLS on each connector, with its groups and versions. It shows
 * no paths: the health details contain them, and may be visible to fewer people.
 */
class TomcatOpenSslInfoContributor implements InfoContributor {

	private final TlsEngines tlsEngines;

	private final Openssl openssl;

	private final TomcatNative tomcatNative;

	TomcatOpenSslInfoContributor(TlsEngines tlsEngines, Openssl openssl, TomcatNative tomcatNative) {
		this.tlsEngines = tlsEngines;
		this.openssl = openssl;
		this.tomcatNative = tomcatNative;
	}

	@Override
	public void contribute(Info.Builder builder) {
		List<Connector> connectors = this.tlsEngines.running();
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("connectors", connectors.stream().map(TomcatOpenSslInfoContributor::connector).toList());
		// Reading the status loads the library, which the info alone must not do
		if (this.openssl.wanted() && !connectors.isEmpty()) {
			TomcatNativeStatus status = this.tomcatNative.status();
			if (status.available()) {
				details.put("openSsl", status.openSslVersion());
				details.put("tomcatNative", status.version());
				details.put("apr", status.aprVersion());
				if (status.fips()) {
					details.put("fips", true);
				}
			}
		}
		builder.withDetail("tomcatOpenSsl", details);
	}

	private static Map<String, Object> connector(Connector connector) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("port", connector.getLocalPort());
		details.put("scheme", connector.getScheme());
		details.put("engine", String.join(" and ", TlsConnectors.engines(connector)));
		List<String> groups = TlsConnectors.groups(connector);
		if (!groups.isEmpty()) {
			details.put("groups", groups);
		}
		return details;
	}

}
