// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.endpoint.TlsConnectors;
import io.github.tomcatopenssl.endpoint.TlsHttp11NioProtocol;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import org.apache.catalina.connector.Connector;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;

/**
 * Registers metrics for each connector that serves TLS: those of its handshakes, and a
 * gauge that names the engine. Like Tomcat's other metrics, they have the name of the
 * connector as a tag.
 */
class TlsConnectorMetrics implements ApplicationListener<WebServerInitializedEvent> {

	private final ObjectProvider<MeterRegistry> registries;

	private final TomcatNative tomcatNative;

	private final Set<Connector> registered = Collections.newSetFromMap(new WeakHashMap<>());

	TlsConnectorMetrics(ObjectProvider<MeterRegistry> registries, TomcatNative tomcatNative) {
		this.registries = registries;
		this.tomcatNative = tomcatNative;
	}

	@Override
	public void onApplicationEvent(WebServerInitializedEvent event) {
		if (event.getWebServer() instanceof TomcatWebServer webServer) {
			for (Connector connector : TlsConnectors.of(webServer.getTomcat().getServer())) {
				// Registers only once if the server is stopped and started again
				if (this.registered.add(connector)) {
					this.registries.ifUnique((registry) -> register(connector, registry));
				}
			}
		}
	}

	private void register(Connector connector, MeterRegistry registry) {
		Iterable<Tag> name = Tags.of("name", TlsConnectors.protocol(connector).getName().replace("\"", ""));
		if (connector.getProtocolHandler() instanceof TlsHttp11NioProtocol observed) {
			HandshakeMetrics metrics = new HandshakeMetrics(name, registry);
			metrics.register(observed.handshakeCounters());
			SecurityPolicy preview = TlsConnectors.policyPreview(connector);
			if (preview != null) {
				metrics.registerPreview(observed.handshakeCounters(), preview);
			}
		}
		for (String engine : TlsConnectors.engines(connector)) {
			boolean openSsl = engine.equals(TlsConnectors.OPENSSL);
			Gauge.builder("tomcat.ssl.engine", () -> 1)
				.description("The engine that serves TLS, and its version")
				.tags(name)
				.tags("engine", engine, "version", openSsl ? openSslVersion() : Runtime.version().toString())
				.register(registry);
		}
	}

	// The version number in "OpenSSL 3.5.7 9 Jun 2026"
	private String openSslVersion() {
		String[] words = String.valueOf(this.tomcatNative.status().openSslVersion()).split(" ");
		return (words.length > 1) ? words[1] : words[0];
	}

}
