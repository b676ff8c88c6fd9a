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

import io.github.tomcatopenssl.certificate.CertificateReloads;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for
 * {@link TomcatOpenSslHealthIndicator}.
 */
@AutoConfiguration(after = TomcatOpenSslAutoConfiguration.class,
		beforeName = "org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration")
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(TlsServers.class)
public final class TomcatOpenSslHealthContributorAutoConfiguration {

	@Bean
	@ConditionalOnEnabledHealthIndicator("tomcat-openssl")
	@ConditionalOnMissingBean(name = "tomcatOpenSslHealthIndicator")
	HealthIndicator tomcatOpenSslHealthIndicator(TlsServers servers, TlsEngineSelector selector,
			ObjectProvider<CertificateReloads> reloads) {
		return new TomcatOpenSslHealthIndicator(servers, selector, reloads.getIfAvailable());
	}

}
