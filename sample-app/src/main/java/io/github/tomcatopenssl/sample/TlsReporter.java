// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.TomcatNativeStatus;
import io.github.tomcatopenssl.endpoint.TlsConnectors;
import io.github.tomcatopenssl.endpoint.TlsHttp11NioProtocol;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.catalina.connector.Connector;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLSupport;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.stereotype.Component;

/**
 * Reports what served a request, based on the request and its connector.
 */
@Component
class TlsReporter {

	private static final String MODE = "server.ssl.openssl.mode";

	private final ServletWebServerApplicationContext applicationContext;

	private final TomcatNative tomcatNative;

	TlsReporter(ServletWebServerApplicationContext applicationContext, TomcatNative tomcatNative) {
		this.applicationContext = applicationContext;
		this.tomcatNative = tomcatNative;
	}

	TlsReport report(HttpServletRequest request) {
		String protocol = attribute(request, SSLSupport.SECURE_PROTOCOL_KEY);
		String cipherSuite = attribute(request, SSLSupport.CIPHER_SUITE_KEY);
		Connector connector = request.isSecure() ? connector(request.getLocalPort()) : null;
		if (connector == null) {
			return new TlsReport("none", null, null, null, null, request.getProtocol(), null, null, List.of(), null,
					false);
		}
		SSLHostConfig host = connector.findSslHostConfigs()[0];
		List<String> groups = (host.getGroups() != null) ? List.of(host.getGroups().split(",")) : List.of();
		String group = attribute(request, TlsHttp11NioProtocol.GROUP_ATTRIBUTE);
		boolean postQuantum = Arrays.stream(KeyExchangeGroup.values())
			.anyMatch((known) -> known.isPostQuantum() && known.toString().equals(group));
		if (!TlsConnectors.engines(connector).contains(TlsConnectors.OPENSSL)) {
			return new TlsReport("JSSE", reason(connector), null, null, null, request.getProtocol(), protocol,
					cipherSuite, groups, group, postQuantum);
		}
		TomcatNativeStatus status = this.tomcatNative.status();
		return new TlsReport("OpenSSL", null, status.openSslVersion(), status.version(), status.library(),
				request.getProtocol(), protocol, cipherSuite, groups, group, postQuantum);
	}

	private @Nullable String reason(Connector connector) {
		if ("never".equals(this.applicationContext.getEnvironment().getProperty(MODE))) {
			return "'%s' is 'never'".formatted(MODE);
		}
		TlsSettingException cause = this.tomcatNative.unavailabilityCause();
		if (cause == null) {
			cause = TlsConnectors.unavailabilityCause(connector);
		}
		return (cause != null) ? cause.getReason(SettingName::toString) : null;
	}

	private @Nullable Connector connector(int port) {
		TomcatWebServer webServer = (TomcatWebServer) Objects.requireNonNull(this.applicationContext.getWebServer());
		return TlsConnectors.of(webServer.getTomcat().getServer())
			.stream()
			.filter((connector) -> connector.getLocalPort() == port)
			.findFirst()
			.orElse(null);
	}

	private static @Nullable String attribute(HttpServletRequest request, String name) {
		Object value = request.getAttribute(name);
		return (value != null) ? value.toString() : null;
	}

}
