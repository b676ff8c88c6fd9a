// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.net.SocketException;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.tomcatopenssl.internal.certificate.SystemUser;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.web.server.WebServerException;
import org.springframework.core.env.Environment;

/**
 * Analyzes why a server cannot listen on its port, except for a port that is in use,
 * which Spring Boot analyzes. Failures that Java has no exception for come in the words
 * of the operating system; others than these are left to Spring Boot.
 */
class ListenFailureAnalyzer extends AbstractFailureAnalyzer<WebServerException> {

	private static final int FIRST_UNPRIVILEGED = 1024;

	private final @Nullable Environment environment;

	ListenFailureAnalyzer(@Nullable Environment environment) {
		this.environment = environment;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, WebServerException cause) {
		SocketException failure = Stream.iterate((Throwable) cause, Objects::nonNull, Throwable::getCause)
			.filter(SocketException.class::isInstance)
			.map(SocketException.class::cast)
			.findFirst()
			.orElse(null);
		String words = (failure != null) ? String.valueOf(failure.getMessage()) : "";
		if (words.contains("Permission denied")) {
			return forbidden(cause);
		}
		return words.contains("Cannot assign requested address") ? noAddress(cause) : null;
	}

	private FailureAnalysis forbidden(WebServerException cause) {
		String property = (isPrivileged("server.port") || !isPrivileged("management.server.port")) ? "server.port"
				: "management.server.port";
		return new FailureAnalysis(
				"The user '%s' may not listen on port %s, which '%s' names.".formatted(SystemUser.name(),
						Objects.requireNonNullElse(value(property), "8080"), property),
				"Set '%s' to a port from 1024 on, or set the sysctl 'net.ipv4.ip_unprivileged_port_start' to the port (in Kubernetes, below 'sysctls' of the pod's 'securityContext'), or, with systemd, 'AmbientCapabilities=CAP_NET_BIND_SERVICE'."
					.formatted(property),
				cause);
	}

	private boolean isPrivileged(String property) {
		String port = value(property);
		return port != null && port.matches("[1-9]\\d{0,3}") && Integer.parseInt(port) < FIRST_UNPRIVILEGED;
	}

	private FailureAnalysis noAddress(WebServerException cause) {
		String property = (value("server.address") != null) ? "server.address" : "management.server.address";
		return new FailureAnalysis(
				"The server cannot listen on '%s', which '%s' names: this machine has no such address."
					.formatted(value(property), property),
				"Set '%s' to an address of this machine, or remove it, so that the server listens on all of them."
					.formatted(property),
				cause);
	}

	private @Nullable String value(String property) {
		try {
			return (this.environment != null) ? this.environment.getProperty(property) : null;
		}
		catch (IllegalArgumentException ex) {
			// The value has a placeholder that cannot be resolved
			return null;
		}
	}

}
