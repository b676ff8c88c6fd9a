// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.pem;

import java.util.List;

import io.github.tomcatopenssl.test.Commands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ShellWord}.
 */
class ShellWordTests {

	@ParameterizedTest
	@ValueSource(strings = { "/etc/tls/tls.crt", "/etc/a b.crt", "/etc/$HOME/`id`", "/etc/\"a\"\\b", "/etc/a'b",
			"a;b&c|d", "*", "~/tls.crt", "" })
	void whenAShellReadsItThenItIsTheFile(String file) {
		assertThat(Commands.run("", List.of("sh", "-c", "printf %s " + ShellWord.of(file))).orFail().output())
			.isEqualTo(file);
	}

	@Test
	void whenFileIsPlainThenItIsShownAsItIs() {
		for (String file : List.of("/etc/tls/tls-2.crt", "/etc/z\u00fcrich.crt")) {
			assertThat(ShellWord.of(file)).isEqualTo(file);
		}
	}

}
