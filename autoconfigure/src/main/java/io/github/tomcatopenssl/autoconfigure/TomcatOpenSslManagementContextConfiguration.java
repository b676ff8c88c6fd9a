// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.Objects;

import io.github.tomcatopenssl.internal.certificate.CertificateWatcher;
import io.github.tomcatopenssl.internal.certificate.VirtualHostFiles;
import org.apache.catalina.startup.Tomcat;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Configures a management server that has its own port with the customizers of the main
 * server, so that it gets the same engine and settings. It also gets the same
 * certificate, unless it has its own.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
class TomcatOpenSslManagementContextConfiguration {

	@Bean
	@ConditionalOnBean(value = CertificateFileWebServerFactoryCustomizer.class, search = SearchStrategy.ANCESTORS)
	WebServerFactoryCustomizer<ConfigurableWebServerFactory> managementCertificateFileCustomizer(
			CertificateFileWebServerFactoryCustomizer customizer, ManagementServerProperties properties,
			ServerProperties main, Environment environment) {
		Ssl settings = ManagementCertificate.settings(Objects.requireNonNullElseGet(main.getSsl(), Ssl::new),
				environment);
		return customizer.forManagement(properties.getSsl(), settings);
	}

	@Bean
	@ConditionalOnBean(value = EnforcementCustomizer.class, search = SearchStrategy.ANCESTORS)
	WebServerFactoryCustomizer<ConfigurableWebServerFactory> managementEnforcementCustomizer(
			EnforcementCustomizer customizer) {
		return customizer::enforce;
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ Tomcat.class, TomcatWebServerFactory.class })
	@ConditionalOnBean(value = TomcatOpenSslWebServerFactoryCustomizer.class, search = SearchStrategy.ANCESTORS)
	static class OpenSslConfiguration {

		@Bean
		WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> managementTomcatOpenSslWebServerFactoryCustomizer(
				TomcatOpenSslWebServerFactoryCustomizer customizer, ManagementServerProperties properties,
				ObjectProvider<CertificateWatcher> watcher) {
			CertificateWatcher files = watcher.getIfAvailable();
			boolean ownCertificate = ManagementCertificate.hasCertificate(properties.getSsl())
					|| files != null && files.hosts().stream().anyMatch(VirtualHostFiles::isManagement);
			return ownCertificate ? customizer.forManagement() : customizer;
		}

	}

}
