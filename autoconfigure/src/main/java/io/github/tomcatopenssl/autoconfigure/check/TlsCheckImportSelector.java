// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.check;

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.AutoConfigurationImportSelector;
import org.springframework.core.annotation.AnnotationAttributes;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Selects the auto-configurations that the TLS settings of a web server need, as a start
 * does: in their order, and without those that {@code spring.autoconfigure.exclude}
 * excludes.
 */
class TlsCheckImportSelector extends AutoConfigurationImportSelector {

	static final String OURS = "io.github.tomcatopenssl.";

	private static final String ACTUATOR = "io.github.tomcatopenssl.autoconfigure.actuate.";

	/**
	 * How the names of Spring Boot's auto-configurations of web servers end.
	 */
	private static final String WEB_SERVERS = "WebServerAutoConfiguration";

	/**
	 * How the names begin of those that create a management server with its own port.
	 */
	private static final String MANAGEMENT = "org.springframework.boot.tomcat.autoconfigure.actuate.web.server.";

	private static final Set<String> OTHERS = Set.of("ConfigurationPropertiesAutoConfiguration",
			"PropertyPlaceholderAutoConfiguration", "SslAutoConfiguration");

	@Override
	protected AnnotationAttributes getAttributes(AnnotationMetadata metadata) {
		return new AnnotationAttributes(Map.of("exclude", new String[0], "excludeName", new String[0]));
	}

	@Override
	protected List<String> getCandidateConfigurations(AnnotationMetadata metadata,
			@Nullable AnnotationAttributes attributes) {
		return super.getCandidateConfigurations(metadata, attributes).stream()
			.filter(TlsCheckImportSelector::isNeeded)
			.toList();
	}

	private static boolean isNeeded(String name) {
		if (name.startsWith(OURS)) {
			return !name.startsWith(ACTUATOR);
		}
		String simpleName = name.substring(name.lastIndexOf('.') + 1);
		return name.startsWith(MANAGEMENT) || name.startsWith("org.springframework.boot.")
				&& (simpleName.endsWith(WEB_SERVERS) || OTHERS.contains(simpleName));
	}

	// Others may well be excluded
	@Override
	protected void handleInvalidExcludes(List<String> invalidExcludes) {
	}

}
