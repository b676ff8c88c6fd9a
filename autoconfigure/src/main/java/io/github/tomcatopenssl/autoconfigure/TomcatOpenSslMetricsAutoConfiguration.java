/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.certificate.CertificateReloads;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the metrics of TLS servers and
 * their certificates.
 */
@AutoConfiguration(after = { ServerCertificateAutoConfiguration.class, TomcatOpenSslAutoConfiguration.class },
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
public final class TomcatOpenSslMetricsAutoConfiguration {

	@Bean
	@ConditionalOnBean(TomcatNative.class)
	@ConditionalOnMissingBean
	TlsConnectorMetrics tlsConnectorMetrics(ObjectProvider<MeterRegistry> registries, TomcatNative tomcatNative) {
		return new TlsConnectorMetrics(registries, tomcatNative);
	}

	@Bean
	@ConditionalOnBean(CertificateReloads.class)
	@ConditionalOnMissingBean
	ServerCertificateMetrics serverCertificateMetrics(CertificateReloads reloads, SslBundles sslBundles) {
		return new ServerCertificateMetrics(reloads, sslBundles);
	}

}
