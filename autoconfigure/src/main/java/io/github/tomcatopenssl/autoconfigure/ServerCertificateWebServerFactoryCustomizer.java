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

import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;

/**
 * Has the web server use the bundle of {@link ServerCertificateBundleRegistrar}.
 */
class ServerCertificateWebServerFactoryCustomizer
		implements WebServerFactoryCustomizer<ConfigurableWebServerFactory>, Ordered {

	/**
	 * After Spring Boot's own, which are ordered at 0 and set what they know of
	 * {@code server.ssl}.
	 */
	static final int ORDER = 1;

	private final @Nullable Ssl configured;

	private final SslBundles sslBundles;

	ServerCertificateWebServerFactoryCustomizer(@Nullable Ssl configured, SslBundles sslBundles) {
		this.configured = configured;
		this.sslBundles = sslBundles;
	}

	@Override
	public int getOrder() {
		return ORDER;
	}

	@Override
	public void customize(ConfigurableWebServerFactory factory) {
		if (!this.sslBundles.getBundleNames().contains(ServerCertificateBundleRegistrar.BUNDLE_NAME)) {
			return;
		}
		Ssl ssl = Ssl.forBundle(ServerCertificateBundleRegistrar.BUNDLE_NAME);
		if (this.configured != null) {
			ssl.setClientAuth(this.configured.getClientAuth());
			ssl.setServerNameBundles(this.configured.getServerNameBundles());
		}
		factory.setSsl(ssl);
		factory.setSslBundles(this.sslBundles);
	}

}
