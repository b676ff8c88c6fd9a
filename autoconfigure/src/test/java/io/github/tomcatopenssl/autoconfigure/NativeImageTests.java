// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.ForkedApplication;
import io.github.tomcatopenssl.test.NativeImageApplication;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of applications that pretend to run as a native image.
 */
@Tag("forked")
class NativeImageTests {

	private static final String REASON = "a GraalVM native image cannot load Tomcat Native";

	@Test
	void whenTlsIsServedThenSaysOnceThatJsseDoes() {
		Commands.Result result = run("--server.ssl.bundle=mine").orFail();
		assertThat(result.output()).contains("Tomcat started on port")
			.containsOnlyOnce("OpenSSL is not active: " + REASON + "; JSSE serves TLS");
	}

	@Test
	void whenTlsIsNotServedThenSaysNothing() {
		assertThat(run("--server.ssl.enabled=false").orFail().output()).contains("Tomcat started on port")
			.doesNotContain(REASON);
	}

	@Test
	void whenOpenSslIsRequiredThenFails() {
		assertThat(run("--server.ssl.bundle=mine", "--server.ssl.openssl.mode=always").output()).contains(
				"Property server.ssl.openssl.mode with value 'ALWAYS' is invalid: It cannot be enforced: " + REASON);
	}

	@Test
	void whenUnknownServerNamesAreToBeRejectedThenFails() {
		assertThat(run("--server.ssl.bundle=mine", "--server.ssl.unknown-server-name=reject").output())
			.contains("server.ssl.unknown-server-name", "It cannot be enforced: " + REASON);
	}

	private static Commands.Result run(String... arguments) {
		TestCertificates certificates = TestCertificates.get();
		String bundle = "--spring.ssl.bundle.pem.mine.keystore.";
		List<String> all = new ArrayList<>(Arrays.asList(arguments));
		all.add(bundle + "certificate=" + certificates.file("p256.crt"));
		all.add(bundle + "private-key=" + certificates.file("p256.key"));
		return ForkedApplication.run(NativeImageApplication.class, List.of(NativeImageApplication.OPTION),
				all.toArray(String[]::new));
	}

}
