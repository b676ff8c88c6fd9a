// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.List;
import java.util.Set;

import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.LibrarySource;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.engine.TlsEngine;
import io.github.tomcatopenssl.internal.library.TomcatNativeLoader;
import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of {@code server.ssl.groups}, in which each {@link KeyExchangeGroup} may have
 * several names.
 */
@Tag("jdk")
@ExtendWith(OutputCaptureExtension.class)
class GroupsTests extends AbstractTlsServerTests {

	GroupsTests() {
		super(WebApplicationType.SERVLET);
	}

	@ParameterizedTest
	@MethodSource("configurable")
	void whenGroupsAreSetThenOtherClientsAreRefusedAlsoAfterAReload(Engine engine) {
		try (TestServer server = start(engine,
				with(with(pem("rsa"), bundle("next", "ed25519")), "groups=SECP384R1,secp521r1",
						"server-name-certificates[0].server-name=other.example.com",
						"server-name-certificates[0].certificate-file=" + file("ed25519.crt"),
						"server-name-certificates[0].certificate-key-file=" + file("ed25519.key"),
						"management.server.port=0"))) {
			assertServesGroupsOnly(engine, server.port(), "rsa");
			assertServesGroupsOnly(engine, Integer.parseInt(server.property("local.management.port")), "rsa");
			assertServesGroupsOnly(engine, server.port(), "ed25519", "-servername", "other.example.com");
			server.bundles().updateBundle("server-ssl", server.bean(SslBundles.class).getBundle("next"));
			assertServesGroupsOnly(engine, server.port(), "ed25519");
		}
	}

	private static void assertServesGroupsOnly(Engine engine, int port, String subject, String... options) {
		for (String version : List.of("-tls1_2", "-tls1_3")) {
			for (String group : List.of("P-384", "P-521")) {
				assertThat(TlsClient.connect(port, with(options, version, "-groups", group)).subject())
					.as(version + group)
					.isEqualTo(subject);
			}
			assertThat(TlsClient.connect(port, with(options, version, "-groups", "X25519:P-256"))).as(version)
				.returns("", Handshake::subject)
				.satisfies((handshake) -> assertThat(handshake.output())
					.contains((engine == Engine.OPENSSL) ? "alert handshake failure" : "alert"));
		}
		assertThat(TlsClient.connect(port, with(options, "-tls1_2", "-cipher", "DHE")).cipher()).isEqualTo("(NONE)");
	}

	@ParameterizedTest
	@MethodSource("configurable")
	void whenGroupsHaveAFiniteFieldThenItIsServedWithTls13Only(Engine engine) {
		try (TestServer server = start(engine, with(pem("rsa"), "groups=x25519,ffdhe2048"))) {
			assertThat(TlsClient.connect(server.port(), "-tls1_2", "-cipher", "DHE").isServed()).isFalse();
			assertThat(TlsClient.connect(server.port(), "-tls1_2", "-cipher", "ECDHE").isServed()).isTrue();
			assertThat(TlsClient.connect(server.port(), "-tls1_3", "-groups", "ffdhe2048").isServed()).isTrue();
			assertThat(TlsClient.connect(server.port(), "-groups", "P-256").isServed()).isFalse();
		}
	}

	@ParameterizedTest
	@MethodSource("configurable")
	void whenSuitesHaveAnotherKeyExchangeThenItIsRefused(Engine engine) {
		String[] settings = with(pem("rsa"), "groups=x25519", "enabled-protocols=TLSv1.2",
				"ciphers=TLS_RSA_WITH_AES_128_GCM_SHA256,TLS_DHE_RSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
		try (TestServer server = start(engine, settings)) {
			int port = server.port();
			assertThat(
					TlsClient.connect(port, "-tls1_2", "-cipher", "AES128-GCM-SHA256", "-groups", "P-256").isServed())
				.isFalse();
			assertThat(TlsClient.connect(port, "-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256").isServed()).isFalse();
			assertThat(TlsClient.connect(port, "-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256").isServed())
				.isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "P-256", "prime256v1", "SECP256R1", "secp256r1", "p256" })
	void whenGroupHasAnotherNameThenItIsTheSame(String name) {
		try (TestServer server = start(Engine.OPENSSL, with(pem("p256"), "groups=" + name))) {
			assertThat(TlsClient.connect(server.port(), "-groups", "P-256").isServed()).isTrue();
			assertThat(TlsClient.connect(server.port(), "-groups", "X25519").isServed()).isFalse();
		}
	}

	@ParameterizedTest
	@MethodSource("configurable")
	void whenNoSuiteCanHaveTheGroupsThenFailsWithBothProperties(Engine engine, CapturedOutput output) {
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> start(engine, with(pem("rsa"), "groups=x25519",
				"enabled-protocols=TLSv1.2", "ciphers=TLS_RSA_WITH_AES_128_GCM_SHA256"))
			.close());
		assertThat(output).contains("server.ssl.groups", "'server.ssl.ciphers'");
	}

	@ParameterizedTest
	@EnumSource
	void whenGroupIsUnknownThenFailsWithKnownOnes(Engine engine, CapturedOutput output) {
		assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> start(engine, with(pem("p256"), "groups=X25519,Kyber768")).close());
		assertThat(output)
			.contains("Property: server.ssl.groups", "'Kyber768' is not the name of a group", "X25519MLKEM768",
					"secp256r1", "ffdhe2048")
			.doesNotContain("failed to convert");
	}

	@ParameterizedTest
	@MethodSource("configurable")
	void whenEngineLacksAGroupThenItIsLeftOutWithOneWarning(Engine engine, CapturedOutput output) {
		String missing = missing(engine);
		try (TestServer server = start(engine,
				with(pem("p256"), "groups=" + missing + ",X25519", "management.server.port=0"))) {
			assertThat(TlsClient.connect(server.port()).isServed()).isTrue();
			assertThat(TlsClient.connect(server.port(), "-groups", "P-256").isServed()).isFalse();
			assertThat(server.connectors()).flatMap(TlsConnectors::groups).containsOnly("x25519");
			assertThat(output)
				.containsOnlyOnce("which serves TLS, does not support " + missing + " and uses only x25519");
		}
	}

	@ParameterizedTest
	@MethodSource("configurable")
	void whenNoGroupIsLeftThenFails(Engine engine) {
		assertFails(engine, "groups=" + missing(engine), "supports none of these groups. It supports: secp256r1, ");
	}

	@Test
	void whenJsseCannotBeToldThenFails() {
		if (TlsEngine.jsse().capabilities().groups().isEmpty()) {
			assertFails(Engine.JSSE, "groups=X25519", "cannot be set");
			return;
		}
		try (TestServer server = start(Engine.JSSE, with(pem("p256"), "groups=X25519"))) {
			assertThat(TlsClient.connect(server.port(), "-groups", "X25519").isServed()).isTrue();
		}
	}

	@ParameterizedTest
	@MethodSource("configurable")
	void whenGroupsAreForTls13OnlyThenSoIsTheServer(Engine engine) throws Exception {
		if (!isHybrid(engine)) {
			assertFails(engine, "groups=X25519MLKEM768", "supports none of these groups");
			return;
		}
		try (TestServer server = start(engine, with(pem("rsa"), "groups=X25519MLKEM768"))) {
			assertThat(TlsClient.connect(server.port(), "-tls1_2").output()).contains("alert protocol version");
			assertThat(TlsClient.connect(server.port(), "-groups", "X25519").output())
				.contains((engine == Engine.OPENSSL) ? "alert handshake failure" : "alert");
			if (isHybrid(Engine.JSSE)) {
				assertThat(new JavaClient("rsa.crt").get(server.port(), "/hello")).endsWith("hello");
			}
		}
		assertFails(engine, "groups=X25519MLKEM768", "these groups need TLS 1.3", "enabled-protocols=TLSv1.2");
	}

	private void assertFails(Engine engine, String groups, String reason, String... properties) {
		assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> start(engine, with(with(pem("p256"), properties), groups)).close())
			.havingRootCause()
			.satisfies((ex) -> {
				if (ex instanceof TlsSettingException setting) {
					assertThat(setting.getSetting((name) -> "server.ssl." + name)).isEqualTo("server.ssl.groups");
					assertThat(ex).hasMessageContaining(reason);
				}
				else {
					assertThat(ex).isInstanceOf(InvalidConfigurationPropertyValueException.class)
						.hasMessageContaining("server.ssl.groups");
					assertThat(((InvalidConfigurationPropertyValueException) ex).getReason()).contains(reason);
				}
			});
	}

	static List<Engine> configurable() {
		return !TlsEngine.jsse().capabilities().groups().isEmpty() ? List.of(Engine.values()) : List.of(Engine.OPENSSL);
	}

	private static String missing(Engine engine) {
		Set<KeyExchangeGroup> available = available(engine);
		return List.of(KeyExchangeGroup.values())
			.stream()
			.filter((group) -> !available.contains(group))
			.findFirst()
			.orElseThrow()
			.toString();
	}

	static boolean isHybrid(Engine engine) {
		return available(engine).contains(KeyExchangeGroup.X25519MLKEM768);
	}

	private static Set<KeyExchangeGroup> available(Engine engine) {
		if (engine == Engine.JSSE) {
			return TlsEngine.jsse().capabilities().groups();
		}
		assertThat(new TomcatNativeLoader(LibrarySource.AUTO, Provided.tomcatNative(), null, FipsMode.OFF)
			.unavailabilityCause()).isNull();
		return TlsEngine.openSsl().capabilities().groups();
	}

}
