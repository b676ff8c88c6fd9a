// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.nio.file.Path;

import io.github.tomcatopenssl.autoconfigure.CertificateFileAutoConfiguration;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.context.servlet.AnnotationConfigServletWebApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AcmeMetrics}.
 */
class AcmeMetricsTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner(
			AnnotationConfigServletWebApplicationContext::new)
		.withConfiguration(AutoConfigurations.of(AcmeAutoConfiguration.class, CertificateFileAutoConfiguration.class,
				SslAutoConfiguration.class));

	@Test
	void whenRegistryIsTheParentsThenItCountsToo(@TempDir Path folder) {
		try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext(
				SimpleMeterRegistry.class)) {
			SimpleMeterRegistry registry = parent.getBean(SimpleMeterRegistry.class);
			this.runner.withParent(parent)
				.withPropertyValues("server.ssl.acme.domains=localhost", "server.ssl.acme.terms-of-service-agreed=true",
						"server.ssl.acme.directory=" + folder, "server.ssl.acme.directory-url=https://localhost:1/dir")
				.run((context) -> {
					assertThat(context).hasNotFailed();
					assertThat(orders(registry, "issued").count()).isZero();
					Awaitility.await().until(() -> orders(registry, "failed").count() == 1);
				});
		}
	}

	@Test
	void whenServerAsksForNoCertificateThenThereAreNoMetrics() {
		this.runner.withBean(SimpleMeterRegistry.class)
			.run((context) -> assertThat(context.getBean(SimpleMeterRegistry.class).getMeters()).isEmpty());
	}

	private static FunctionCounter orders(SimpleMeterRegistry registry, String outcome) {
		return registry.get("tomcat.ssl.acme.orders").tag("outcome", outcome).functionCounter();
	}

}
