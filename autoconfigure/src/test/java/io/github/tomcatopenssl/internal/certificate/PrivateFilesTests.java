// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests for {@link PrivateFiles}.
 */
@EnabledOnOs(OS.LINUX)
class PrivateFilesTests {

	@TempDir
	private Path folder;

	// Permissions in /proc cannot be changed, not even by root
	@Test
	void whenPermissionsCannotBeChangedAndAllUsersHaveThemThenRefused() {
		assertThatExceptionOfType(OpenFolderException.class)
			.isThrownBy(() -> PrivateFiles.createFolder(Path.of("/proc/self/task")))
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(
					"all users of this machine can enter it (r-xr-xr-x), and its permissions cannot be changed: Operation not permitted"))
			.satisfies((ex) -> assertThat(ex.action()).contains("'dir_mode=0700'", "'umask=0077'",
					"'" + System.getProperty("user.name") + "'"));
	}

	@Test
	void whenPermissionsCannotBeChangedAndAreThoseOfTheUserThenUsed() {
		assertThatCode(() -> PrivateFiles.createFolder(Path.of("/proc/self/fd"))).doesNotThrowAnyException();
	}

	// A volume of Kubernetes belongs to a group
	@ParameterizedTest
	@CsvSource({ "rwx------, true", "rwxrwx---, true", "rwxr-x---, true", "rwxrwx--x, false", "rwx---r--, false",
			"rwx----w-, false", "rwxrwxrwx, false" })
	void whenFileSystemIgnoresThatPermissionsAreChangedThenTheyDecide(String permissions, boolean isPrivate) {
		FileSystemException refusal = refusal(permissions, null);
		if (isPrivate) {
			assertThat(refusal).isNull();
		}
		else {
			assertThat(refusal.getReason()).isEqualTo(
					"all users of this machine can enter it (%s), and its permissions cannot be changed: the file system ignores it"
						.formatted(permissions));
		}
	}

	@Test
	void whenFileSystemHasNoSuchOperationThenPermissionsDecide() {
		assertThat(refusal("rwxrwx---", new UnsupportedOperationException())).isNull();
		assertThat(refusal("rwxrwxrwx", new UnsupportedOperationException()).getReason())
			.endsWith("cannot be changed: the file system cannot do it");
	}

	private @Nullable FileSystemException refusal(String permissions, @Nullable Exception failure) {
		try {
			PrivateFiles.requirePrivate(this.folder, PosixFilePermissions.fromString(permissions), failure);
			return null;
		}
		catch (FileSystemException ex) {
			return ex;
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "rwxrwxrwx", "rwxr-xr-x", "rwx------", "r-x------" })
	void whenFolderExistsThenItBelongsToTheUserAlone(String permissions) throws IOException {
		Path existing = Files.createDirectory(this.folder.resolve("existing"));
		Files.setPosixFilePermissions(existing, PosixFilePermissions.fromString(permissions));
		PrivateFiles.createFolder(existing);
		assertThat(Files.getPosixFilePermissions(existing)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
	}

	@Test
	void whenNameIsThatOfAFileThenRefused() throws IOException {
		Path file = Files.createFile(this.folder.resolve("file"));
		assertThatIOException().isThrownBy(() -> PrivateFiles.createFolder(file));
	}

}
