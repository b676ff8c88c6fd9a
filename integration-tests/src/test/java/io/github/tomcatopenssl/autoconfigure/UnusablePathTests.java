// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.ForkedApplication;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of paths that the locale cannot encode, as with {@code LC_ALL=C}.
 */
@Tag("jdk")
@Tag("forked")
class UnusablePathTests {

	@ParameterizedTest
	@ValueSource(strings = { "certificate-file", "openssl.library-path", "openssl.work-dir" })
	void whenLocaleCannotEncodeAPathThenFailsWithTheRemedy(String property) {
		String json = "{\"server.ssl.%s\":\"/tmp/\\u00fc\"}".formatted(property);
		List<String> command = new ArrayList<>(List.of("env", "LC_ALL=C"));
		command.addAll(ForkedApplication.command(ForkedApplication.class,
				List.of("-Dspring.devtools.restart.enabled=false", "-Dspring.application.json=" + json), List.of()));
		Commands.Result result = Commands.run("", command);
		assertThat(result.status()).as(result.output()).isOne();
		assertThat(result.output())
			.contains("APPLICATION FAILED TO START", "server.ssl." + property,
					"cannot be used on this system, whose character encoding is '", "LC_ALL=C.UTF-8")
			.doesNotContain("\tat ");
	}

}
