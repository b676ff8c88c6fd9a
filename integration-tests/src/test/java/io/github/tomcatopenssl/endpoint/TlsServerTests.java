// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.internal.engine.TlsEngine;
import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import org.apache.catalina.connector.Connector;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * Tests of all TLS servers that Spring Boot configures on Tomcat, with both engines.
 */
@Tag("jdk")
@ExtendWith(OutputCaptureExtension.class)
class TlsServerTests extends AbstractTlsServerTests {

	// ssl-config.mozilla.org/guidelines/6.0.json
	private static final List<String> PROFILE = List.of("ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256",
			"ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305",
			"ECDHE-RSA-CHACHA20-POLY1305");

	TlsServerTests() {
		super(WebApplicationType.SERVLET);
	}

	static List<Object> enginesAndKeys() {
		List<Object> arguments = new ArrayList<>();
		for (Engine engine : Engine.values()) {
			for (String key : List.of("rsa", "p256", "p384", "ed25519")) {
				arguments.add(argumentSet(engine + " " + key, engine, key));
			}
		}
		return arguments;
	}

	@ParameterizedTest
	@MethodSource("enginesAndKeys")
	void whenCertificateFileIsSetThenServes(Engine engine, String key, CapturedOutput output) {
		try (TestServer server = start(engine, pem(key))) {
			assertEngine(engine, server, output);
			for (String version : List.of("1_2", "1_3")) {
				Handshake handshake = TlsClient.connect(server.port(), "-tls" + version);
				assertThat(handshake).returns("TLSv" + version.replace('_', '.'), Handshake::protocol)
					.returns(key, Handshake::subject)
					.returns(true, Handshake::isServed);
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenChainAndEncryptedKeyHaveTheirOwnFilesThenServesChain(Engine engine) {
		certificates().openssl("pkcs8", "-topk8", "-in", "leaf.key", "-passout", "pass:" + TestCertificates.PASSWORD,
				"-out", "leaf-encrypted.key");
		try (TestServer server = start(engine, "certificate-file=" + file("leaf.crt"),
				"certificate-key-file=" + file("leaf-encrypted.key"),
				"certificate-key-password=" + TestCertificates.PASSWORD,
				"certificate-chain-file=" + file("intermediate.crt"))) {
			Handshake handshake = TlsClient.connect(server.port(), "-showcerts", "-verify_return_error", "-CAfile",
					file("ca.crt"));
			assertThat(handshake).returns(true, Handshake::isServed).returns(2L, Handshake::certificates);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenKeyIsInCertificateFileThenServes(Engine engine) {
		certificates().join("all.crt", "p256.key", "p256.crt");
		try (TestServer server = start(engine, "certificate-file=" + file("all.crt"))) {
			assertThat(TlsClient.connect(server.port()).isServed()).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenHttp2IsEnabledThenNegotiatesIt(Engine engine, CapturedOutput output) {
		try (TestServer server = start(engine, with(pem("p256"), "server.http2.enabled=true"))) {
			assertEngine(engine, server, output);
			assertThat(TlsClient.connect(server.port(), "-alpn", "h2,http/1.1").output()).contains("ALPN protocol: h2");
			for (String http1 : List.of("http/1.1", "http/1.0", "http/1.0,foo")) {
				assertThat(TlsClient.connect(server.port(), "-alpn", http1).isServed()).as(http1).isTrue();
			}
			assertThat(TlsClient.connect(server.port(), "-alpn", "http/0.9").output())
				.contains("no application protocol");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenKeyStoreIsSetThenServes(Engine engine, CapturedOutput output) {
		certificates().openssl("pkcs12", "-export", "-inkey", "p256.key", "-in", "p256.crt", "-passout",
				"pass:changeit", "-out", "p256.p12");
		assertServes(engine, "p256", output, "key-store=" + file("p256.p12"), "key-store-password=changeit");
	}

	@ParameterizedTest
	@EnumSource
	void whenSpringBootCertificateIsSetThenServes(Engine engine, CapturedOutput output) {
		assertServes(engine, "rsa", output, "certificate=" + file("rsa.crt"),
				"certificate-private-key=" + file("rsa.key"));
	}

	@ParameterizedTest
	@EnumSource
	void whenBundleIsSetThenServes(Engine engine, CapturedOutput output) {
		assertServes(engine, "p384", output, with(bundle("mine", "p384"), "server.ssl.bundle=mine"));
	}

	@ParameterizedTest
	@EnumSource
	void whenServerNameBundlesAreSetThenServesByName(Engine engine, CapturedOutput output) {
		String[] properties = with(with(pem("p256"), bundle("other", "other")),
				"server.ssl.server-name-bundles[0].server-name=other.example.com",
				"server.ssl.server-name-bundles[0].bundle=other");
		try (TestServer server = start(engine, properties)) {
			assertEngine(engine, server, output);
			assertThat(TlsClient.connect(server.port(), "-servername", "other.example.com"))
				.returns("other", Handshake::subject)
				.returns(true, Handshake::isServed);
			assertThat(TlsClient.connect(server.port(), "-servername", "unknown.example.com").subject())
				.isEqualTo("p256");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenServerNamesHaveCertificateFilesThenServesByName(Engine engine, CapturedOutput output) {
		String[] properties = with(with(pem("p256"), bundle("other", "other")),
				"server.ssl.server-name-bundles[0].server-name=other.example.com",
				"server.ssl.server-name-bundles[0].bundle=other",
				"server.ssl.server-name-certificates[0].server-name=*.wild.example.com",
				"server.ssl.server-name-certificates[0].certificate-file=" + file("ed25519.crt"),
				"server.ssl.server-name-certificates[0].certificate-key-file=" + file("ed25519.key"),
				"server.ssl.server-name-certificates[1].server-name=Both.example.com",
				"server.ssl.server-name-certificates[1].certificate-file=" + file("p384.crt"),
				"server.ssl.server-name-certificates[1].certificate-key-file=" + file("p384.key"),
				"server.ssl.server-name-certificates[2].server-name=both.example.com",
				"server.ssl.server-name-certificates[2].certificate-file=" + file("rsa.crt"),
				"server.ssl.server-name-certificates[2].certificate-key-file=" + file("rsa.key"));
		try (TestServer server = start(engine, properties)) {
			assertEngine(engine, server, output);
			assertThat(Map.of("other.example.com", "other", "a.wild.example.com", "ed25519", "both.example.com", "p384",
					"unknown.example.com", "p256"))
				.allSatisfy(
						(name, subject) -> assertThat(TlsClient.connect(server.port(), "-servername", name).subject())
							.isEqualTo(subject));
			assertThat(TlsClient.connect(server.port(), "-servername", "both.example.com", "-sigalgs",
					"rsa_pss_rsae_sha256"))
				.returns("rsa", Handshake::subject)
				.returns(true, Handshake::isServed);
			assertThat(server.bean(SslBundles.class).getBundleNames()).containsExactly("other", "server-ssl",
					"server-ssl-*.wild.example.com", "server-ssl-both.example.com");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenThereAreTwoKeyTypesThenClientsGetTheOneTheyKnow(Engine engine, CapturedOutput output) {
		String[] properties = { "certificates[0].certificate-file=" + file("leaf.crt"),
				"certificates[0].certificate-key-file=" + file("leaf.key"),
				"certificates[0].certificate-chain-file=" + file("intermediate.crt"),
				"certificates[1].certificate-file=" + file("rsa.crt"),
				"certificates[1].certificate-key-file=" + file("rsa.key") };
		try (TestServer server = start(engine, properties)) {
			assertEngine(engine, server, output);
			for (String version : List.of("-tls1_2", "-tls1_3")) {
				assertThat(TlsClient.connect(server.port(), version, "-showcerts")).returns("leaf", Handshake::subject)
					.returns(2L, Handshake::certificates);
				assertThat(TlsClient.connect(server.port(), version, "-sigalgs", "rsa_pss_rsae_sha256:rsa_pkcs1_sha256",
						"-cipher", "aRSA"))
					.returns("rsa", Handshake::subject)
					.returns(true, Handshake::isServed);
			}
			assertThat(TlsClient.connect(server.port(), "-tls1_2", "-cipher", "aRSA").subject()).isEqualTo("rsa");
			assertSecureDefaults(server.port(), "leaf");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenManagementHasItsOwnPortThenHasSameEngine(Engine engine, CapturedOutput output) {
		String[] properties = with(with(pem("p256"), bundle("management", "p384")), "management.server.port=0",
				"management.server.ssl.bundle=management");
		try (TestServer server = start(engine, properties)) {
			assertEngine(engine, server, output);
			int port = Integer.parseInt(server.property("local.management.port"));
			assertThat(port).isNotEqualTo(server.port());
			assertThat(output).containsOnlyOnce(engine.logLine().formatted(port));
			assertThat(TlsClient.connect(port).subject()).isEqualTo("p384");
			assertThat(TlsClient.connect(server.port()).subject()).isEqualTo("p256");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenOnlyManagementServesTlsThenHasEngine(Engine engine, CapturedOutput output) {
		String[] properties = with(bundle("management", "p384"), "management.server.port=0",
				"management.server.ssl.bundle=management");
		try (TestServer server = start(engine, properties)) {
			int port = Integer.parseInt(server.property("local.management.port"));
			assertThat(output).containsOnlyOnce(engine.logLine().formatted(port))
				.doesNotContain("active on port " + server.port());
			assertThat(TlsClient.connect(port).subject()).isEqualTo("p384");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenManagementHasNoTlsSettingsThenHasThoseOfTheMainServer(Engine engine) {
		try (TestServer server = start(engine, with(pem("p256"), "server.ssl.ca-certificate-file=" + file("ca.crt"),
				"server.ssl.client-auth=need", "management.server.port=0"))) {
			int port = Integer.parseInt(server.property("local.management.port"));
			assertThat(TlsClient.connect(port).subject()).isEqualTo("p256");
			assertThat(TlsClient.connect(port, "-tls1_2").output()).contains("SSL alert number");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenManagementTlsIsOffThenServesPlainHttp(Engine engine) {
		try (TestServer server = start(engine,
				with(pem("p256"), "management.server.port=0", "management.server.ssl.enabled=false"))) {
			int port = Integer.parseInt(server.property("local.management.port"));
			assertThat(TlsClient.connect(port).cipher()).isEqualTo("(NONE)");
			assertThat(TlsClient.connect(server.port()).isServed()).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenKeyOfBundleHasNoAliasThenServes(Engine engine) {
		try (TestServer server = start(engine, with(bundle("mine", "ed25519"), "server.ssl.bundle=mine"))) {
			assertThat(TlsClient.connect(server.port()).subject()).isEqualTo("ed25519");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenSuitesOfOneProtocolAreSetThenServesThatProtocol(Engine engine) {
		try (TestServer server = start(engine,
				with(pem("p256"), "server.ssl.ciphers=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"))) {
			assertThat(TlsClient.connect(server.port()).cipher()).isEqualTo("ECDHE-ECDSA-AES256-GCM-SHA384");
		}
		try (TestServer server = start(engine, with(pem("p256"), "server.ssl.ciphers=TLS_AES_256_GCM_SHA384"))) {
			assertThat(TlsClient.connect(server.port()).cipher()).isEqualTo("TLS_AES_256_GCM_SHA384");
			assertThat(TlsClient.connect(server.port(), "-tls1_2").cipher()).isEqualTo("(NONE)");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenBundleHasNoCaForClientsThenFails(Engine engine) {
		assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> start(engine,
					with(bundle("mine", "p256"), "server.ssl.bundle=mine", "server.ssl.client-auth=need")))
			.havingRootCause()
			.isInstanceOf(TlsSettingException.class)
			.withMessageContaining("it has no CA to verify them against");
	}

	@ParameterizedTest
	@EnumSource
	void whenManagementUsesOurBundleThenServesSameCertificate(Engine engine) {
		try (TestServer server = start(engine,
				with(pem("p256"), "management.server.port=0", "management.server.ssl.bundle=server-ssl"))) {
			int port = Integer.parseInt(server.property("local.management.port"));
			assertThat(TlsClient.connect(port).subject()).isEqualTo("p256");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenThereIsAnAdditionalConnectorThenHasSameEngineAndDefaults(Engine engine, CapturedOutput output) {
		try (TestServer server = start(AdditionalConnector.class, engine)) {
			Connector additional = server.connectors()
				.stream()
				.filter((connector) -> "https".equals(connector.getScheme()))
				.findFirst()
				.orElseThrow();
			int port = additional.getLocalPort();
			assertThat(output).containsOnlyOnce(engine.logLine().formatted(port));
			assertThat(TlsClient.connect(port)).returns("p256", Handshake::subject).returns(true, Handshake::isServed);
			assertSecureDefaults(port, "p256");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientAuthIsNeededThenVerifiesClients(Engine engine) {
		try (TestServer server = start(engine,
				with(pem("p256"), "server.ssl.ca-certificate-file=" + file("ca.crt"), "server.ssl.client-auth=need"))) {
			for (String version : List.of("-tls1_2", "-tls1_3")) {
				assertThat(connectAs(server, "client", version).isServed()).as("trusted").isTrue();
				assertThat(connectAs(server, "other-client", version).isServed()).as("untrusted").isFalse();
				assertThat(TlsClient.connect(server.port(), version).isServed()).as("none").isFalse();
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientAuthIsWantedThenVerifiesClientsThatHaveACertificate(Engine engine) {
		try (TestServer server = start(engine,
				with(pem("p256"), "server.ssl.ca-certificate-file=" + file("ca.crt"), "server.ssl.client-auth=want"))) {
			for (String version : List.of("-tls1_2", "-tls1_3")) {
				assertThat(connectAs(server, "client", version).isServed()).as("trusted").isTrue();
				assertThat(connectAs(server, "other-client", version).isServed()).as("untrusted").isFalse();
				assertThat(TlsClient.connect(server.port(), version).isServed()).as("none").isTrue();
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenTrustCertificateOfSpringBootIsSetThenVerifiesClients(Engine engine) {
		try (TestServer server = start(engine,
				with(pem("p256"), "server.ssl.trust-certificate=" + file("ca.crt"), "server.ssl.client-auth=need"))) {
			assertThat(connectAs(server, "client", "-tls1_3").isServed()).isTrue();
			assertThat(connectAs(server, "other-client", "-tls1_3").isServed()).isFalse();
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenNothingIsSetThenDefaultsAreSecure(Engine engine) {
		try (TestServer server = start(engine, pem("rsa"))) {
			assertSecureDefaults(server.port(), "rsa");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenBundleIsReloadedThenServesItAndDefaultsHold(Engine engine) {
		try (TestServer server = start(engine, with(pem("rsa"), bundle("next", "other")))) {
			SslBundle next = server.bean(SslBundles.class).getBundle("next");
			server.bundles().updateBundle("server-ssl", next);
			assertThat(TlsClient.connect(server.port())).returns("other", Handshake::subject)
				.returns(true, Handshake::isServed);
			assertSecureDefaults(server.port(), "other");
			assertThat(server.connectors()).singleElement()
				.satisfies((connector) -> assertThat(TlsConnectors.groups(connector)).isEqualTo(profileGroups(engine)));
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenBundleIsReloadedThenWhatACustomizerHasSetHolds(Engine engine) {
		try (TestServer server = start(CustomHost.class, engine, with(with(pem("rsa"), bundle("next", "other")),
				"ca-certificate-file=" + file("ca.crt"), "client-auth=want"))) {
			assertThat(TlsClient.connect(server.port()).isServed()).isFalse();
			server.bundles().updateBundle("server-ssl", server.bean(SslBundles.class).getBundle("next"));
			assertThat(TlsClient.connect(server.port()).isServed()).isFalse();
			assertThat(connectAs(server, "client", "-tls1_2")).returns("other", Handshake::subject)
				.returns(true, Handshake::isServed);
			assertThat(connectAs(server, "client", "-tls1_3").isServed()).isFalse();
			assertThat(server.connectors()).flatMap((connector) -> List.of(hostConfigs(connector)))
				.singleElement()
				.satisfies((config) -> {
					assertThat(config.getCertificateVerificationAsString()).isEqualTo("REQUIRED");
					assertThat(config.getCertificateVerificationDepth()).isEqualTo(3);
					assertThat(config.getSessionTimeout()).isEqualTo(60);
					assertThat(config.getDisableSessionTickets()).isTrue();
					assertThat(config.getProtocols()).containsExactly("TLSv1.2");
				});
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenCiphersAndProtocolsAreSetThenTheyWin(Engine engine) {
		try (TestServer server = start(engine, with(pem("rsa"),
				"server.ssl.ciphers=TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", "server.ssl.enabled-protocols=TLSv1.2"))) {
			assertThat(TlsClient.connect(server.port()).cipher()).isEqualTo("ECDHE-RSA-AES256-SHA384");
			assertThat(TlsClient.connect(server.port(), "-tls1_3").isServed()).isFalse();
		}
	}

	private void assertServes(Engine engine, String subject, CapturedOutput output, String... properties) {
		try (TestServer server = start(engine, properties)) {
			assertEngine(engine, server, output);
			assertThat(TlsClient.connect(server.port())).returns(subject, Handshake::subject)
				.returns(true, Handshake::isServed);
			assertSecureDefaults(server.port(), subject);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenServerIsStartedThenItReportsTheProtocolsThatItServes(Engine engine) {
		for (List<String> protocols : List.of(List.of("TLSv1.2", "TLSv1.3"), List.of("TLSv1.2"), List.of("TLSv1.3"))) {
			try (TestServer server = start(engine,
					with(pem("p256"), "enabled-protocols=" + String.join(",", protocols)))) {
				assertServesOnly(protocols, server);
				server.bundles().updateBundle("server-ssl", server.bean(SslBundles.class).getBundle("server-ssl"));
				assertServesOnly(protocols, server);
			}
		}
	}

	// Java 17 to 19 do not let the groups of JSSE be set
	private static List<String> profileGroups(Engine engine) {
		if (engine == Engine.JSSE && TlsEngine.jsse().capabilities().groups().isEmpty()) {
			return List.of();
		}
		return GroupsTests.isHybrid(engine) ? List.of("X25519MLKEM768", "x25519", "secp256r1", "secp384r1")
				: List.of("x25519", "secp256r1", "secp384r1");
	}

	private static void assertServesOnly(List<String> protocols, TestServer server) {
		assertThat(server.connectors()).flatMap((connector) -> List.of(hostConfigs(connector)))
			.isNotEmpty()
			.allSatisfy(
					(host) -> assertThat(host.getEnabledProtocols()).containsExactlyInAnyOrderElementsOf(protocols));
		assertThat(TlsClient.connect(server.port(), "-tls1_2").isServed()).isEqualTo(protocols.contains("TLSv1.2"));
		assertThat(TlsClient.connect(server.port(), "-tls1_3").isServed()).isEqualTo(protocols.contains("TLSv1.3"));
	}

	private static void assertEngine(Engine engine, TestServer server, CapturedOutput output) {
		assertThat(output).containsOnlyOnce(engine.logLine().formatted(server.port()));
		if (engine == Engine.OPENSSL) {
			TomcatNative tomcatNative = server.bean(TomcatNative.class);
			assertThat(output).contains("Tomcat Native " + tomcatNative.versionString() + ", APR ",
					", library " + tomcatNative.status().library());
		}
		assertThat(server.connectors()).isNotEmpty()
			.allSatisfy((connector) -> assertThat(TlsConnectors.engines(connector))
				.containsExactly((engine == Engine.OPENSSL) ? "OpenSSL" : "JSSE"));
	}

	/**
	 * The profile as a client sees it: what it allows is served, the rest is refused.
	 */
	private static void assertSecureDefaults(int port, String key) {
		List<String> allowed = key.equals("rsa")
				? List.of("ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305")
				: List.of("ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305");
		allowed.forEach((cipher) -> assertThat(TlsClient.connect(port, "-tls1_2", "-cipher", cipher).cipher())
			.isEqualTo(cipher));
		String all = "ALL:COMPLEMENTOFALL:@SECLEVEL=0";
		String refused = all + PROFILE.stream().map((cipher) -> ":!" + cipher).reduce("", String::concat);
		assertThat(TlsClient.connect(port, "-tls1_2", "-cipher", refused).cipher()).isEqualTo("(NONE)");
		assertThat(TlsClient.connect(port, "-tls1_1", "-cipher", all).cipher()).isEqualTo("(NONE)");
		assertThat(TlsClient.connect(port, "-ciphersuites", "TLS_AES_128_CCM_SHA256", "-tls1_3").cipher())
			.isEqualTo("(NONE)");
		for (String group : List.of("X25519", "P-256", "P-384")) {
			assertThat(TlsClient.connect(port, "-groups", group).isServed()).as(group).isTrue();
		}
		assertThat(TlsClient.connect(port).find(Pattern.compile("Compression: (\\w+)"), 1)).isEqualTo("NONE");
	}

	private static SSLHostConfig[] hostConfigs(Connector connector) {
		return connector.getProtocolHandler().findSslHostConfigs();
	}

	@Configuration(proxyBeanMethods = false)
	static class CustomHost {

		@Bean
		WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> hostCustomizer() {
			return (factory) -> factory
				.addConnectorCustomizers((connector) -> Arrays.stream(hostConfigs(connector)).forEach((config) -> {
					config.setCertificateVerification("required");
					config.setCertificateVerificationDepth(3);
					config.setSessionTimeout(60);
					config.setDisableSessionTickets(true);
					config.setProtocols("TLSv1.2");
				}));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AdditionalConnector {

		@Bean
		WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> additionalConnectorCustomizer() {
			return (factory) -> ((TomcatWebServerFactory) factory)
				.addAdditionalConnectors(TestServer.connector(new TlsHttp11NioProtocol(), (host) -> {
				}));
		}

	}

}
