// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.test.CatalinaHome;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application on a real Tomcat that obtains its certificate from a CA.
 */
final class AcmeApplication implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private AcmeApplication(ConfigurableApplicationContext context) {
		this.context = context;
	}

	static AcmeApplication start(Class<?> configuration, List<String> properties) {
		List<String> arguments = new ArrayList<>();
		if (properties.stream().noneMatch((property) -> property.startsWith("server.port="))) {
			arguments.add("--server.port=0");
		}
		arguments.add("--spring.ssl.bundle.watch.file.quiet-period=200ms");
		properties.forEach((property) -> arguments.add("--" + property));
		CatalinaHome.forget();
		return new AcmeApplication(
				new SpringApplicationBuilder(HelloController.class, configuration).web(WebApplicationType.SERVLET)
					.properties("spring.main.banner-mode=off", "spring.jmx.enabled=false")
					.run(arguments.toArray(String[]::new)));
	}

	int port() {
		return ((WebServerApplicationContext) this.context).getWebServer().getPort();
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	@Override
	public void close() {
		this.context.close();
	}

	@RestController
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class HelloController {

		@GetMapping("/hello")
		String hello() {
			return "hello";
		}

	}

}
