/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.library;

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
