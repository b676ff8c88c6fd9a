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

import io.github.tomcatopenssl.certificate.CertificateWatcher;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;

/**
 * Gives the certificate to the management server too, when it has a port of its own: it
 * serves with the TLS settings of the main server unless it has its own.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
@ConditionalOnBean(value = CertificateWatcher.class, search = SearchStrategy.ANCESTORS)
class ServerCertificateManagementContextConfiguration {

	@Bean
	@Order(ServerCertificateWebServerFactoryCustomizer.ORDER)
	WebServerFactoryCustomizer<ConfigurableWebServerFactory> serverCertificateManagementWebServerFactoryCustomizer(
			TomcatOpenSslProperties properties, ServerProperties serverProperties,
			ManagementServerProperties managementServerProperties, CertificateWatcher watcher, SslBundles sslBundles,
			BeanFactory beanFactory) {
		ServerCertificateWebServerFactoryCustomizer customizer = new ServerCertificateWebServerFactoryCustomizer(
				properties, serverProperties.getSsl(), watcher, sslBundles, beanFactory);
		return (factory) -> {
			if (managementServerProperties.getSsl() == null) {
				customizer.customize(factory);
			}
		};
	}

}
