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

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnNotWarDeployment;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for applications whose web server is
 * not Tomcat.
 */
@AutoConfiguration
@ConditionalOnWebApplication
@ConditionalOnNotWarDeployment
@EnableConfigurationProperties(TomcatOpenSslProperties.class)
public final class OtherWebServerAutoConfiguration {

	@Bean
	OtherWebServerFactoryCustomizer otherWebServerFactoryCustomizer(TomcatOpenSslProperties properties) {
		return new OtherWebServerFactoryCustomizer(properties.getOpenssl().getMode());
	}

}
