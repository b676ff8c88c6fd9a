// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.autoconfigure.CertificateFileAutoConfiguration;
import io.github.tomcatopenssl.autoconfigure.TlsEngines;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslAutoConfiguration;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties;
import io.github.tomcatopenssl.certificate.CertificateReloads;
import io.github.tomcatopenssl.internal.certificate.CertificateWatcher;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationFilter;
import org.apache.catalina.startup.Tomcat;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.util.ClassUtils;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for health, metrics and the
 * inventory of TLS servers and their certificates, and for observations of requests.
 */
@AutoConfiguration(after = { CertificateFileAutoConfiguration.class, TomcatOpenSslAutoConfiguration.class },
		beforeName = "org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration",
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
public final class TomcatOpenSslActuatorAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
	@ConditionalOnBean(TlsEngines.class)
	static class HealthConfiguration {

		@Bean
		@ConditionalOnEnabledHealthIndicator("tomcat-openssl")
		@ConditionalOnMissingBean(name = "tomcatOpenSslHealthIndicator")
		HealthIndicator tomcatOpenSslHealthIndicator(TlsEngines tlsEngines, TomcatOpenSslProperties properties,
				TomcatNative tomcatNative, ObjectProvider<CertificateReloads> reloads) {
			return new TomcatOpenSslHealthIndicator(tlsEngines, properties.openssl(), tomcatNative,
					reloads.getIfAvailable());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ InfoContributor.class, ConditionalOnEnabledInfoContributor.class })
	@ConditionalOnBean(TlsEngines.class)
	static class InfoConfiguration {

		@Bean
		@ConditionalOnEnabledInfoContributor("tls")
		@ConditionalOnMissingBean(name = "tlsInfoContributor")
		InfoContributor tlsInfoContributor(TlsEngines tlsEngines) {
			return new TlsInfoContributor(tlsEngines);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
	@ConditionalOnBean(TlsEngines.class)
	static class EndpointConfiguration {

		@Bean
		@ConditionalOnAvailableEndpoint
		@ConditionalOnMissingBean
		TlsEndpoint tlsEndpoint(TlsEngines tlsEngines, TomcatNative tomcatNative, SslBundles sslBundles) {
			boolean cycloneDx = ClassUtils.isPresent("org.cyclonedx.generators.BomGeneratorFactory",
					getClass().getClassLoader());
			return new TlsEndpoint(tlsEngines, new TlsInventory(tomcatNative, sslBundles),
					cycloneDx ? new CryptographyBom() : null);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(SanitizingFunction.class)
	static class SanitizingConfiguration {

		@Bean
		SanitizingFunction serverSslSanitizingFunction() {
			return SanitizingConfiguration::hideSecret;
		}

		// Hides secrets even if an endpoint shows values, because nobody needs to see
		// them: passwords, and keys that are themselves the value of a property. The
		// name may be spelled as an environment variable
		private static SanitizableData hideSecret(SanitizableData data) {
			String name = data.getLowerCaseKey().replaceAll("[-_]", "");
			boolean secret = name.matches(
					".*(certificatekeypassword|externalaccount\\.?hmackey|dnsupdate\\.?key|storekeys\\W?\\d*\\W?)");
			boolean content = name.matches(".*(certificate|privatekey|ticketkey|store).*")
					&& data.getValue() instanceof CharSequence value
					&& !TlsSettingException.describe(value.toString()).contentEquals(value);
			return (secret || content) ? data.withSanitizedValue() : data;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterRegistry.class)
	@ConditionalOnBean(MeterRegistry.class)
	static class MetricsConfiguration {

		@Bean
		@ConditionalOnBean(TomcatNative.class)
		TlsConnectorMetrics tlsConnectorMetrics(ObjectProvider<MeterRegistry> registries, TomcatNative tomcatNative) {
			return new TlsConnectorMetrics(registries, tomcatNative);
		}

		@Bean
		@ConditionalOnBean(CertificateWatcher.class)
		CertificateMetrics certificateMetrics(CertificateWatcher watcher, CertificateHosts hosts,
				ObjectProvider<MeterRegistry> registries) {
			return new CertificateMetrics(watcher, hosts, registries);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ ObservationFilter.class, Tomcat.class, ServerRequestObservationContext.class })
	static class ObservationConfiguration {

		@Bean
		@ConditionalOnBooleanProperty("management.observations.http.server.requests.tls.enabled")
		ObservationFilter tlsObservationFilter() {
			return TlsObservationFilter.ofConnections();
		}

		@Bean
		@ConditionalOnBooleanProperty("management.observations.http.server.requests.tls-client.enabled")
		ObservationFilter tlsClientObservationFilter() {
			return TlsObservationFilter.ofClients();
		}

	}

}
