// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.ForkedApplication;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that an application starts without the jars of optional dependencies. Each
 * application has a JVM without these jars: a class loader that filters them does not
 * reach the classes of the auto-configuration, which the test's own class loader defines,
 * and so does not find a method that names a missing type.
 */
@Tag("jdk")
@Tag("forked")
class OptionalDependenciesTests {

	private static final String ACTUATOR = "spring-boot-(starter-)?(actuator|health)";

	private static final String MICROMETER = "micrometer-(core|jakarta)|spring-boot-(starter-)?micrometer";

	private static final String TOMCAT = "tomcat-embed-(core|websocket)|spring-boot-(starter-)?tomcat";

	private static final String OTHERS = "spring-boot-(webflux|reactor|devtools|jetty)|reactor|netty|jetty|jackson|spring-(security|cloud|webflux)";

	@ParameterizedTest
	@CsvSource({ ACTUATOR + ", tomcat", MICROMETER + ", tomcat", ACTUATOR + "|" + MICROMETER + ", tomcat",
			TOMCAT + ", jetty", ACTUATOR + "|" + MICROMETER + "|" + OTHERS + ", tomcat" })
	void whenDependencyIsMissingThenApplicationStarts(String missing, String webServer) {
		Commands.Result result = run(missing, "--server.test.web-server=" + webServer);
		assertThat(result.status()).as(result.output()).isZero();
		assertThat(result.output())
			.contains(webServer.equals("tomcat") ? "OpenSSL is active on port " : "Jetty started on port ")
			.doesNotContain("\tat ");
	}

	@ParameterizedTest
	@CsvSource({ ACTUATOR + "|" + MICROMETER + "|" + OTHERS + ", tomcat", TOMCAT + ", jetty" })
	void whenDependencyIsMissingThenTheCheckWorks(String missing, String webServer) {
		Commands.Result result = run(missing, "--server.test.web-server=" + webServer, "--tls-check");
		assertThat(result.status()).as(result.output()).isZero();
		assertThat(result.output())
			.contains(webServer.equals("tomcat") ? "TLS would be served." : "The web server is not Tomcat")
			.doesNotContain("\tat ");
	}

	@Test
	void whenActuatorIsMissingThenCertificateOfManagementServerIsRefused() {
		Commands.Result result = run(ACTUATOR, "--management.server.port=0",
				"--management.server.ssl.certificate-file=" + TestCertificates.get().file("p256.crt"));
		assertThat(result.status()).as(result.output()).isOne();
		assertThat(result.output()).contains("Property: management.server.ssl.certificate-file",
				"there is no management server: Actuator is missing", "Add 'spring-boot-starter-actuator'");
	}

	private static Commands.Result run(String missing, String... more) {
		List<String> arguments = new ArrayList<>(List.of("--server.test.actuator=true",
				"--management.observations.http.server.requests.tls.enabled=true",
				"--management.observations.http.server.requests.tls-client.enabled=true",
				"--server.ssl.certificate-file=" + TestCertificates.get().file("p256.crt"),
				"--server.ssl.certificate-key-file=" + TestCertificates.get().file("p256.key"),
				"--server.ssl.openssl.library-path=" + Provided.tomcatNative()));
		arguments.addAll(List.of(more));
		List<String> command = ForkedApplication.command(ForkedApplication.class,
				List.of("-Dspring.devtools.restart.enabled=false"), arguments);
		int classPath = command.indexOf("-cp") + 1;
		command.set(classPath, without(command.get(classPath), missing));
		return Commands.run("", command);
	}

	private static String without(String classPath, String missing) {
		List<String> jars = new ArrayList<>(List.of(classPath.split(File.pathSeparator)));
		for (String name : missing.split("\\|(?![^(]*\\))")) {
			assertThat(jars.removeIf((jar) -> Path.of(jar).getFileName().toString().matches(name + ".*\\.jar")))
				.as("a jar with the name '%s'", name)
				.isTrue();
		}
		return String.join(File.pathSeparator, jars);
	}

}
