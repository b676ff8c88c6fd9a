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

import java.util.function.Consumer;

import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.SSLHostConfig;

/**
 * Tomcat's default protocol, with secure defaults for every virtual host that is added:
 * also for those that replace another when an SSL bundle is reloaded, which Spring Boot
 * builds anew.
 */
public class SecureDefaultsHttp11NioProtocol extends Http11NioProtocol {

	private Consumer<SSLHostConfig> defaults = (config) -> {
	};

	void setDefaults(Consumer<SSLHostConfig> defaults) {
		this.defaults = defaults;
	}

	@Override
	public void addSslHostConfig(SSLHostConfig sslHostConfig) {
		this.defaults.accept(sslHostConfig);
		super.addSslHostConfig(sslHostConfig);
	}

	@Override
	public void addSslHostConfig(SSLHostConfig sslHostConfig, boolean replace) {
		this.defaults.accept(sslHostConfig);
		super.addSslHostConfig(sslHostConfig, replace);
	}

}
