// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.List;

import io.github.tomcatopenssl.certificate.CertificateWatcher;
import io.github.tomcatopenssl.certificate.VirtualHostFiles;
import org.apache.catalina.startup.Tomcat;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Configures a management server that has its own port. It gets the same engine as the
 * main server. It also gets the same certificate, unless it has TLS settings of its own.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
class TomcatOpenSslManagementContextConfiguration {

	@Bean
	@ConditionalOnBean(value = CertificateWatcher.class, search = SearchStrategy.ANCESTORS)
	CertificateFileWebServerFactoryCustomizer certificateFileWebServerFactoryCustomizer(
			ServerProperties serverProperties, ManagementServerProperties managementServerProperties,
			CertificateWatcher watcher, SslBundles sslBundles) {
		List<VirtualHostFiles> hosts = (managementServerProperties.getSsl() == null) ? watcher.hosts() : List.of();
		return new CertificateFileWebServerFactoryCustomizer(serverProperties.getSsl(), hosts, sslBundles);
	}

	@Bean
	@ConditionalOnBean(value = EnforcementCustomizer.class, search = SearchStrategy.ANCESTORS)
	EnforcementCustomizer enforcementCustomizer(TomcatOpenSslProperties properties,
			ObjectProvider<TomcatOpenSslWebServerFactoryCustomizer> tomcat) {
		return new EnforcementCustomizer(properties, tomcat);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ Tomcat.class, TomcatWebServerFactory.class })
	@ConditionalOnBean(value = TlsEngineSelector.class, search = SearchStrategy.ANCESTORS)
	static class OpenSslConfiguration {

		@Bean
		TomcatOpenSslWebServerFactoryCustomizer tomcatOpenSslWebServerFactoryCustomizer(TlsEngineSelector selector,
				ConnectorSettings settings) {
			return new TomcatOpenSslWebServerFactoryCustomizer(selector, settings);
		}

	}

}
