// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.benchmark.tomcat;

import java.util.Collections;
import java.util.Map;

import org.apache.catalina.Context;
import org.apache.catalina.Engine;
import org.apache.catalina.Service;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.UpgradeProtocol;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.tomcat.util.IntrospectionUtils;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.openssl.OpenSSLConf;
import org.apache.tomcat.util.net.openssl.OpenSSLConfCmd;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.tomcat.TomcatContextCustomizer;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * What the contenders need of Tomcat that Spring Boot has no property for:
 * {@code benchmark.groups}, {@code benchmark.session-cache-size},
 * {@code benchmark.connector.*} (attributes of the connector), {@code benchmark.http2.*}
 * (those of {@code Http2Protocol}) and {@code benchmark.openssl-conf.*} (commands of
 * OpenSSL).
 */
@Component
class TomcatSettings implements WebServerFactoryCustomizer<TomcatWebServerFactory>, TomcatContextCustomizer, Ordered {

	private final Environment environment;

	TomcatSettings(Environment environment) {
		this.environment = environment;
	}

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void customize(TomcatWebServerFactory factory) {
		factory.addContextCustomizers(this);
	}

	@Override
	public void customize(Context context) {
		Service service = ((Engine) context.getParent().getParent()).getService();
		for (Connector connector : service.findConnectors()) {
			apply(connector);
		}
	}

	private void apply(Connector connector) {
		properties("benchmark.connector").forEach((name, value) -> {
			if (!connector.setProperty(name, value)) {
				throw new IllegalArgumentException("The connector has no '%s'".formatted(name));
			}
		});
		for (UpgradeProtocol protocol : connector.findUpgradeProtocols()) {
			properties("benchmark.http2").forEach((name, value) -> {
				if (!IntrospectionUtils.setProperty(protocol, name, value)) {
					throw new IllegalArgumentException("Http2Protocol has no '%s'".formatted(name));
				}
			});
		}
		for (SSLHostConfig config : ((AbstractHttp11Protocol<?>) connector.getProtocolHandler()).findSslHostConfigs()) {
			apply(config);
		}
	}

	private void apply(SSLHostConfig config) {
		String groups = this.environment.getProperty("benchmark.groups");
		if (groups != null) {
			config.setGroups(groups);
		}
		Integer sessionCacheSize = this.environment.getProperty("benchmark.session-cache-size", Integer.class);
		if (sessionCacheSize != null) {
			config.setSessionCacheSize(sessionCacheSize);
		}
		Map<String, String> commands = properties("benchmark.openssl-conf");
		if (!commands.isEmpty()) {
			OpenSSLConf conf = (config.getOpenSslConf() != null) ? config.getOpenSslConf() : new OpenSSLConf();
			commands.forEach((name, value) -> conf.addCmd(new OpenSSLConfCmd(name, value)));
			if (config.getOpenSslConf() == null) {
				config.setOpenSslConf(conf);
			}
		}
	}

	private Map<String, String> properties(String prefix) {
		return Binder.get(this.environment)
			.bind(prefix, Bindable.mapOf(String.class, String.class))
			.orElse(Collections.emptyMap());
	}

}
