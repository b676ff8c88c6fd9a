// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.nio.file.Path;

import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.certificate.CertificateWatcher;
import io.github.tomcatopenssl.engine.TlsEngineReporter;
import io.github.tomcatopenssl.engine.TlsEngineSelector;
import io.github.tomcatopenssl.library.TomcatNativeLoader;
import org.apache.catalina.startup.Tomcat;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnNotWarDeployment;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.io.ApplicationResourceLoader;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.tomcat.autoconfigure.TomcatServerProperties.UseApr;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.StringUtils;

/**
 * {@link EnableAutoConfiguration Auto-configuration} that lets OpenSSL serve TLS in the
 * embedded Tomcat.
 */
@AutoConfiguration(after = CertificateFileAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnNotWarDeployment
@ConditionalOnClass({ Tomcat.class, TomcatWebServerFactory.class })
@EnableConfigurationProperties(TomcatOpenSslProperties.class)
@Import(KeyExchangeGroupConverter.class)
public final class TomcatOpenSslAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	TomcatNative tomcatNative(TomcatOpenSslProperties properties) {
		TomcatOpenSslProperties.Openssl openssl = properties.openssl();
		return new TomcatNativeLoader(openssl.library(), path(openssl.libraryPath()), path(openssl.workDir()),
				openssl.fipsMode());
	}

	private static @Nullable Path path(@Nullable String path) {
		return StringUtils.hasText(path) ? Path.of(path) : null;
	}

	@Bean
	TlsEngineSelector tlsEngineSelector(TomcatOpenSslProperties properties, TomcatNative tomcatNative,
			Environment environment) {
		UseApr useApr = Binder.get(environment).bind("server.tomcat.use-apr", UseApr.class).orElse(null);
		if (useApr == UseApr.ALWAYS || useApr == UseApr.WHEN_AVAILABLE) {
			// Before Spring Boot looks for it on the library path alone
			tomcatNative.status();
		}
		TomcatOpenSslProperties.Openssl openssl = properties.openssl();
		return new TlsEngineSelector(openssl.mode(), openssl.fipsMode(), openssl.libraryPath(), tomcatNative, useApr);
	}

	@Bean
	TomcatOpenSslWebServerFactoryCustomizer tomcatOpenSslWebServerFactoryCustomizer(TlsEngineSelector selector,
			ConnectorSettings settings) {
		return new TomcatOpenSslWebServerFactoryCustomizer(selector, settings);
	}

	@Bean
	ConnectorSettings connectorSettings(TomcatOpenSslProperties properties, SessionTicketKeyFiles ticketKeys,
			ObjectProvider<CertificateWatcher> watcher) {
		return new ConnectorSettings(properties, ticketKeys, (host) -> watcher.getObject().revocationLists(host));
	}

	@Bean
	SessionTicketKeyFiles sessionTicketKeyFiles(TomcatOpenSslProperties properties, ResourceLoader resourceLoader,
			ObjectProvider<CertificateWatcher> watcher) {
		return new SessionTicketKeyFiles(properties.sessionTicketKeyFiles(),
				ApplicationResourceLoader.get(resourceLoader.getClassLoader()),
				(watched) -> watcher.ifAvailable((available) -> available.watch(watched)));
	}

	@Bean
	TlsEngineReporter tlsEngineReporter(ApplicationContext applicationContext, TlsEngineSelector selector,
			TomcatNative tomcatNative) {
		return new TlsEngineReporter(applicationContext, selector, tomcatNative);
	}

}
