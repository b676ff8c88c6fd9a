// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.ForkedApplication;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TlsClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of a private key that never leaves its token. The token is SoftHSM, which is
 * configured by the environment, so each application has a JVM of its own.
 */
@Tag("jdk")
@Tag("forked")
public class KeyTokenTests {

	private static final String PIN = "271828";

	private static final String REASON = "the private key of the virtual host '_default_' cannot be exported from its key store, and OpenSSL needs it";

	@TempDir
	private Path folder;

	@BeforeEach
	void createKey() throws Exception {
		Path library = Provided.tokenLibrary();
		Path tokens = Files.createDirectory(this.folder.resolve("tokens"));
		Files.writeString(this.folder.resolve("softhsm2.conf"), "directories.tokendir = " + tokens);
		Path provider = Files.writeString(this.folder.resolve("provider.cfg"), """
				name = Token
				library = %s
				slotListIndex = 0
				attributes(*, CKO_PRIVATE_KEY, *) = {
				  CKA_SENSITIVE = true
				  CKA_EXTRACTABLE = false
				}
				""".formatted(library));
		int free = IntStream.iterate(1, (i) -> i + 1)
			.filter((i) -> Security.getProperty("security.provider." + i) == null)
			.findFirst()
			.getAsInt();
		Files.writeString(this.folder.resolve("java.security"),
				"security.provider.%d = SunPKCS11 %s".formatted(free, provider));
		run(List.of("softhsm2-util", "--init-token", "--free", "--label", "test", "--pin", PIN, "--so-pin", PIN))
			.orFail();
		run(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-J-Djava.security.properties=" + this.folder.resolve("java.security"), "-genkeypair", "-keystore",
				"NONE", "-storetype", "PKCS11", "-providerName", "SunPKCS11-Token", "-storepass", PIN, "-alias",
				"server", "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=token"))
			.orFail();
	}

	@Test
	void whenKeyCannotBeExportedThenJsseServesItAndSaysWhy() {
		Commands.Result result = start("when-available");
		assertThat(result.output())
			.containsPattern("WARN .*OpenSSL is not active on port \\d+ \\(https\\), JSSE serves TLS: " + REASON
					+ "\\. Set 'server\\.ssl\\.openssl\\.mode' to 'never' if the key has to stay where it is")
			.containsPattern("subject=CN ?= ?token")
			.contains("\r\n\r\nhello")
			.doesNotContain(PIN);
		assertThat(result.status()).isZero();
	}

	@Test
	void whenKeyCannotBeExportedAndOpenSslIsRequiredThenFailureIsAnalyzed() {
		Commands.Result result = start("always");
		assertThat(result.output())
			.contains("APPLICATION FAILED TO START", "Property: server.ssl.openssl.mode",
					"Reason: it is 'always', but OpenSSL cannot serve TLS: " + REASON,
					"Set 'server.ssl.openssl.mode' to 'never' if the key has to stay where it is.")
			.doesNotContain("NullPointerException", "OpenSSL is active", PIN);
		assertThat(result.status()).isNotZero();
	}

	private Commands.Result start(String mode) {
		return run(ForkedApplication.command(KeyTokenTests.class,
				List.of("-Djava.security.properties=" + this.folder.resolve("java.security"),
						"-Dspring.devtools.restart.enabled=false"),
				List.of("--server.ssl.key-store-type=PKCS11", "--server.ssl.key-store-provider=SunPKCS11-Token",
						"--server.ssl.key-store-password=" + PIN, "--server.ssl.openssl.mode=" + mode,
						"--server.ssl.openssl.library-path=" + Provided.tomcatNative())));
	}

	private Commands.Result run(List<String> command) {
		List<String> withEnvironment = new ArrayList<>(
				List.of("env", "SOFTHSM2_CONF=" + this.folder.resolve("softhsm2.conf")));
		withEnvironment.addAll(command);
		return Commands.run("", withEnvironment);
	}

	/**
	 * Start an application, and print what a client gets.
	 * @param arguments the arguments of the application
	 */
	public static void main(String[] arguments) {
		List<String> properties = Arrays.stream(arguments)
			.filter((argument) -> argument.startsWith("--server.ssl."))
			.map((argument) -> argument.substring(2))
			.toList();
		try (TestServer server = TestServer.start(WebApplicationType.SERVLET, Object.class, properties)) {
			System.out.println(TlsClient.connect(server.port()).output());
		}
	}

}
