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
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnNotWarDeployment;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.io.ApplicationResourceLoader;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.Ssl.ClientAuth;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for a web server's certificate from
 * PEM files ({@code server.ssl.certificate-file}). It becomes an SSL bundle like any
 * other.
 */
@AutoConfiguration(after = SslAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnNotWarDeployment
@EnableConfigurationProperties({ ServerProperties.class, TomcatOpenSslProperties.class })
public final class ServerCertificateAutoConfiguration {

	@Bean
	ServerCertificateBundles serverCertificateBundles(TomcatOpenSslProperties properties,
			ServerProperties serverProperties, ResourceLoader resourceLoader) {
		return new ServerCertificateBundles(properties, ssl(serverProperties),
				ApplicationResourceLoader.get(resourceLoader.getClassLoader()));
	}

	@Bean
	CertificateWatcher certificateWatcher(TomcatOpenSslProperties properties, ServerCertificateBundles bundles,
			ResourceLoader resourceLoader) {
		return new CertificateWatcher(bundles::create, ApplicationResourceLoader.get(resourceLoader.getClassLoader()),
				properties.isReloadOnUpdate());
	}

	@Bean
	ServerCertificateBundleRegistrar serverCertificateBundleRegistrar(TomcatOpenSslProperties properties,
			ServerProperties serverProperties, Environment environment, CertificateWatcher watcher) {
		ClientAuth managementClientAuth = Binder.get(environment)
			.bind("management.server.ssl.client-auth", ClientAuth.class)
			.orElse(ClientAuth.NONE);
		return new ServerCertificateBundleRegistrar(properties,
				new ServerCertificateConflicts(properties, ssl(serverProperties), managementClientAuth),
				ServerCertificateProperties.found(environment, properties), watcher);
	}

	@Bean
	ServerCertificateWebServerFactoryCustomizer serverCertificateWebServerFactoryCustomizer(
			TomcatOpenSslProperties properties, ServerProperties serverProperties, CertificateWatcher watcher,
			SslBundles sslBundles, BeanFactory beanFactory) {
		return new ServerCertificateWebServerFactoryCustomizer(properties, serverProperties.getSsl(), watcher,
				sslBundles, beanFactory);
	}

	private static Ssl ssl(ServerProperties serverProperties) {
		Ssl ssl = serverProperties.getSsl();
		return (ssl != null) ? ssl : new Ssl();
	}

}
