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

import java.nio.file.Path;

import io.github.tomcatopenssl.TomcatNative;
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
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.tomcat.autoconfigure.TomcatServerProperties.UseApr;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * {@link EnableAutoConfiguration Auto-configuration} that lets OpenSSL serve TLS in the
 * embedded Tomcat.
 */
@AutoConfiguration(after = ServerCertificateAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnNotWarDeployment
@ConditionalOnClass({ Tomcat.class, TomcatWebServerFactory.class })
@EnableConfigurationProperties(TomcatOpenSslProperties.class)
public final class TomcatOpenSslAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	TomcatNative tomcatNative(TomcatOpenSslProperties properties) {
		TomcatOpenSslProperties.Openssl openssl = properties.getOpenssl();
		return new TomcatNativeLoader(openssl.getLibrary(), path(openssl.getLibraryPath()), path(openssl.getWorkDir()));
	}

	private static @Nullable Path path(@Nullable String path) {
		return StringUtils.hasText(path) ? Path.of(path) : null;
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	TlsEngineSelector tlsEngineSelector(TomcatOpenSslProperties properties, TomcatNative tomcatNative,
			Environment environment) {
		UseApr useApr = Binder.get(environment).bind("server.tomcat.use-apr", UseApr.class).orElse(null);
		if (useApr == UseApr.ALWAYS || useApr == UseApr.WHEN_AVAILABLE) {
			// Before Spring Boot looks for it on the library path alone
			tomcatNative.status();
		}
		return new TlsEngineSelector(properties.getOpenssl(), tomcatNative, useApr);
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	TomcatOpenSslWebServerFactoryCustomizer tomcatOpenSslWebServerFactoryCustomizer(TlsEngineSelector selector,
			ObjectProvider<ServerCertificateBundles> bundles, TomcatOpenSslProperties properties) {
		return new TomcatOpenSslWebServerFactoryCustomizer(selector, bundles.getIfAvailable(),
				properties.getHandshakeTimeout());
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	TlsServers tlsServers() {
		return new TlsServers();
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	TlsEngineReporter tlsEngineReporter(ApplicationContext applicationContext, TlsEngineSelector selector,
			TomcatNative tomcatNative, TlsServers servers) {
		return new TlsEngineReporter(applicationContext, selector, tomcatNative, servers);
	}

}
