// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SystemUser}.
 */
class SystemUserTests {

	@TempDir
	private Path folder;

	@Test
	void whenUserHasANameThenShowsIt() {
		assertThat(SystemUser.name("jane", this.folder)).isEqualTo("jane");
		assertThat(SystemUser.name()).isEqualTo(System.getProperty("user.name"));
	}

	// Java has '?' for a user without an entry in passwd, as in many containers
	@Test
	void whenUserHasNoNameThenShowsItsNumber() throws IOException {
		String number = String.valueOf(Files.getAttribute(this.folder, "unix:uid"));
		assertThat(SystemUser.name("?", this.folder)).isEqualTo(number);
		assertThat(SystemUser.name(null, this.folder)).isEqualTo(number);
		assertThat(SystemUser.name("?", this.folder.resolve("missing"))).isEqualTo("unknown");
	}

}
