// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import io.github.tomcatopenssl.LoadAttempt.Result;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LoadAttempt}.
 */
class LoadAttemptTests {

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "LOADED")
	void whenAttemptFailsThenHasARemedy(Result result) {
		String action = result.action().with((setting) -> "tls." + setting);
		assertThat(action).isNotEmpty().doesNotEndWith(".").doesNotContain("%");
	}

}
