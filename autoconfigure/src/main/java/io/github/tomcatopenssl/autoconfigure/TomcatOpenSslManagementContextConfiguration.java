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
import org.apache.catalina.startup.Tomcat;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * Gives the management server the same engine, when it has a port of its own.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
@ConditionalOnClass({ Tomcat.class, TomcatWebServerFactory.class })
@ConditionalOnBean(value = TlsEngineSelector.class, search = SearchStrategy.ANCESTORS)
class TomcatOpenSslManagementContextConfiguration {

	@Bean
	TomcatOpenSslWebServerFactoryCustomizer tomcatOpenSslWebServerFactoryCustomizer(TlsEngineSelector selector,
			ObjectProvider<ServerCertificateBundles> bundles, TomcatOpenSslProperties properties) {
		return new TomcatOpenSslWebServerFactoryCustomizer(selector, bundles.getIfAvailable(),
				properties.getHandshakeTimeout());
	}

	@Bean
	TlsEngineReporter tlsEngineReporter(ApplicationContext applicationContext, TlsEngineSelector selector,
			TomcatNative tomcatNative, TlsServers servers) {
		return new TlsEngineReporter(applicationContext, selector, tomcatNative, servers);
	}

}
