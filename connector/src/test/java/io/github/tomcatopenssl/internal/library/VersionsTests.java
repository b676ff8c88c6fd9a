// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import io.github.tomcatopenssl.test.Provided;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Versions}.
 */
@Tag("jdk")
class VersionsTests {

	@ParameterizedTest
	@CsvSource({ "1.2.35,false", "1.3.8,false", "1.3.9,true", "1.4.0,true", "2.0.15,false", "2.0.16,true", "2.1.0,true",
			"3.0.0,true", "10.0.0,true" })
	void whenTomcatNativeIsOlderThanTheFirstWithoutHolesThenIsNotSafe(String version, boolean safe) {
		assertThat(Versions.isSafe(Version.parse(version))).isEqualTo(safe);
	}

	@ParameterizedTest
	@CsvSource({ "11.0.24,false", "11.0.25.0,false", "11.0.26,true", "11.0.26.0,true", "11.0.27.0,true",
			"11.1.0-M1,true", "12.0.0-M1-dev,true" })
	void whenTomcatIsOlderThanTheFirstThatAsksForDirectBuffersThenDoesNotWork(String version, boolean works) {
		assertThat(Versions.worksWithSafeTomcatNative(Version.parse(version))).isEqualTo(works);
	}

	@Test
	void whenTomcatIsTheOneOfTheseTestsThenWorks() {
		assertThat(Versions.ofTomcat()).satisfies((version) -> {
			assertThat(version.toString()).matches("\\d+\\.\\d+\\.\\d+");
			assertThat(Versions.worksWithSafeTomcatNative(version)).isTrue();
		});
	}

	@ParameterizedTest
	@CsvSource({ "1.2.35,1.2.35", "2.0.15-dev,2.0.15", "2.0.16,", "1.3.9-dev,", "1.2.35|1.3.9,", "2.0.15|3.5.7,",
			"requires 1.2.3,", "v1.2.3,", "1.2,", "1.2.3.4,", "1.2.33333,", "," })
	void whenContentHasUnsafeVersionThenIsFoundOnlyIfItIsCertain(@Nullable String strings, @Nullable String version) {
		String content = "\0" + String.valueOf(strings).replace('|', '\0') + "\0";
		assertThat(String.valueOf(Versions.unsafeIn(content))).isEqualTo(String.valueOf(version));
	}

	@Tag("servers")
	@Test
	void whenLibraryIsRealThenVersionIsFound() throws IOException {
		assertThat(Versions.unsafeIn(content(Provided.oldTomcatNative()))).hasToString("1.2.35");
		assertThat(Versions.unsafeIn(content(Provided.tomcatNative()))).isNull();
		assertThat(Versions.unsafeIn(content(Provided.muslTomcatNative()))).isNull();
	}

	private static String content(Path file) throws IOException {
		return Files.readString(file, StandardCharsets.ISO_8859_1);
	}

}
