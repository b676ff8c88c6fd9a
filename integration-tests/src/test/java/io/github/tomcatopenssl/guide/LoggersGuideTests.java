// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * Tests that the loggers log that the manual names.
 */
@ExtendWith(OutputCaptureExtension.class)
class LoggersGuideTests extends AbstractTlsServerTests {

	private static final String REFUSED = "A handshake with 127\\.0\\.0\\.1:\\d+ on port \\d+ failed: client certificate issuer unknown,"
			+ " subject 'CN=other-client', serial number [0-9a-f]+.*: \\w+Exception: ";

	/**
	 * What each logger writes at the level DEBUG.
	 */
	private static final Map<String, List<String>> LOGGERS = Map.of("io.github.tomcatopenssl",
			List.of("Key exchange groups on port \\d+", REFUSED), "io.github.tomcatopenssl.endpoint.FailureReport",
			List.of(REFUSED));

	private static final Pattern NAMED = Pattern.compile(
			"logging\\.level\\.([\\w.]*\\w)|logger(?:s|\\s)[^`]{0,40}`([\\w.]*\\w)`|, and `(io\\.[\\w.]*\\w)` for");

	LoggersGuideTests() {
		super(WebApplicationType.SERVLET);
	}

	@AfterEach
	void reset() {
		LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());
		LOGGERS.keySet().forEach((name) -> logging.setLogLevel(name, null));
	}

	@Test
	void whenManualNamesALoggerThenItIsTested() throws IOException {
		Set<String> named = new TreeSet<>();
		try (Stream<Path> pages = Stream.concat(Files.list(Path.of("../docs")), Stream.of(Path.of("../README.md")))) {
			for (Path page : pages.filter((file) -> file.toString().endsWith(".md")).toList()) {
				NAMED.matcher(Files.readString(page)).results().flatMap(LoggersGuideTests::groups).forEach(named::add);
			}
		}
		assertThat(named).containsExactlyInAnyOrderElementsOf(LOGGERS.keySet());
	}

	private static Stream<String> groups(MatchResult match) {
		return Stream.of(1, 2, 3).map(match::group).filter((name) -> name != null);
	}

	static List<Object> loggers() {
		return LOGGERS.keySet()
			.stream()
			.flatMap((name) -> Stream.of(Engine.values())
				.map((engine) -> (Object) argumentSet(engine + " " + name, engine, name)))
			.toList();
	}

	@ParameterizedTest
	@MethodSource("loggers")
	void whenLevelIsDebugThenLoggerWritesWhatTheManualSays(Engine engine, String name, CapturedOutput output) {
		try (TestServer server = start(engine, with(pem("p256"), "client-auth=need",
				"ca-certificate-file=" + file("ca.crt"), "logging.level." + name + "=debug"))) {
			assertThat(connectAs(server, "other-client", "-tls1_3").isServed()).isFalse();
			LOGGERS.get(name)
				.forEach((line) -> Awaitility.await()
					.atMost(Duration.ofSeconds(10))
					.untilAsserted(() -> assertThat(output.getAll()).containsPattern(line)));
		}
	}

}
