// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnNotWarDeployment;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for applications whose web server is
 * not Tomcat.
 */
@AutoConfiguration
@ConditionalOnWebApplication
@ConditionalOnNotWarDeployment
@EnableConfigurationProperties(TomcatOpenSslProperties.class)
@Import(KeyExchangeGroupConverter.class)
public final class OtherWebServerAutoConfiguration {

	@Bean
	OtherWebServerFactoryCustomizer otherWebServerFactoryCustomizer(TomcatOpenSslProperties properties) {
		return new OtherWebServerFactoryCustomizer(properties);
	}

}
