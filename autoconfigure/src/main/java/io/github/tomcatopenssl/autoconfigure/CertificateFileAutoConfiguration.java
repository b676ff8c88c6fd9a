// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.time.Clock;
import java.time.Duration;
import java.util.Objects;

import io.github.tomcatopenssl.internal.certificate.CertificateSource;
import io.github.tomcatopenssl.internal.certificate.CertificateWatcher;
import io.github.tomcatopenssl.internal.certificate.ServerBundles;
import io.github.tomcatopenssl.internal.certificate.VirtualHostFiles;
import io.github.tomcatopenssl.internal.host.CertificateHosts;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnNotWarDeployment;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.info.SslInfo;
import org.springframework.boot.io.ApplicationResourceLoader;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for a web server's certificate from
 * PEM files ({@code server.ssl.certificate-file}). The certificate becomes an SSL bundle
 * like any other.
 */
@AutoConfiguration(after = SslAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnNotWarDeployment
@EnableConfigurationProperties({ ServerProperties.class, TomcatOpenSslProperties.class })
@Import(KeyExchangeGroupConverter.class)
public final class CertificateFileAutoConfiguration {

	private static final Duration QUIET_PERIOD = Duration.ofSeconds(2);

	@Bean
	CertificateHosts certificateHosts() {
		return new CertificateHosts();
	}

	@Bean
	CertificateWatcher certificateWatcher(TomcatOpenSslProperties properties, ServerProperties serverProperties,
			Environment environment, ResourceLoader resourceLoader, ObjectProvider<CertificateSource> acme,
			CertificateHosts certificateHosts) {
		Ssl ssl = (serverProperties.getSsl() != null) ? serverProperties.getSsl() : new Ssl();
		CertificateWatcher watcher = new CertificateWatcher(
				ConfiguredHosts.of(properties, ssl, environment, acme.getIfAvailable()), ssl,
				ManagementCertificate.settings(ssl, environment),
				ApplicationResourceLoader.get(resourceLoader.getClassLoader()), properties.reloadOnUpdate(),
				quietPeriod(environment), Clock.systemUTC(), ServerSslProperty::nameOf);
		String directory = properties.certificateDirectory();
		if (directory != null && ssl.isEnabled()) {
			watcher.watch(ServerSslProperty.CERTIFICATE_DIRECTORY.toString(), directory, certificateHosts);
		}
		return watcher;
	}

	// The quiet period of Spring Boot's own bundles, if it is set
	private static Duration quietPeriod(Environment environment) {
		return Binder.get(environment)
			.bind("spring.ssl.bundle.watch.file.quiet-period", Duration.class)
			.orElse(QUIET_PERIOD);
	}

	// Spring Boot has no registry in a context whose parent has one
	@Bean
	@Primary
	@ConditionalOnBean(SslBundles.class)
	@ConditionalOnMissingBean(value = { SslBundleRegistry.class, SslBundles.class }, search = SearchStrategy.CURRENT)
	ServerBundles sslBundleRegistry(ConfigurableListableBeanFactory beanFactory, CertificateWatcher watcher) {
		SslBundles parent = Objects.requireNonNull(beanFactory.getParentBeanFactory()).getBean(SslBundles.class);
		ServerBundles bundles = watcher.serverBundles();
		parent.getBundleNames().forEach((name) -> bundles.takeOver(name, parent));
		parent.addBundleRegisterHandler((name, bundle) -> bundles.takeOver(name, parent));
		return bundles;
	}

	// The parent's does not know the bundles of this context, for which metrics and
	// health ask
	@Bean
	@Primary
	@ConditionalOnBean(value = ServerBundles.class, search = SearchStrategy.CURRENT)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	SslInfo childSslInfo(SslBundles sslBundles) {
		return new SslInfo(sslBundles);
	}

	@Bean
	CertificateFileWebServerFactoryCustomizer certificateFileWebServerFactoryCustomizer(
			ServerProperties serverProperties, CertificateWatcher watcher, SslBundles sslBundles) {
		return new CertificateFileWebServerFactoryCustomizer(serverProperties.getSsl(), watcher, sslBundles, false);
	}

	@Bean
	EnforcementCustomizer enforcementCustomizer(TomcatOpenSslProperties properties, ServerProperties serverProperties,
			Environment environment, CertificateWatcher watcher,
			ObjectProvider<TomcatOpenSslWebServerFactoryCustomizer> tomcat) {
		Ssl management = Binder.get(environment).bind("management.server.ssl", Ssl.class).orElse(null);
		boolean isOff = serverProperties.getSsl() != null && !serverProperties.getSsl().isEnabled();
		return new EnforcementCustomizer(properties, tomcat, MisplacedProperties.of(environment),
				isOff || Ssl.isEnabled(management) && ManagementCertificate.hasCertificate(management)
						|| watcher.hosts().stream().anyMatch(VirtualHostFiles::isManagement));
	}

}
