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

import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.test.Provided;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.catalina.connector.Connector;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.SslInfo;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application on a real Tomcat, on a free port.
 */
final class TestServer implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private TestServer(ConfigurableApplicationContext context) {
		this.context = context;
	}

	static TestServer start(WebApplicationType type, Class<?> configuration, List<String> properties) {
		List<String> arguments = new ArrayList<>();
		if (properties.stream().noneMatch((property) -> property.startsWith("server.port="))) {
			arguments.add("--server.port=0");
		}
		arguments.add("--spring.main.banner-mode=off");
		properties.forEach((property) -> arguments.add("--" + property));
		return new TestServer(new SpringApplicationBuilder(Application.class, configuration).web(type)
			.properties("spring.jmx.enabled=false")
			.run(arguments.toArray(String[]::new)));
	}

	int port() {
		return ((WebServerApplicationContext) this.context).getWebServer().getPort();
	}

	List<Connector> connectors() {
		TomcatWebServer webServer = (TomcatWebServer) ((WebServerApplicationContext) this.context).getWebServer();
		return List.of(webServer.getTomcat().getService().findConnectors());
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	SslBundleRegistry bundles() {
		return bean(SslBundleRegistry.class);
	}

	String property(String name) {
		return this.context.getEnvironment().getRequiredProperty(name);
	}

	void restart() {
		this.context.stop();
		this.context.start();
	}

	@Override
	public void close() {
		this.context.close();
	}

	private static String subject(X509Certificate @Nullable [] chain) {
		return (chain != null) ? chain[0].getSubjectX500Principal().getName() : "none";
	}

	/**
	 * The two engines, each required.
	 */
	enum Engine {

		OPENSSL {

			@Override
			List<String> properties() {
				return List.of("server.ssl.openssl.mode=always",
						"server.ssl.openssl.library-path=" + Provided.tomcatNative());
			}

			@Override
			String logLine() {
				return "OpenSSL is active on port %d (https): OpenSSL ";
			}

		},

		JSSE {

			@Override
			List<String> properties() {
				return List.of("server.ssl.openssl.mode=never");
			}

			@Override
			String logLine() {
				return "OpenSSL is not active on port %d (https), JSSE serves TLS: server.ssl.openssl.mode is 'never'";
			}

		};

		abstract List<String> properties();

		abstract String logLine();

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ ServletClientController.class, ReactiveClientController.class })
	static class Application {

		@Bean
		HelloController helloController() {
			return new HelloController();
		}

	}

	@RestController
	@ConditionalOnWebApplication(type = Type.SERVLET)
	static class ServletClientController {

		@GetMapping("/client")
		String client(HttpServletRequest request) {
			return subject((X509Certificate[]) request.getAttribute("jakarta.servlet.request.X509Certificate"));
		}

	}

	@RestController
	@ConditionalOnWebApplication(type = Type.REACTIVE)
	static class ReactiveClientController {

		@GetMapping("/client")
		String client(ServerHttpRequest request) {
			SslInfo sslInfo = request.getSslInfo();
			return subject((sslInfo != null) ? sslInfo.getPeerCertificates() : null);
		}

	}

	@RestController
	static class HelloController {

		@GetMapping("/hello")
		String hello() {
			return "hello";
		}

	}

}
