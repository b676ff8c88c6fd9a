// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.TomcatNativeStatus;
import io.github.tomcatopenssl.tomcat.KeyExchangeValve;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLSupport;
import org.apache.tomcat.util.net.openssl.OpenSSLContext;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.stereotype.Component;

/**
 * Reports what served a request, based on the request and its connector.
 */
@Component
class TlsReporter {

	private final ServletWebServerApplicationContext applicationContext;

	private final TomcatNative tomcatNative;

	TlsReporter(ServletWebServerApplicationContext applicationContext, TomcatNative tomcatNative) {
		this.applicationContext = applicationContext;
		this.tomcatNative = tomcatNative;
	}

	TlsReport report(HttpServletRequest request) {
		// Tomcat's OpenSSL engine appends a colon and the application protocol
		String protocol = substringBeforeColon(attribute(request, SSLSupport.SECURE_PROTOCOL_KEY));
		String cipherSuite = attribute(request, SSLSupport.CIPHER_SUITE_KEY);
		SSLHostConfig config = request.isSecure() ? hostConfig(request.getLocalPort()) : null;
		if (config == null) {
			return new TlsReport("none", null, null, null, request.getProtocol(), null, null, List.of(), null, false);
		}
		List<String> groups = (config.getGroups() != null) ? List.of(config.getGroups().split(",")) : List.of();
		String group = attribute(request, KeyExchangeValve.GROUP_ATTRIBUTE);
		boolean postQuantum = Arrays.stream(KeyExchangeGroup.values())
			.anyMatch((known) -> known.isPostQuantum() && known.toString().equals(group));
		if (!isOpenSsl(config)) {
			return new TlsReport("JSSE", null, null, null, request.getProtocol(), protocol, cipherSuite, groups, group,
					postQuantum);
		}
		TomcatNativeStatus status = this.tomcatNative.status();
		return new TlsReport("OpenSSL", status.openSslVersion(), status.version(), status.library(),
				request.getProtocol(), protocol, cipherSuite, groups, group, postQuantum);
	}

	private @Nullable SSLHostConfig hostConfig(int port) {
		TomcatWebServer webServer = (TomcatWebServer) Objects.requireNonNull(this.applicationContext.getWebServer());
		return Arrays.stream(webServer.getTomcat().getService().findConnectors())
			.filter((connector) -> connector.getLocalPort() == port)
			.map(Connector::getProtocolHandler)
			.filter(AbstractHttp11Protocol.class::isInstance)
			.flatMap((handler) -> Arrays.stream(((AbstractHttp11Protocol<?>) handler).findSslHostConfigs()))
			.findFirst()
			.orElse(null);
	}

	private static boolean isOpenSsl(SSLHostConfig config) {
		return config.getCertificates()
			.stream()
			.map(SSLHostConfigCertificate::getSslContext)
			.allMatch(OpenSSLContext.class::isInstance);
	}

	private static @Nullable String substringBeforeColon(@Nullable String value) {
		return (value != null) ? value.split(":", 2)[0] : null;
	}

	private static @Nullable String attribute(HttpServletRequest request, String name) {
		Object value = request.getAttribute(name);
		return (value != null) ? value.toString() : null;
	}

}
