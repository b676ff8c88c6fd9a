// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that docs/policies.md has the tables of {@link SecurityPolicy}.
 */
class SecurityPolicyDocumentationTests {

	private static final Path GUIDE = Path.of("../docs/policies.md");

	@ParameterizedTest
	@EnumSource
	void guideHasTheTableOfThePolicy(SecurityPolicy policy) throws IOException {
		String section = Files.readString(GUIDE).split("\n### `%s`\n".formatted(policy))[1].split("\n### ")[0];
		assertThat(section).contains("| | " + policy.source() + " |")
			.contains(row("versions", policy.versions()))
			.contains(row("TLS 1.3 suites", policy.cipherSuites()))
			.contains(row("TLS 1.2 suites", policy.ciphers()))
			.contains(row("groups", policy.groups()))
			.contains(row("signature algorithms", policy.signatures()))
			.contains(row("signatures of certificates", policy.certificateSignatures()))
			.contains("It does not cover");
		int bits = policy.keys().minimumRsaBits();
		assertThat(section.contains("RSA from")).isEqualTo(bits > 0);
		if (bits > 0) {
			assertThat(section).contains("| keys of certificates | RSA from %d bits; ".formatted(bits));
		}
		if (!policy.keys().curves().isEmpty()) {
			assertThat(section).contains("EC on " + list(policy.keys().curves()) + " |");
		}
	}

	@Test
	void guideHasNoOtherPolicy() throws IOException {
		assertThat(Pattern.compile("^### `(.*)`$", Pattern.MULTILINE).matcher(Files.readString(GUIDE)).results())
			.extracting((section) -> section.group(1))
			.containsExactlyInAnyOrder(
					Arrays.stream(SecurityPolicy.values()).map(Object::toString).toArray(String[]::new));
	}

	private static String row(String name, Collection<?> values) {
		return "| %s | %s |".formatted(name, values.isEmpty() ? "none" : list(values));
	}

	private static String list(Collection<?> values) {
		return values.stream().map((value) -> "`" + value + "`").collect(Collectors.joining(", "));
	}

}
