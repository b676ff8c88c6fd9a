// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.check;

import java.util.List;
import java.util.Objects;
import java.util.stream.StreamSupport;

import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.ConnectorDescriptor;
import io.github.tomcatopenssl.internal.store.DryRun;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextFactory;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementWebServerFactoryCustomizer;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.type.AnnotationMetadata;

/**
 * A management server with its own port, without the endpoints.
 */
final class CheckedManagementServer {

	private CheckedManagementServer() {
	}

	/**
	 * Check the server.
	 * @param main the application context of the main server
	 * @param dryRun gets the warnings
	 * @return what would be served; empty without such a server
	 * @throws Exception what would end the start
	 */
	static List<ConnectorDescriptor> check(ConfigurableApplicationContext main, DryRun dryRun) throws Exception {
		ManagementContextFactory factory = main.getBeanProvider(ManagementContextFactory.class).getIfAvailable();
		if (factory == null) {
			return List.of();
		}
		try (ConfigurableApplicationContext context = factory.createManagementContext(main)) {
			AnnotationConfigRegistry registry = (AnnotationConfigRegistry) context;
			factory.registerWebServerFactoryBeans(main, context, registry);
			registry.register(ManagementConfiguration.class);
			context.refresh();
			return Objects.requireNonNull(context.getBean(CheckedConnectors.class).check(context, dryRun));
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(ManagementServerProperties.class)
	@Import({ TlsCheckConfiguration.class, OurConfigurations.class })
	static class ManagementConfiguration {

		@Bean
		ManagementWebServerFactoryCustomizer<ConfigurableWebServerFactory> managementWebServerFactoryCustomizer(
				ListableBeanFactory beanFactory) {
			return new ManagementWebServerFactoryCustomizer<>(beanFactory);
		}

	}

	/**
	 * Selects the configurations of this project.
	 */
	static class OurConfigurations implements ImportSelector {

		@Override
		public String[] selectImports(AnnotationMetadata metadata) {
			return StreamSupport
				.stream(ImportCandidates.load(ManagementContextConfiguration.class, getClass().getClassLoader())
					.spliterator(), false)
				.filter((name) -> name.startsWith(TlsCheckImportSelector.OURS))
				.toArray(String[]::new);
		}

	}

}
