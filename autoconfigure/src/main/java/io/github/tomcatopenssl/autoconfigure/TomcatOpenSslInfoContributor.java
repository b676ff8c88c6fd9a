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

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.TomcatNativeStatus;
import org.apache.catalina.connector.Connector;

import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/**
 * Shows which engine serves TLS on each connector, and what Tomcat Native was found.
 */
class TomcatOpenSslInfoContributor implements InfoContributor {

	private final TlsServers servers;

	private final TlsEngineSelector selector;

	private final TomcatNative tomcatNative;

	TomcatOpenSslInfoContributor(TlsServers servers, TlsEngineSelector selector, TomcatNative tomcatNative) {
		this.servers = servers;
		this.selector = selector;
		this.tomcatNative = tomcatNative;
	}

	@Override
	public void contribute(Info.Builder builder) {
		List<Connector> connectors = this.servers.running();
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("connectors", connectors.stream().map(TomcatOpenSslInfoContributor::connector).toList());
		// Asking for the status loads the library, which must not happen for this alone
		if (this.selector.isOpenSslWanted() && !connectors.isEmpty()) {
			TomcatNativeStatus status = this.tomcatNative.status();
			if (status.available()) {
				details.put("openSsl", status.openSslVersion());
				details.put("tomcatNative", status.version());
				details.put("apr", status.aprVersion());
				details.put("library", status.library());
			}
			details.put("attempts", status.attempts().stream().map(TomcatOpenSslInfoContributor::attempt).toList());
		}
		builder.withDetail("tomcatOpenSsl", details);
	}

	private static Map<String, Object> connector(Connector connector) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("port", connector.getLocalPort());
		details.put("scheme", connector.getScheme());
		details.put("engine", String.join(" and ", TlsConnectors.engines(connector)));
		return details;
	}

	private static Map<String, Object> attempt(LoadAttempt attempt) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("location", attempt.location());
		details.put("result", attempt.result());
		return details;
	}

}
