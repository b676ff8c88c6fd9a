// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.check;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.ConnectorDescriptor;
import io.github.tomcatopenssl.internal.certificate.CertificateSource;
import io.github.tomcatopenssl.internal.store.DryRun;

import org.springframework.boot.ApplicationContextFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigRegistry;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.NativeDetector;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.ClassUtils;
import org.springframework.util.FileSystemUtils;

/**
 * Finds out without a start whether an application could serve TLS: reads what a start
 * would read, and makes the handshakes in memory that a start makes. Opens no port and no
 * database, creates no bean of the application, and orders no certificate.
 */
final class TlsCheck {

	private static final boolean HAS_MANAGEMENT_SERVER = ClassUtils
		.isPresent("org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextFactory", null);

	private final ConfigurableEnvironment environment;

	private final WebApplicationType type;

	/**
	 * Create a new instance.
	 * @param environment the environment of the application
	 * @param type the type of the application
	 */
	TlsCheck(ConfigurableEnvironment environment, WebApplicationType type) {
		this.environment = environment;
		this.type = type;
	}

	/**
	 * Make the check.
	 * @return the result
	 */
	TlsCheckReport run() {
		if (NativeDetector.inNativeImage()) {
			return TlsCheckReport.refused(new FailureAnalysis("A native image cannot check its settings.",
					"Check the jar that it was made of.", new UnsupportedOperationException()), List.of());
		}
		if (this.type == WebApplicationType.NONE) {
			return TlsCheckReport.nothing("The application is not a web application, or it is the parent of one");
		}
		try {
			Path folder = Files.createTempDirectory("tls-check");
			try {
				return run(new DryRun(folder));
			}
			finally {
				FileSystemUtils.deleteRecursively(folder);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private TlsCheckReport run(DryRun dryRun) {
		ConfigurableApplicationContext context = Objects
			.requireNonNull(ApplicationContextFactory.DEFAULT.create(this.type));
		try {
			context.setEnvironment(this.environment);
			context.getBeanFactory().setConversionService(this.environment.getConversionService());
			context.getBeanFactory().registerSingleton(DryRun.class.getName(), dryRun);
			((AnnotationConfigRegistry) context).register(TlsCheckConfiguration.class, MainConfiguration.class);
			context.refresh();
			return check(context, dryRun);
		}
		catch (Exception | LinkageError ex) {
			return TlsCheckReport.refused(Failures.analyze(ex, context.getBeanFactory(), this.environment),
					dryRun.warnings());
		}
		finally {
			context.close();
		}
	}

	private TlsCheckReport check(ConfigurableApplicationContext context, DryRun dryRun) throws Exception {
		// Refers to Tomcat's classes, which are optional
		List<ConnectorDescriptor> connectors = context.containsBean("checkedConnectors")
				? context.getBean(CheckedConnectors.class).check(context, dryRun) : null;
		if (connectors == null) {
			return TlsCheckReport.unknown("The web server is not Tomcat");
		}
		List<ConnectorDescriptor> all = new ArrayList<>(connectors);
		if (HAS_MANAGEMENT_SERVER) {
			all.addAll(CheckedManagementServer.check(context, dryRun));
		}
		CertificateSource source = context.getBeanProvider(CertificateSource.class).getIfAvailable();
		List<String> due = (source != null) ? source.due() : List.of();
		String library = all.stream()
			.map(ConnectorDescriptor::library)
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
		return TlsCheckReport.of(all, library, due, dryRun.warnings());
	}

	@Configuration(proxyBeanMethods = false)
	@Import(TlsCheckImportSelector.class)
	static class MainConfiguration {

	}

}
