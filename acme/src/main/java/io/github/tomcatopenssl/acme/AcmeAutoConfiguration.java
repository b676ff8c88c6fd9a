// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.time.Clock;

import io.github.tomcatopenssl.autoconfigure.CertificateFileAutoConfiguration;
import io.github.tomcatopenssl.internal.certificate.CertificateWatcher;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnNotWarDeployment;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for certificates that a CA issues
 * with the ACME protocol ({@code server.ssl.acme}).
 */
@AutoConfiguration(before = CertificateFileAutoConfiguration.class,
		beforeName = "org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration",
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnWebApplication
@ConditionalOnNotWarDeployment
@EnableConfigurationProperties(AcmeProperties.class)
public final class AcmeAutoConfiguration {

	@Bean
	AcmeCertificateSource acmeCertificateSource(AcmeProperties properties, Environment environment,
			ListableBeanFactory beanFactory) {
		return new AcmeCertificateSource(properties, environment, beanFactory, AcmeSchedule.DEFAULT, Clock.systemUTC());
	}

	@Bean
	AcmeChallenges acmeChallenges(AcmeCertificateSource source) {
		return new AcmeChallenges(source);
	}

	@Bean
	AcmePreparation acmePreparation(AcmeCertificateSource source) {
		return new AcmePreparation(source);
	}

	@Bean
	AcmeRenewal acmeRenewal(AcmeCertificateSource source) {
		return new AcmeRenewal(source);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
	static class HealthConfiguration {

		@Bean
		@ConditionalOnEnabledHealthIndicator("acme")
		@ConditionalOnMissingBean(name = "acmeHealthIndicator")
		HealthIndicator acmeHealthIndicator(AcmeCertificateSource source, ObjectProvider<CertificateWatcher> watcher) {
			return new AcmeHealthIndicator(source, watcher);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterRegistry.class)
	@ConditionalOnBean(MeterRegistry.class)
	static class MetricsConfiguration {

		@Bean
		AcmeMetrics acmeMetrics(AcmeCertificateSource source, ObjectProvider<MeterRegistry> registries) {
			return new AcmeMetrics(source, registries);
		}

	}

}
