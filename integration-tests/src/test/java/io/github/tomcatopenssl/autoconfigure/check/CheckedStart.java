// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.check;

import java.net.SocketException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.tomcatopenssl.test.CatalinaHome;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.StandardEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the failure of a start with what a check says.
 */
public final class CheckedStart {

	private CheckedStart() {
	}

	/**
	 * Require a check to refuse the settings that have ended a start, in the same words.
	 * @param failure the failure of the start
	 * @param environment the environment of the start
	 * @param type the type of the application
	 */
	public static void requireSame(Throwable failure, ConfigurableEnvironment environment, WebApplicationType type) {
		FailureAnalysis start = Failures.analyze(failure, null, environment);
		boolean isOfPort = Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
			.anyMatch((cause) -> cause instanceof PortInUseException || cause instanceof SocketException);
		if (isOfPort || start.getAction() == null) {
			return;
		}
		TlsCheckReport report = check(type, environment);
		assertThat(report.failure()).as("A check has to refuse '%s'", start.getDescription()).isNotNull();
		assertThat(report.failure().getDescription()).isEqualTo(start.getDescription());
		assertThat(report.failure().getAction()).isEqualTo(start.getAction());
	}

	static TlsCheckReport check(WebApplicationType type, List<String> properties) {
		return check(type, environment(properties));
	}

	private static TlsCheckReport check(WebApplicationType type, ConfigurableEnvironment environment) {
		CatalinaHome.forget();
		try {
			return new TlsCheck(environment, type).run();
		}
		finally {
			CatalinaHome.forget();
		}
	}

	static ConfigurableEnvironment environment(List<String> properties) {
		ConfigurableEnvironment environment = new StandardEnvironment();
		environment.setConversionService(new ApplicationConversionService());
		TestPropertyValues.of(properties).applyTo(environment);
		ConfigurationPropertySources.attach(environment);
		return environment;
	}

}
