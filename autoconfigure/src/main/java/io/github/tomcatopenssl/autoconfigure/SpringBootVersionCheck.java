// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.lang.module.ModuleDescriptor.Version;

import io.github.tomcatopenssl.MinimumVersions;

import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.ApplicationListener;

/**
 * Prevents startup with a short message if Spring Boot is older than the starter
 * requires. An older 4.x manages a Tomcat that is too old, and with 3.x, the
 * auto-configurations would not apply, without a word. This is a listener because every
 * version of Spring Boot calls listeners, and for this event because a failure is not
 * analyzed before.
 */
class SpringBootVersionCheck implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {

	private final String version;

	SpringBootVersionCheck() {
		this(SpringBootVersion.getVersion());
	}

	SpringBootVersionCheck(String version) {
		this.version = version;
	}

	@Override
	public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
		if (!isSupported(this.version)) {
			throw new UnsupportedSpringBootException(this.version);
		}
	}

	static boolean isSupported(String version) {
		Version present = Version.parse(version);
		String minimum = version.startsWith("4.0.") ? "4.0.9" : "4.1.2";
		return present.compareTo(Version.parse(minimum)) >= 0;
	}

	/**
	 * Thrown if the version of Spring Boot is not supported.
	 */
	static class UnsupportedSpringBootException extends RuntimeException {

		UnsupportedSpringBootException(String version) {
			super("The starter does not work with Spring Boot %s, which manages a Tomcat before %s. That Tomcat ignores certificate revocation lists (CVE-2026-73581), and the starter does not use it with Tomcat Native"
				.formatted(version, MinimumVersions.TOMCAT));
		}

	}

	/**
	 * Analyzes an {@link UnsupportedSpringBootException}.
	 */
	static class FailureAnalyzer extends AbstractFailureAnalyzer<UnsupportedSpringBootException> {

		@Override
		protected FailureAnalysis analyze(Throwable rootFailure, UnsupportedSpringBootException cause) {
			return new FailureAnalysis(cause.getMessage() + ".",
					"Use Spring Boot 4.1.2 or later, or 4.0.9 or later in the 4.0 line.", cause);
		}

	}

}
