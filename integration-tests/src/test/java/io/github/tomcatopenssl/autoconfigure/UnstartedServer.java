// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.github.tomcatopenssl.test.TestServer;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.jetty.autoconfigure.servlet.JettyServletWebServerAutoConfiguration;
import org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.context.servlet.AnnotationConfigServletWebApplicationContext;

/**
 * A web server with Spring Boot's auto-configurations of it and those of this project,
 * which is not started: what they decide of properties before.
 */
enum UnstartedServer {

	TOMCAT(TomcatServletWebServerAutoConfiguration.class), JETTY(JettyServletWebServerAutoConfiguration.class),
	NETTY(NettyReactiveWebServerAutoConfiguration.class);

	private final Class<?> autoConfiguration;

	UnstartedServer(Class<?> autoConfiguration) {
		this.autoConfiguration = autoConfiguration;
	}

	/**
	 * Return why the server would not start.
	 * @param properties the properties
	 * @return the failure, or {@code null} if nothing refuses the properties
	 */
	Throwable failure(List<String> properties) {
		return failure(properties, CertificateFileAutoConfiguration.class, TomcatOpenSslAutoConfiguration.class);
	}

	/**
	 * Return why the server would not start without
	 * {@link TomcatOpenSslAutoConfiguration}.
	 * @param properties the properties
	 * @return the failure, or {@code null} if nothing refuses the properties
	 */
	Throwable failureWithoutTomcatOpenSsl(List<String> properties) {
		return failure(properties, CertificateFileAutoConfiguration.class);
	}

	private Throwable failure(List<String> properties, Class<?>... autoConfigurations) {
		List<Class<?>> all = new ArrayList<>(List.of(autoConfigurations));
		all.addAll(List.of(SslAutoConfiguration.class, this.autoConfiguration));
		AtomicReference<Throwable> failure = new AtomicReference<>();
		runner().withConfiguration(AutoConfigurations.of(all.toArray(Class<?>[]::new)))
			.withUserConfiguration(TestServer.AcmeConfiguration.class)
			.withPropertyValues(properties.toArray(String[]::new))
			.run((context) -> failure.set(context.getStartupFailure()));
		return failure.get();
	}

	private AbstractApplicationContextRunner<?, ?, ?> runner() {
		return (this == NETTY) ? new ReactiveWebApplicationContextRunner()
				: new WebApplicationContextRunner(AnnotationConfigServletWebApplicationContext::new);
	}

}
