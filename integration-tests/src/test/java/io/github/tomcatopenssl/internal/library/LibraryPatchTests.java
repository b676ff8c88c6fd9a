// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.ConnectedApplication;
import io.github.tomcatopenssl.test.ForkedApplication;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the patches in {@code natives/patches}: what they change in the bundled
 * library.
 */
@Tag("jdk")
@Tag("forked")
class LibraryPatchTests {

	private static final Pattern MEMORY = Pattern.compile(ConnectedApplication.MEMORY + "(\\d+)");

	@TempDir
	private Path folder;

	@Test
	void whenKeyLogFileIsNamedThenBundledLibraryWritesNoSecrets() throws IOException {
		Path file = this.folder.resolve("secrets");
		Commands.Result result = start(List.of("SSLKEYLOGFILE=" + file), bundled());
		assertConnected(result);
		assertThat(file).doesNotExist();
		assertThat(result.output()).contains("library bundled linux-").doesNotContain(" WARN ");
	}

	@Test
	void whenKeyLogFileIsNamedThenOtherLibraryIsReported() throws IOException {
		Path file = this.folder.resolve("secrets");
		Commands.Result result = start(List.of("SSLKEYLOGFILE=" + file),
				List.of("-Dserver.ssl.openssl.library-path=" + Provided.tomcatNative()));
		assertConnected(result);
		assertThat(file).content().contains("TRAFFIC_SECRET");
		assertThat(result.output().lines().filter((line) -> line.contains(" WARN "))).singleElement()
			.asString()
			.contains("Tomcat Native writes the secrets of all TLS sessions to '%s'".formatted(file), "SSLKEYLOGFILE");
	}

	@Test
	void whenSeedFileBlocksItsReaderThenConnectionsAreMade() throws IOException {
		Path pipe = this.folder.resolve("pipe");
		Commands.run("", List.of("mkfifo", pipe.toString())).orFail();
		List<String> options = bundled();
		options.add("-Dseed-file=" + pipe);
		assertConnected(start(List.of(), options));
	}

	@Test
	void whenConnectionsAreIdleThenOpenSslHoldsNoBuffersForThem() throws IOException {
		// Each buffer is a mapping of its own
		List<String> environment = List.of("MALLOC_MMAP_THRESHOLD_=16384", "MALLOC_ARENA_MAX=1");
		List<String> options = bundled();
		options.addAll(List.of("-Xms256m", "-Xmx256m"));
		Commands.Result result = start(environment, options);
		assertConnected(result);
		Matcher memory = MEMORY.matcher(result.output());
		assertThat(memory.find()).isTrue();
		// Two buffers of 17 kB, in pages, are 40: without the patch it is 102
		assertThat(Integer.parseInt(memory.group(1))).isLessThan(80);
	}

	private List<String> bundled() {
		Provided.bundledLibrary(this.folder);
		return new ArrayList<>(List.of("-Xbootclasspath/a:" + this.folder, "-Dserver.ssl.openssl.library=bundled"));
	}

	private static Commands.Result start(List<String> environment, List<String> options) {
		TestCertificates certificates = TestCertificates.get();
		List<String> command = new ArrayList<>(List.of("env"));
		command.addAll(environment);
		List<String> allOptions = new ArrayList<>(options);
		allOptions.add("-Dspring.devtools.restart.enabled=false");
		command.addAll(ForkedApplication.command(ConnectedApplication.class, allOptions,
				List.of("--server.ssl.openssl.mode=always",
						"--server.ssl.certificate-file=" + certificates.file("p256.crt"),
						"--server.ssl.certificate-key-file=" + certificates.file("p256.key"),
						"--spring.ssl.bundle.pem.client.truststore.certificate=" + certificates.file("p256.crt"))));
		return Commands.run("", command);
	}

	private static void assertConnected(Commands.Result result) {
		assertThat(result).as(result.output()).returns(0, Commands.Result::status);
		assertThat(result.output()).contains("OpenSSL is active on port ", ConnectedApplication.MEMORY);
	}

}
