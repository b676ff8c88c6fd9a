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

import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.CertificateWatcher;
import io.github.tomcatopenssl.certificate.HostFiles;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.Ssl.ServerNameSslBundle;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.NativeDetector;
import org.springframework.core.Ordered;

/**
 * Has the web server use the bundle of {@link CertificateWatcher}.
 */
class ServerCertificateWebServerFactoryCustomizer
		implements WebServerFactoryCustomizer<ConfigurableWebServerFactory>, Ordered {

	/**
	 * After Spring Boot's own, which are ordered at 0 and set what they know of
	 * {@code server.ssl}.
	 */
	static final int ORDER = 1;

	private static final Log logger = LogFactory.getLog(ServerCertificateWebServerFactoryCustomizer.class);

	/**
	 * By their names, since the servers are optional.
	 */
	private static final String TOMCAT_FACTORY = "org.springframework.boot.tomcat.TomcatWebServerFactory";

	private static final String NETTY_FACTORY = "org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory";

	private static final String TOMCAT_CUSTOMIZER = "tomcatOpenSslWebServerFactoryCustomizer";

	private final TomcatOpenSslProperties properties;

	private final @Nullable Ssl configured;

	private final CertificateWatcher watcher;

	private final SslBundles sslBundles;

	private final BeanFactory beanFactory;

	ServerCertificateWebServerFactoryCustomizer(TomcatOpenSslProperties properties, @Nullable Ssl configured,
			CertificateWatcher watcher, SslBundles sslBundles, BeanFactory beanFactory) {
		this.properties = properties;
		this.configured = configured;
		this.watcher = watcher;
		this.sslBundles = sslBundles;
		this.beanFactory = beanFactory;
	}

	@Override
	public int getOrder() {
		return ORDER;
	}

	@Override
	public void customize(ConfigurableWebServerFactory factory) {
		List<HostFiles> hosts = this.watcher.hosts();
		if (hosts.isEmpty()) {
			return;
		}
		requireRevocationSupport(factory);
		if (this.properties.isReloadOnUpdate() && !isA(factory, TOMCAT_FACTORY) && !isA(factory, NETTY_FACTORY)) {
			logger.warn(
					"'server.ssl.reload-on-update' has no effect on this web server. Restart the application when a certificate is replaced, or use Tomcat");
		}
		Ssl ssl = Ssl.forBundle(ConfiguredHosts.BUNDLE_NAME);
		List<ServerNameSslBundle> serverNameBundles = new ArrayList<>();
		if (this.configured != null) {
			ssl.setClientAuth(this.configured.getClientAuth());
			serverNameBundles.addAll(this.configured.getServerNameBundles());
		}
		for (HostFiles host : hosts) {
			if (host.serverName() != null) {
				serverNameBundles.add(new ServerNameSslBundle(host.serverName(), host.bundleName()));
			}
		}
		ssl.setServerNameBundles(serverNameBundles);
		factory.setSsl(ssl);
		factory.setSslBundles(this.sslBundles);
	}

	private void requireRevocationSupport(ConfigurableWebServerFactory factory) {
		boolean isSupported = isA(factory, TOMCAT_FACTORY) && !NativeDetector.inNativeImage()
				&& this.beanFactory.containsBean(TOMCAT_CUSTOMIZER);
		boolean isWanted = this.properties.getCertificateRevocationListFile() != null
				|| this.properties.isOcspEnabled();
		if (isWanted && !isSupported) {
			throw new CertificateFileException(
					this.properties.isOcspEnabled() ? "server.ssl.ocsp-enabled"
							: "server.ssl.certificate-revocation-list-file",
					null,
					"only Tomcat with 'TomcatOpenSslAutoConfiguration', and not in a native image, checks whether client certificates are revoked",
					"Use Tomcat as the web server and exclude no auto-configuration, or remove the property", null);
		}
	}

	private static boolean isA(ConfigurableWebServerFactory factory, String name) {
		Class<?> type = factory.getClass();
		while (type != null && !type.getName().equals(name)) {
			type = type.getSuperclass();
		}
		return type != null;
	}

}
