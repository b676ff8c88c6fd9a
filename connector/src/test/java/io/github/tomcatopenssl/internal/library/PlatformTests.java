// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Platform}.
 */
class PlatformTests {

	@ParameterizedTest
	@CsvSource({ "Linux,amd64,false,linux-x86_64", "Linux,aarch64,false,linux-aarch_64",
			"Linux,amd64,true,linux-x86_64-musl", "Linux,aarch64,true,linux-aarch_64-musl",
			"Mac OS X,aarch64,false,osx-aarch_64", "Mac OS X,x86_64,true,osx-x86_64",
			"Windows Server 2022,amd64,false,windows-x86_64", "Linux,riscv64,false,linux-riscv64" })
	void classifierIsInNettysSpelling(String osName, String osArch, boolean musl, String classifier) {
		assertThat(Platform.of(osName, osArch, musl).classifier()).isEqualTo(classifier);
	}

	@Test
	void currentIsThatOfTheSystem() {
		assertThat(Platform.current().classifier())
			.startsWith(System.getProperty("os.name").toLowerCase().substring(0, 3))
			.doesNotContain("amd64");
	}

}
