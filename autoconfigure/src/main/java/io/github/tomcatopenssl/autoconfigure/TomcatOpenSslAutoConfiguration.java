// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.function.Consumer;

import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.certificate.ServerCertificateSource;
import io.github.tomcatopenssl.certificate.ServerCertificates;
import io.github.tomcatopenssl.internal.certificate.AddedCertificates;
import io.github.tomcatopenssl.internal.certificate.CertificateWatcher;
import io.github.tomcatopenssl.internal.certificate.ReloadableFiles;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.library.TomcatNativeLoader;
import io.github.tomcatopenssl.internal.store.SharedStore;
import org.apache.catalina.startup.Tomcat;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnNotWarDeployment;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
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
		return new TomcatNativeLoader(openssl.library(),
				path(ServerSslProperty.OPENSSL_LIBRARY_PATH, openssl.libraryPath()),
				path(ServerSslProperty.OPENSSL_WORK_DIR, openssl.workDir()), openssl.fipsMode());
	}

	private static @Nullable Path path(ServerSslProperty property, @Nullable String path) {
		try {
			return StringUtils.hasText(path) ? Path.of(path) : null;
		}
		catch (InvalidPathException ex) {
			throw new InvalidConfigurationPropertyValueException(property.toString(), path,
					"It cannot be used on this system, whose character encoding is '%s': %s. Start the application with a UTF-8 locale, such as LC_ALL=C.UTF-8, or correct the path."
						.formatted(System.getProperty("sun.jnu.encoding"), ex.getReason()));
		}
	}

	@Bean
	TlsEngines tlsEngines(ApplicationContext applicationContext, TomcatOpenSslProperties properties,
			TomcatNative tomcatNative, Environment environment) {
		UseApr useApr = Binder.get(environment).bind("server.tomcat.use-apr", UseApr.class).orElse(null);
		if (useApr == UseApr.ALWAYS || useApr == UseApr.WHEN_AVAILABLE) {
			// Load the library before Spring Boot, which looks only on the library path
			tomcatNative.status();
		}
		return new TlsEngines(applicationContext, properties.openssl(), tomcatNative, useApr);
	}

	@Bean
	@ConditionalOnBean(CertificateHosts.class)
	ServerCertificates serverCertificates(CertificateHosts hosts, TlsEngines engines) {
		return new AddedCertificates(hosts, () -> !engines.running().isEmpty());
	}

	@Bean
	@ConditionalOnProperty(name = "server.ssl.session-ticket-keys", havingValue = "shared")
	StoredTicketKeys storedTicketKeys(ObjectProvider<SharedStore> store, ObjectProvider<CertificateWatcher> watcher) {
		return new StoredTicketKeys(store::getObject, Clock.systemUTC(), watching(watcher));
	}

	private static Consumer<ReloadableFiles<?>> watching(ObjectProvider<CertificateWatcher> watcher) {
		return (files) -> watcher.ifAvailable((available) -> available.watch(files));
	}

	@Bean
	TomcatOpenSslWebServerFactoryCustomizer tomcatOpenSslWebServerFactoryCustomizer(TomcatOpenSslProperties properties,
			TlsEngines engines, ResourceLoader resourceLoader, ObjectProvider<CertificateWatcher> watcher,
			ObjectProvider<TlsAlpnChallenges> challenges, ObjectProvider<CertificateHosts> hosts,
			ObjectProvider<StoredTicketKeys> ticketKeys, ListableBeanFactory beanFactory) {
		CertificateHosts certificateHosts = hosts.getIfAvailable(CertificateHosts::new);
		String[] sources = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory,
				ServerCertificateSource.class, true, false);
		if (sources.length > 0) {
			ObjectProvider<ServerCertificateSource> source = beanFactory.getBeanProvider(ServerCertificateSource.class);
			if (sources.length > 1) {
				// Fails if it is not clear which one to ask
				source.getObject();
			}
			// Otherwise not created before the first question: it may need a database
			AddedCertificates.ask(certificateHosts, (serverName) -> source.getObject().find(serverName));
		}
		SharedTicketKeys<?> sharedTicketKeys = (properties.sessionTicketKeyFile() != null)
				? new SessionTicketKeyFile(properties.sessionTicketKeyFile(),
						ApplicationResourceLoader.get(resourceLoader.getClassLoader()), watching(watcher))
				: ticketKeys.getIfAvailable();
		return new TomcatOpenSslWebServerFactoryCustomizer(engines, new ConnectorSettings(properties, sharedTicketKeys,
				challenges.getIfAvailable(() -> TlsAlpnChallenges.NONE), certificateHosts, (certificate) -> {
					CertificateWatcher available = watcher.getIfAvailable();
					return (available != null) ? available.origin(certificate) : null;
				}));
	}

	@Bean
	HttpRedirectCustomizer httpRedirectCustomizer(TomcatOpenSslProperties properties) {
		return new HttpRedirectCustomizer(properties.httpRedirectPort());
	}

}
