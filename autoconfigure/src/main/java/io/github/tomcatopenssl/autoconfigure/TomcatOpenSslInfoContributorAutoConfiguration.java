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

import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for
 * {@link TomcatOpenSslInfoContributor}.
 */
@AutoConfiguration(after = TomcatOpenSslAutoConfiguration.class)
@ConditionalOnClass({ InfoContributor.class, ConditionalOnEnabledInfoContributor.class })
@ConditionalOnBean(TlsServers.class)
public final class TomcatOpenSslInfoContributorAutoConfiguration {

	@Bean
	@ConditionalOnEnabledInfoContributor("tomcat-openssl")
	@ConditionalOnMissingBean(name = "tomcatOpenSslInfoContributor")
	InfoContributor tomcatOpenSslInfoContributor(TlsServers servers, TlsEngineSelector selector,
			TomcatNative tomcatNative) {
		return new TomcatOpenSslInfoContributor(servers, selector, tomcatNative);
	}

}
