// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.autoconfigure.ServerSslProperty.Place;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWarDeployment;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for an application that is deployed
 * to a container. The container serves TLS. A property that it would have to enforce
 * prevents startup, and a log line says that the other TLS properties have no effect.
 */
@AutoConfiguration
@ConditionalOnWarDeployment
@EnableConfigurationProperties(TomcatOpenSslProperties.class)
@Import(KeyExchangeGroupConverter.class)
public final class WarDeploymentAutoConfiguration {

	WarDeploymentAutoConfiguration(TomcatOpenSslProperties properties, Environment environment) {
		UnknownProperties.reject(environment, null);
		Binder binder = Binder.get(environment);
		if (binder.bind("server.ssl", Bindable.mapOf(String.class, Object.class)).isBound()
				&& binder.bind("server.ssl.enabled", Boolean.class).orElse(true)) {
			ServerSslProperty.enforce(Place.WAR, properties);
			LogFactory.getLog(getClass())
				.info("The properties of 'server.ssl' have no effect in a WAR: the container serves TLS");
		}
	}

}
