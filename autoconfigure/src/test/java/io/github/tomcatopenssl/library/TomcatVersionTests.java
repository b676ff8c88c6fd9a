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
 * Tests for {@link TomcatVersion}.
 */
class TomcatVersionTests {

	@ParameterizedTest
	@CsvSource({ "11.0.24.0,false", "11.0.25.0,false", "11.0.26.0,true", "11.0.27.0,true", "11.1.0-M1,true",
			"12.0.0-M1-dev,true" })
	void worksFromTheFirstVersionThatAsksForDirectBuffers(String version, boolean works) {
		assertThat(TomcatVersion.parse(version).worksWithSafeTomcatNative()).isEqualTo(works);
	}

	@Test
	void toStringIsTheReleasedVersion() {
		assertThat(TomcatVersion.parse("11.0.24.0")).hasToString("11.0.24");
		assertThat(TomcatVersion.MINIMUM).hasToString("11.0.26");
	}

	@Test
	void currentWorks() {
		assertThat(TomcatVersion.current().worksWithSafeTomcatNative()).isTrue();
	}

}
