// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import org.apache.commons.logging.LogFactory;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWarDeployment;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * {@link EnableAutoConfiguration Auto-configuration} that says where the properties of
 * TLS have no effect, because the application is deployed to a container.
 */
@AutoConfiguration
@ConditionalOnWarDeployment
public final class WarDeploymentAutoConfiguration {

	WarDeploymentAutoConfiguration(Environment environment) {
		if (Binder.get(environment).bind("server.ssl", Bindable.mapOf(String.class, Object.class)).isBound()) {
			LogFactory.getLog(getClass())
				.info("The properties of 'server.ssl' have no effect in a WAR: the container serves TLS");
		}
	}

}
