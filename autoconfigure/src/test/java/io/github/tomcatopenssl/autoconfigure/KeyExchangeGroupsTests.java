// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.internal.host.EngineCapabilities;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link KeyExchangeGroups}.
 */
@ExtendWith(OutputCaptureExtension.class)
class KeyExchangeGroupsTests {

	private final KeyExchangeGroups groups = new KeyExchangeGroups(
			List.of(KeyExchangeGroup.X25519MLKEM768, KeyExchangeGroup.X25519, KeyExchangeGroup.SECP256R1));

	@Test
	void whenNothingIsSetThenTheDefaultApplies() {
		assertThat(new KeyExchangeGroups(List.of()).of(engine())).isEmpty();
	}

	@Test
	void whenEngineHasAllGroupsThenTheyKeepTheirOrder(CapturedOutput output) {
		assertThat(this.groups
			.of(engine(KeyExchangeGroup.SECP256R1, KeyExchangeGroup.X25519, KeyExchangeGroup.X25519MLKEM768)))
			.containsExactly(KeyExchangeGroup.X25519MLKEM768, KeyExchangeGroup.X25519, KeyExchangeGroup.SECP256R1);
		assertThat(output).doesNotContain("does not support");
	}

	@Test
	void whenEngineLacksGroupsThenTheyAreLeftOutWithOneWarning(CapturedOutput output) {
		EngineCapabilities engine = engine(KeyExchangeGroup.X25519, KeyExchangeGroup.SECP384R1);
		for (int server = 0; server < 2; server++) {
			assertThat(this.groups.of(engine)).containsExactly(KeyExchangeGroup.X25519);
		}
		assertThat(output).containsOnlyOnce(
				"does not support X25519MLKEM768, secp256r1 and uses only x25519. Serve TLS with OpenSSL");
	}

	@Test
	void whenNoGroupIsLeftThenFails() {
		assertFails(engine(KeyExchangeGroup.SECP384R1), "supports none of these groups. It supports: secp384r1.");
	}

	@Test
	void whenGroupsOfTheEngineCannotBeSetThenFails() {
		assertFails(engine(), "cannot be set");
	}

	private void assertFails(EngineCapabilities engine, String reason) {
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> this.groups.of(engine))
			.satisfies((ex) -> {
				assertThat(ex.getName()).isEqualTo("server.ssl.groups");
				assertThat(ex.getValue()).isEqualTo("X25519MLKEM768, x25519, secp256r1");
				assertThat(ex.getReason()).contains(reason);
			});
	}

	private static EngineCapabilities engine(KeyExchangeGroup... groups) {
		return new EngineCapabilities("JSSE", new LinkedHashSet<>(List.of(groups)), Set.of(), Set.of(), List.of(),
				List.of(), true, true, true);
	}

}
