// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.List;
import java.util.Map;

import org.apache.commons.logging.LogFactory;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWarDeployment;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;

/**
 * {@link EnableAutoConfiguration Auto-configuration} that says where the properties of
 * TLS have no effect, because the application is deployed to a container.
 */
@AutoConfiguration
@ConditionalOnWarDeployment
public final class WarDeploymentAutoConfiguration {

	/**
	 * What would be dropped, by the value that asks for it; any value where it is empty.
	 */
	private static final Map<String, String> ENFORCED = Map.of("server.ssl.openssl.mode", "always",
			"server.ssl.openssl.fips-mode", "required", "server.ssl.groups", "", "server.ssl.unknown-server-name",
			"reject", "server.ssl.handshake-timeout", "", "server.ssl.certificate-revocation-list-file", "",
			"server.ssl.ocsp-enabled", "true");

	WarDeploymentAutoConfiguration(Environment environment) {
		Binder binder = Binder.get(environment);
		if (!binder.bind("server.ssl", Bindable.mapOf(String.class, Object.class)).isBound()
				|| !binder.bind("server.ssl.enabled", Boolean.class).orElse(true)) {
			return;
		}
		ENFORCED.forEach((property, enforced) -> {
			List<String> values = binder.bind(property, Bindable.listOf(String.class)).orElse(List.of());
			if (enforced.isEmpty() ? !values.isEmpty() : values.stream().anyMatch(enforced::equalsIgnoreCase)) {
				throw new InvalidConfigurationPropertyValueException(property, String.join(", ", values),
						"The container that the WAR is deployed to serves TLS, and does not enforce it. Remove it and have the container do so, or run the WAR with 'java -jar'.");
			}
		});
		LogFactory.getLog(getClass())
			.info("The properties of 'server.ssl' have no effect in a WAR: the container serves TLS");
	}

}
