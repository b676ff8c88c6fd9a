// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link ClientCertFields}.
 */
class ClientCertFieldsTests {

	@Test
	void whenFieldsAreMissingThenThereAreNoCertificates() {
		assertThat(ClientCertFields.read(List.of(), List.of())).isEmpty();
	}

	@Test
	void whenChainHasSeveralLinesThenTheirCertificatesFollowThatOfTheClient() {
		assertThat(ClientCertFields.read(List.of(" :AAE=: "), List.of())).containsExactly(new byte[][] { { 0, 1 } });
		assertThat(ClientCertFields.read(List.of(":AA==:"), List.of(":AQ==:,\t:Ag==:", ":Aw==:")))
			.containsExactly(new byte[][] { { 0 }, { 1 }, { 2 }, { 3 } });
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "::", ":", "AA==", ":AA==", "AA==:", ":AA:", ":AA=:", ":AA===:", ":AB==:", ":AAF=:",
			":AA==:;a=1", ":AA==:, :AA==:", ":AA==::AA==:", ":AA ==:", ":AA-=:", ":AA_=:", "\"AA==\"", ":\u0410A==:",
			":AA==:\n", ":=:" })
	void whenCertificateIsNotOneByteSequenceThenFails(String value) {
		assertThatIllegalArgumentException().isThrownBy(() -> ClientCertFields.read(List.of(value), List.of()));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> ClientCertFields.read(List.of(":AA==:"), List.of(":AA==:," + value + ",:AA==:,")));
	}

	@Test
	void whenCertificateIsThereTwiceOrOnlyItsChainIsThenFails() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> ClientCertFields.read(List.of(":AA==:", ":AA==:"), List.of()));
		assertThatIllegalArgumentException().isThrownBy(() -> ClientCertFields.read(List.of(), List.of(":AA==:")));
	}

}
