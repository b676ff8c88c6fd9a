// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.check;

import java.io.PrintStream;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.AotDetector;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringApplicationRunListener;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.bootstrap.ConfigurableBootstrapContext;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.SpringProperties;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Makes the {@link TlsCheck} instead of a start if the application is started with
 * {@code --tls-check}: as soon as the environment is prepared, and before there is any
 * bean of the application.
 */
class TlsCheckRunListener implements SpringApplicationRunListener, Ordered {

	private final SpringApplication application;

	private final @Nullable TlsCheckFormat format;

	private final PrintStream output = System.out;

	TlsCheckRunListener(SpringApplication application, String[] arguments) {
		this.application = application;
		this.format = TlsCheckFormat.find(arguments);
	}

	@Override
	public int getOrder() {
		// After Spring Boot's, which calls the listeners of the application
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void starting(ConfigurableBootstrapContext bootstrapContext) {
		if (this.format != null) {
			// The log must not be in the way of the report
			System.setOut(System.err);
		}
	}

	@Override
	public void environmentPrepared(ConfigurableBootstrapContext bootstrapContext,
			ConfigurableEnvironment environment) {
		if (this.format == null) {
			return;
		}
		// The context of a check is not generated
		SpringProperties.setProperty(AotDetector.AOT_ENABLED, "false");
		LoggingSystem logging = LoggingSystem.get(this.application.getClassLoader());
		logging.setLogLevel(LoggingSystem.ROOT_LOGGER_NAME, LogLevel.WARN);
		// Warns of what the report says
		logging.setLogLevel("org.springframework", LogLevel.ERROR);
		WebApplicationType type = Binder.get(environment)
			.bind("spring.main.web-application-type", WebApplicationType.class)
			.orElseGet(this.application::getWebApplicationType);
		end(this.format, new TlsCheck(environment, type).run());
	}

	@Override
	public void failed(@Nullable ConfigurableApplicationContext context, Throwable exception) {
		if (this.format != null) {
			end(this.format, TlsCheckReport.refused(Failures.analyze(exception, null, null), List.of()));
		}
	}

	private void end(TlsCheckFormat format, TlsCheckReport report) {
		this.output.println(format.write(report));
		this.output.flush();
		System.exit(report.status());
	}

}
