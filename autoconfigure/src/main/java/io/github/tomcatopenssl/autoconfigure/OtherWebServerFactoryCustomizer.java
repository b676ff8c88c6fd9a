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

import io.github.tomcatopenssl.OpenSslMode;
import io.github.tomcatopenssl.OpenSslUnavailableException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.web.server.AbstractConfigurableWebServerFactory;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Says so where another web server than Tomcat serves TLS, which OpenSSL then does not.
 */
class OtherWebServerFactoryCustomizer implements WebServerFactoryCustomizer<ConfigurableWebServerFactory>, Ordered {

	private static final Log logger = LogFactory.getLog(OtherWebServerFactoryCustomizer.class);

	private static final String TOMCAT_FACTORY = "org.springframework.boot.tomcat.TomcatWebServerFactory";

	private final OpenSslMode mode;

	OtherWebServerFactoryCustomizer(OpenSslMode mode) {
		this.mode = mode;
	}

	@Override
	public int getOrder() {
		// Whether it serves TLS is decided by others
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void customize(ConfigurableWebServerFactory factory) {
		if (this.mode == OpenSslMode.NEVER || isTomcat(factory)
				|| !(factory instanceof AbstractConfigurableWebServerFactory other) || !Ssl.isEnabled(other.getSsl())) {
			return;
		}
		String reason = "the web server of '%s' serves TLS, and only Tomcat can do so with OpenSSL"
			.formatted(factory.getClass().getSimpleName());
		String action = "Add 'spring-boot-starter-tomcat' and exclude the starter of the other web server, or set 'server.ssl.openssl.mode' to 'never'";
		if (this.mode == OpenSslMode.ALWAYS) {
			throw new OpenSslUnavailableException("'server.ssl.openssl.mode' is 'always', but " + reason, action, null);
		}
		logger.warn("OpenSSL is not active: %s. %s".formatted(reason, action));
	}

	private static boolean isTomcat(ConfigurableWebServerFactory factory) {
		ClassLoader classLoader = factory.getClass().getClassLoader();
		return ClassUtils.isPresent(TOMCAT_FACTORY, classLoader)
				&& ClassUtils.resolveClassName(TOMCAT_FACTORY, classLoader).isInstance(factory);
	}

}
