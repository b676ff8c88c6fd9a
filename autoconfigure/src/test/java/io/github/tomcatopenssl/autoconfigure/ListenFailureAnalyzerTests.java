// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.web.server.WebServerException;
import org.springframework.context.ApplicationContextException;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests for {@link ListenFailureAnalyzer}.
 */
class ListenFailureAnalyzerTests {

	private final MockEnvironment environment = new MockEnvironment();

	// An address for documentation (RFC 5737), which no machine has
	@Test
	void whenMachineHasNoSuchAddressThenSaysSo() throws IOException {
		this.environment.setProperty("server.address", "192.0.2.1");
		try (ServerSocket socket = new ServerSocket()) {
			FailureAnalysis analysis = analyze(
					catchThrowableOfType(IOException.class, () -> socket.bind(new InetSocketAddress("192.0.2.1", 0))));
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).isEqualTo(
					"The server cannot listen on '192.0.2.1', which 'server.address' names: this machine has no such address.");
			assertThat(analysis.getAction())
				.startsWith("Set 'server.address' to an address of this machine, or remove");
		}
	}

	@ParameterizedTest
	@CsvSource({ "443, 8081, server.port", "8443, 444, management.server.port", "443, 444, server.port" })
	void whenUserMayNotUseThePortThenSaysWho(String port, String management, String property) {
		this.environment.setProperty("server.port", port);
		this.environment.setProperty("management.server.port", management);
		FailureAnalysis analysis = analyze(new SocketException("Permission denied"));
		assertThat(analysis).isNotNull();
		assertThat(analysis.getDescription()).isEqualTo("The user '%s' may not listen on port %s, which '%s' names."
			.formatted(System.getProperty("user.name"), this.environment.getProperty(property), property));
		assertThat(analysis.getAction()).startsWith("Set '%s' to a port from 1024 on, or".formatted(property))
			.contains("ip_unprivileged_port_start", "CAP_NET_BIND_SERVICE");
	}

	@Test
	void whenFailureIsAnotherThenItIsLeftToSpringBoot() {
		assertThat(analyze(new SocketException("Address already in use"))).isNull();
		assertThat(analyze(new IOException("Permission denied"))).isNull();
	}

	// If Spring Boot gets an analyzer of its own, this one can go
	private @Nullable FailureAnalysis analyze(Throwable cause) {
		Throwable failure = new ApplicationContextException("Failed to start bean 'webServerStartStop'",
				new WebServerException("Unable to start embedded Tomcat server", new IllegalStateException(cause)));
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, SpringFactoriesLoader.ArgumentResolver.of(Environment.class, this.environment),
					(type, name, ex) -> {
					})
			.stream()
			.filter((analyzer) -> analyzer.analyze(failure) != null)
			.peek((analyzer) -> assertThat(analyzer).isInstanceOf(ListenFailureAnalyzer.class))
			.map((analyzer) -> analyzer.analyze(failure))
			.findFirst()
			.orElse(null);
	}

}
