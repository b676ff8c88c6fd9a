// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of servers that verify the clients of each server name in another way.
 */
class ClientVerificationByNameTests extends AbstractTlsServerTests {

	private static final List<String> VERSIONS = List.of("-tls1_2", "-tls1_3");

	@TempDir
	private Path folder;

	ClientVerificationByNameTests() {
		super(WebApplicationType.SERVLET);
	}

	private String[] names(String... more) {
		return with(with(pem("p256"), "server-name-certificates[0].server-name=partner.test",
				"server-name-certificates[0].certificate-file=" + file("other.crt"),
				"server-name-certificates[0].certificate-key-file=" + file("other.key"),
				"server-name-certificates[0].client-auth=need",
				"server-name-certificates[0].trust-certificate-file=" + file("ca.crt"),
				"server-name-certificates[1].server-name=admin.test",
				"server-name-certificates[1].certificate-file=" + file("p384.crt"),
				"server-name-certificates[1].certificate-key-file=" + file("p384.key"),
				"server-name-certificates[1].client-auth=want",
				"server-name-certificates[1].trust-certificate-file=" + file("other-ca.crt"),
				"server.http2.enabled=true"), more);
	}

	@ParameterizedTest
	@EnumSource
	void whenClientsConnectThenEachNameVerifiesThemAgainstItsCas(Engine engine) {
		try (TestServer server = start(engine, names())) {
			for (String version : VERSIONS) {
				assertServed(server, version, "localhost", true, true, true);
				assertServed(server, version, "partner.test", false, true, false);
				assertServed(server, version, "admin.test", true, false, true);
			}
		}
	}

	private void assertServed(TestServer server, String version, String name, boolean none, boolean client,
			boolean otherClient) {
		String[] options = { version, "-servername", name };
		assertThat(TlsClient.connect(server.port(), options).isServed()).as(name + version).isEqualTo(none);
		assertThat(TlsClient.connect(server.port(), with(options, certificate("client"))).isServed()).as(name + version)
			.isEqualTo(client);
		assertThat(TlsClient.connect(server.port(), with(options, certificate("other-client"))).isServed())
			.as(name + version)
			.isEqualTo(otherClient);
	}

	private String[] certificate(String name) {
		return new String[] { "-cert", file(name + ".crt"), "-key", file(name + ".key") };
	}

	@ParameterizedTest
	@EnumSource
	void whenConnectionOfOneNameAsksForAnotherThenIsMisdirected(Engine engine) {
		for (Class<?> configuration : List.of(Object.class, LenientHosts.class)) {
			try (TestServer server = start(configuration, engine, names())) {
				for (String http : List.of("--http1.1", "--http2")) {
					for (String host : List.of("partner.test", "PARTNER.test:443", "partner.test.", "admin.test")) {
						assertThat(get(server, "localhost", http, "-H", "Host: " + host)).as(host).isEqualTo(" 421");
					}
					for (String host : List.of("localhost", "admin.test", "unknown.test")) {
						assertThat(get(server, "partner.test", http, "-H", "Host: " + host, "--cert",
								file("client.crt"), "--key", file("client.key")))
							.as(host)
							.isEqualTo(" 421");
					}
					assertThat(get(server, "localhost", http, "-H", "Host: unknown.test")).isEqualTo("hello 200");
					assertThat(get(server, "partner.test", http, "--cert", file("client.crt"), "--key",
							file("client.key")))
						.isEqualTo("hello 200");
				}
			}
		}
	}

	// A session remembers that the client was verified, or that nobody asked
	@ParameterizedTest
	@EnumSource
	void whenSessionIsOfOneNameThenItIsNotResumedAtAnother(Engine engine) throws Exception {
		Path key = this.folder.resolve("ticket.key");
		Files.write(key, new byte[80]);
		Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
		String[] shared = (engine == Engine.OPENSSL) ? new String[] { "session-ticket-key-file=" + key }
				: new String[0];
		for (String[] more : List.of(new String[0], shared)) {
			try (TestServer server = start(engine, with(names(more), bundle("next", "p256")))) {
				for (String version : VERSIONS) {
					String session = this.folder.resolve("session" + version).toString();
					String[] save = { version, "-sess_out", session };
					String[] offer = { version, "-sess_in", session };
					assertThat(TlsClient.connect(server.port(), save).isServed()).isTrue();
					assertThat(TlsClient.connect(server.port(), with(offer, "-servername", "partner.test")).isServed())
						.as(version)
						.isFalse();
					server.bundles().updateBundle("server-ssl", server.bean(SslBundles.class).getBundle("next"));
					assertThat(TlsClient.connect(server.port(), with(offer, "-servername", "partner.test")).isServed())
						.as("after a reload, " + version)
						.isFalse();
					assertThat(TlsClient
						.connect(server.port(),
								with(with(save, certificate("other-client")), "-servername", "admin.test"))
						.isServed()).isTrue();
					assertThat(TlsClient.connect(server.port(), with(offer, "-servername", "partner.test")).isServed())
						.as("of a verified client, " + version)
						.isFalse();
				}
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenNameHasNoSettingThenThatOfTheServerApplies(Engine engine) {
		try (TestServer server = start(engine,
				with(pem("p256"), "client-auth=need", "ca-certificate-file=" + file("ca.crt"),
						"server-name-certificates[0].server-name=partner.test",
						"server-name-certificates[0].certificate-file=" + file("other.crt"),
						"server-name-certificates[0].certificate-key-file=" + file("other.key"),
						"server-name-certificates[1].server-name=public.test",
						"server-name-certificates[1].certificate-file=" + file("p384.crt"),
						"server-name-certificates[1].certificate-key-file=" + file("p384.key"),
						"server-name-certificates[1].client-auth=none"))) {
			assertServed(server, "-tls1_3", "localhost", false, true, false);
			assertServed(server, "-tls1_3", "partner.test", false, true, false);
			assertServed(server, "-tls1_3", "public.test", true, true, true);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenNameHasItsOwnRevocationListThenItsClientsAreCheckedAgainstIt(Engine engine) {
		certificates().issue("ca", "by-name", "basicConstraints=CA:FALSE\nextendedKeyUsage=clientAuth\n",
				"20250101000000Z", "20980101000000Z");
		certificates().revoke("ca", "by-name");
		certificates().revocationList("ca", "by-name.crl");
		try (TestServer server = start(engine,
				names("server-name-certificates[0].certificate-revocation-list-file=" + file("by-name.crl")))) {
			String[] options = { "-tls1_3", "-servername", "partner.test" };
			assertThat(TlsClient.connect(server.port(), with(options, certificate("by-name"))).isServed()).isFalse();
			assertThat(TlsClient.connect(server.port(), with(options, certificate("client"))).isServed()).isTrue();
			assertServed(server, "-tls1_3", "admin.test", true, false, true);
		}
	}

	private String get(TestServer server, String name, String... options) {
		List<String> command = new ArrayList<>(List.of("curl", "-sk", "-w", " %{http_code}", "--resolve",
				"%s:%d:127.0.0.1".formatted(name, server.port()),
				"https://%s:%d/hello".formatted(name, server.port())));
		command.addAll(List.of(options));
		return Commands.run("", command).orFail().output();
	}

	@Configuration(proxyBeanMethods = false)
	static class LenientHosts {

		@Bean
		WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> lenientHosts() {
			return (factory) -> factory.addConnectorCustomizers(
					(connector) -> assertThat(connector.setProperty("strictSni", "false")).isTrue());
		}

	}

}
