// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample.container;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;

import io.github.tomcatopenssl.test.Provided;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.testcontainers.images.builder.ImageFromDockerfile;
import org.testcontainers.utility.MountableFile;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of images whose library cannot be used, and of images without one.
 */
@RequiresContainerEngine
class LibraryInContainerIT {

	private static final String JSSE = "OpenSSL is not active on port 8443 (https), JSSE serves TLS: ";

	private static final String BUNDLED = ", library bundled " + Provided.platform();

	@Test
	void whenTemporaryFolderIsNotExecutableThenJsseServesAndSaysSo() throws Exception {
		try (SampleContainer sample = started(bundled().withFolder("/tmp", "noexec"))) {
			assertServedByJsse(sample, "it cannot be loaded: /tmp/tomcat-openssl-",
					"Put the library on a file system that is not mounted with 'noexec'",
					"'server.ssl.openssl.work-dir'");
		}
	}

	@Test
	void whenTemporaryFolderIsNotExecutableThenWorkDirHelps() throws Exception {
		try (SampleContainer sample = started(
				bundled("--server.ssl.openssl.work-dir=/var/lib/app").withFolder("/tmp", "noexec")
					.withFolder("/var/lib/app", "exec"))) {
			assertThat(sample.getLogs()).contains(BUNDLED).doesNotContain(" WARN ");
		}
	}

	@Test
	void whenThereIsNoLibraryThenJsseServes() throws Exception {
		try (SampleContainer sample = started(new SampleContainer(Images.jsse(Base.TRIXIE)))) {
			assertServedByJsse(sample, "'java.library.path': no libtcnative-2.so in ",
					"no dependency provides a library for linux-", "Add the dependency");
		}
	}

	@Test
	void whenThereIsNoLibraryAndModeIsAlwaysThenExitsWithAnalysis() throws Exception {
		assertExitsWithAnalysis(Images.jsse(Base.TRIXIE), "no libtcnative-2.so in ");
	}

	@ParameterizedTest
	@EnumSource
	void whenPackageOfDistributionIsTooOldThenJsseServes(Base base) throws Exception {
		try (SampleContainer sample = started(
				new SampleContainer(Images.packaged(base), "--server.ssl.openssl.library=system"))) {
			assertServedByJsse(sample, "libtcnative-1.so': its version is 1.",
					", older than 2.0.16 (or 1.3.9), which fixes CVE-",
					"Install Tomcat Native 2.0.16 (or 1.3.9) or later");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenPackageOfDistributionIsTooOldThenBundledLibraryIsUsed(Base base) throws Exception {
		try (SampleContainer sample = started(new SampleContainer(Images.packaged(base)))) {
			assertThat(sample.getLogs()).contains("OpenSSL is active on port 8443 (https): OpenSSL 3.5.", BUNDLED);
		}
	}

	@Test
	void whenPackageOfDistributionIsTooOldAndModeIsAlwaysThenExitsWithAnalysis() throws Exception {
		assertExitsWithAnalysis(Images.packaged(Base.TRIXIE), ", older than 2.0.16 (or 1.3.9), which fixes CVE-",
				"--server.ssl.openssl.library=system");
	}

	@Test
	void whenLibraryIsForAnotherProcessorThenJsseServes() throws Exception {
		Path library = Provided.foreignLibrary();
		try (SampleContainer sample = started(
				new SampleContainer(Images.jsse(Base.TRIXIE), "--server.ssl.openssl.library-path=/opt/tcnative")
					.withCopyFileToContainer(MountableFile.forHostPath(library), "/opt/tcnative/libtcnative-2.so"))) {
			assertServedByJsse(sample, "'/opt/tcnative/libtcnative-2.so': it cannot be loaded: ", "can't load A");
		}
	}

	private static SampleContainer bundled(String... arguments) throws IOException {
		return new SampleContainer(Images.bundled(Base.TRIXIE), arguments).restricted();
	}

	private static SampleContainer started(SampleContainer container) {
		container.start();
		return container;
	}

	private static void assertServedByJsse(SampleContainer sample, String... reasons) throws Exception {
		assertThat(sample.getLogs()).contains(JSSE).contains(reasons).doesNotContain("OpenSSL is active", "ERROR");
		assertThat(ClientContainer.get().curl("/tls")).contains("\"engine\":\"JSSE\"");
	}

	private static void assertExitsWithAnalysis(ImageFromDockerfile image, String reason, String... arguments)
			throws IOException {
		String[] all = Stream.concat(Stream.of("--server.ssl.openssl.mode=always"), Stream.of(arguments))
			.toArray(String[]::new);
		try (SampleContainer sample = new SampleContainer(image, all).thatFailsToStart()) {
			sample.start();
			assertThat(sample.exitStatus()).isEqualTo(1);
			assertThat(sample.getLogs()).contains("APPLICATION FAILED TO START",
					"it is 'always', but OpenSSL cannot serve TLS: ", reason);
		}
	}

}
