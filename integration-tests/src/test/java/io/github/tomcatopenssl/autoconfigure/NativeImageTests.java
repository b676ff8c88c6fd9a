// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import io.github.tomcatopenssl.test.AotApplication;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.ForkedApplication;
import io.github.tomcatopenssl.test.NativeImageApplication;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.aot.AbstractAotProcessor.Settings;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of applications that pretend to run as a native image.
 */
@Tag("jdk")
@Tag("forked")
class NativeImageTests {

	private static final String REASON = "a GraalVM native image cannot load Tomcat Native";

	@Test
	void whenTlsIsServedThenSaysOnceThatJsseDoes() {
		Commands.Result result = run("--server.ssl.bundle=mine").orFail();
		assertThat(result.output()).contains("Tomcat started on port")
			.containsOnlyOnce("OpenSSL is not active: " + REASON + "; JSSE serves TLS")
			.doesNotContain("OpenSSL is not active on port");
	}

	@Test
	void whenTlsIsNotServedThenSaysNothing() {
		assertThat(run("--server.ssl.enabled=false").orFail().output()).contains("Tomcat started on port")
			.doesNotContain(REASON);
	}

	@Test
	void whenOpenSslIsRequiredThenFails() {
		assertThat(run("--server.ssl.bundle=mine", "--server.ssl.openssl.mode=always").output()).contains(
				"Property server.ssl.openssl.mode with value 'ALWAYS' is invalid: It cannot be enforced: " + REASON);
	}

	@Test
	void whenUnknownServerNamesAreToBeRejectedThenFails() {
		assertThat(run("--server.ssl.bundle=mine", "--server.ssl.unknown-server-name=reject").output())
			.contains("server.ssl.unknown-server-name", "It cannot be enforced: " + REASON);
	}

	@ParameterizedTest
	@CsvSource({ "servlet, tomcat", "reactive, tomcat", "reactive, reactor.netty" })
	void whenProcessedAheadOfTimeThenColumnOfTheServerApplies(String type, String server, @TempDir Path folder)
			throws Exception {
		String[] application = arguments("--spring.main.web-application-type=" + type,
				"--server.test.web-server=" + server, "--server.ssl.bundle=mine");
		String reason = server.equals("tomcat") ? REASON
				: "Reactor Netty serves TLS, but only Tomcat can use OpenSSL for it";
		List<String> command = processed(folder, application);
		assertThat(Commands.run("", command).orFail().output()).contains("Starting AOT-processed", " started on port")
			.containsOnlyOnce("OpenSSL is not active: " + reason)
			.doesNotContain("OpenSSL is not active on port");
		command.add("--server.ssl.openssl.mode=always");
		assertThat(Commands.run("", command).output()).contains("It cannot be enforced: " + reason);
	}

	// Returns the command that runs the output
	private static List<String> processed(Path folder, String[] arguments) throws IOException {
		Path classes = Files.createDirectories(folder.resolve("classes"));
		new SpringApplicationAotProcessor(AotApplication.class,
				Settings.builder()
					.sourceOutput(folder.resolve("sources"))
					.resourceOutput(classes)
					.classOutput(classes)
					.groupId("test")
					.artifactId("test")
					.build(),
				arguments)
			.process();
		List<String> compilation = new ArrayList<>(List.of("-proc:none", "-nowarn", "-parameters", "-d",
				classes.toString(), "-cp", classes + File.pathSeparator + System.getProperty("java.class.path")));
		try (Stream<Path> sources = Files.walk(folder.resolve("sources"))) {
			sources.map(Path::toString).filter((source) -> source.endsWith(".java")).forEach(compilation::add);
		}
		assertThat(ToolProvider.getSystemJavaCompiler()
			.run(null, OutputStream.nullOutputStream(), OutputStream.nullOutputStream(),
					compilation.toArray(String[]::new)))
			.isZero();
		Path metadata = classes.resolve("META-INF/native-image/test/test/reachability-metadata.json");
		List<String> command = ForkedApplication.command(AotApplication.class,
				List.of("-Dspring.aot.enabled=true", "-Dspring.devtools.restart.enabled=false",
						NativeImageApplication.OPTION, "-D" + AotApplication.METADATA + "=" + metadata),
				List.of(arguments));
		command.set(command.indexOf("-cp") + 1, classes + File.pathSeparator + System.getProperty("java.class.path"));
		return command;
	}

	private static Commands.Result run(String... arguments) {
		return ForkedApplication.run(NativeImageApplication.class, List.of(NativeImageApplication.OPTION),
				arguments(arguments));
	}

	private static String[] arguments(String... arguments) {
		TestCertificates certificates = TestCertificates.get();
		String bundle = "--spring.ssl.bundle.pem.mine.keystore.";
		List<String> all = new ArrayList<>(Arrays.asList(arguments));
		all.add(bundle + "certificate=" + certificates.file("p256.crt"));
		all.add(bundle + "private-key=" + certificates.file("p256.key"));
		return all.toArray(String[]::new);
	}

}
