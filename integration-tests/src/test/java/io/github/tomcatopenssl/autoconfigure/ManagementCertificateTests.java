// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.certificate.CertificateReloads;
import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import io.micrometer.core.instrument.MeterRegistry;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests of {@link ManagementCertificate}, the files of a management server, and of
 * {@link InheritedCertificateCustomizer}, if it has none.
 */
@ParameterizedClass
@EnumSource(names = { "SERVLET", "REACTIVE" })
class ManagementCertificateTests extends AbstractTlsServerTests {

	private static final String PREFIX = "management.server.ssl.";

	@TempDir
	private Path folder;

	ManagementCertificateTests(WebApplicationType type) {
		super(type);
	}

	@ParameterizedTest
	@EnumSource
	void whenBothServersHaveFilesThenEachServesAndReloadsItsOwn(Engine engine) throws Exception {
		put("p256");
		try (TestServer server = start(engine, with(management("tls"), pem("rsa")))) {
			assertServes(server, "rsa", "p256");
			assertThat(days(server, "server-ssl")).containsExactly("CN=rsa");
			assertThat(days(server, "management-server-ssl")).containsExactly("CN=p256");
			put("p384");
			Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertServes(server, "rsa", "p384"));
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(days(server, "management-server-ssl")).containsExactly("CN=p384"));
			assertThat(days(server, "server-ssl")).containsExactly("CN=rsa");
			assertThat(server.bean(CertificateReloads.class).status())
				.extracting(CertificateReloads.Status::name, CertificateReloads.Status::succeeded)
				.asInstanceOf(InstanceOfAssertFactories.LIST)
				.extracting(Object::toString)
				.containsExactly("(\"server-ssl\", 0L)", "(\"management-server-ssl\", 1L)");
			Files.writeString(this.folder.resolve("tls.key"), "");
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(server.bean(CertificateReloads.class).status().get(1).problem())
					.contains("'management.server.ssl.certificate-key-file'", "it is empty"));
			assertServes(server, "rsa", "p384");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "server.ssl.enabled=false", "server.ssl.bundle=main" })
	void whenMainServerHasNoFilesThenManagementServesItsOwn(String main) throws Exception {
		put("p256");
		String[] properties = with(management("tls"), bundle("main", "rsa"));
		try (TestServer server = start(Engine.OPENSSL, main.isEmpty() ? properties : with(properties, main))) {
			assertThat(TlsClient.connect(managementPort(server)).subject()).isEqualTo("p256");
			Handshake handshake = TlsClient.connect(server.port());
			assertThat(handshake.subject()).isEqualTo(main.contains("bundle") ? "rsa" : "");
		}
	}

	@Test
	void whenKeyIsEncryptedAndChainIsSeparateThenServesThem() {
		certificates().openssl("pkcs8", "-topk8", "-in", "leaf.key", "-passout", "pass:secret", "-out",
				"management-locked.key");
		try (TestServer server = start(Engine.OPENSSL,
				with(pem("rsa"), "management.server.port=0", PREFIX + "certificate-file=" + file("leaf.crt"),
						PREFIX + "certificate-key-file=" + file("management-locked.key"),
						PREFIX + "certificate-key-password=secret",
						PREFIX + "certificate-chain-file=" + file("intermediate.crt")))) {
			assertThat(TlsClient.connect(managementPort(server), "-showcerts")).returns("leaf", Handshake::subject)
				.returns(2L, Handshake::certificates);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenManagementSetsNothingElseThenOtherSettingsAreThoseOfTheMainServer(Engine engine) throws Exception {
		put("p256");
		try (TestServer server = start(engine, with(with(management("tls"), pem("rsa")), "client-auth=need",
				"ca-certificate-file=" + file("ca.crt"), "enabled-protocols=TLSv1.2"))) {
			assertThat(isAnswered(connect(server, "client"))).isTrue();
			assertThat(isAnswered(connect(server, "other-client"))).isFalse();
			assertThat(isAnswered(TlsClient.connect(managementPort(server)))).isFalse();
			assertThat(TlsClient.connect(managementPort(server), "-tls1_3").subject()).isEmpty();
		}
	}

	@Test
	void whenManagementHasOtherSettingsThenTheyApply() throws Exception {
		put("p256");
		try (TestServer server = start(Engine.OPENSSL,
				with(with(management("tls"), pem("rsa")), PREFIX + "client-auth=need",
						PREFIX + "trust-certificate=" + file("ca.crt"), PREFIX + "enabled-protocols=TLSv1.2"))) {
			assertThat(isAnswered(connect(server, "client"))).isTrue();
			assertThat(isAnswered(connect(server, "other-client"))).isFalse();
			assertThat(TlsClient.connect(managementPort(server), "-tls1_3").subject()).isEmpty();
			assertThat(TlsClient.connect(server.port(), "-tls1_3").isServed()).isTrue();
		}
		try (TestServer server = start(Engine.OPENSSL, with(with(management("tls"), pem("rsa")),
				PREFIX + "client-auth=none", "client-auth=need", "ca-certificate-file=" + file("ca.crt")))) {
			assertThat(isAnswered(TlsClient.connect(managementPort(server)))).isTrue();
			assertThat(TlsClient.connect(server.port()).isServed()).isFalse();
		}
	}

	// The remedy for probes in docs/certificates.md
	@ParameterizedTest
	@EnumSource
	void whenManagementOnlyAsksForNoClientCertificateThenServesAndReloadsThatOfTheMainServer(Engine engine)
			throws Exception {
		put("p256");
		String[] main = { "certificate-file=" + this.folder.resolve("tls.crt"),
				"certificate-key-file=" + this.folder.resolve("tls.key"), "client-auth=need",
				"ca-certificate-file=" + file("ca.crt"),
				"certificate-revocation-list-file=" + certificates().revocationList("ca", "management.crl") };
		try (TestServer server = start(engine, with(main, "management.server.port=0", PREFIX + "client-auth=none"))) {
			assertThat(TlsClient.connect(managementPort(server))).returns("p256", Handshake::subject)
				.satisfies((handshake) -> assertThat(isAnswered(handshake)).isTrue());
			assertThat(isAnswered(TlsClient.connect(server.port()))).isFalse();
			put("p384");
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(TlsClient.connect(managementPort(server)).subject()).isEqualTo("p384"));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "certificate-file", "certificate", "bundle", "key-store" })
	void whenManagementSetsOneThingThenTheRestIsThatOfTheMainServer(String kind) {
		String[] main = switch (kind) {
			case "certificate" -> new String[] { "certificate=" + file("rsa.crt"),
					"certificate-private-key=" + file("rsa.key"), "trust-certificate=" + file("ca.crt") };
			case "bundle" -> with(bundle("main", "rsa"), "bundle=main",
					"spring.ssl.bundle.pem.main.truststore.certificate=" + file("ca.crt"));
			case "key-store" -> new String[] { "key-store=" + keyStore("rsa"), "key-store-password=secret",
					"trust-certificate=" + file("ca.crt") };
			default -> with(pem("rsa"), "ca-certificate-file=" + file("ca.crt"));
		};
		try (TestServer server = start(Engine.OPENSSL,
				with(main, "client-auth=need", "management.server.port=0", PREFIX + "enabled-protocols=TLSv1.2"))) {
			assertThat(TlsClient.connect(managementPort(server), "-tls1_2").subject()).isEqualTo("rsa");
			assertThat(TlsClient.connect(managementPort(server), "-tls1_3").subject()).isEmpty();
			assertThat(isAnswered(connect(server, "client"))).isTrue();
			assertThat(isAnswered(connect(server, "other-client"))).isFalse();
			assertThat(connectAs(server, "client", "-tls1_3").isServed()).isTrue();
		}
		try (TestServer server = start(Engine.OPENSSL, with(main, "client-auth=need", "management.server.port=0",
				PREFIX + "trust-certificate=" + file("other-ca.crt")))) {
			assertThat(isAnswered(connect(server, "client"))).isFalse();
			assertThat(isAnswered(connect(server, "other-client"))).isTrue();
			assertThat(connectAs(server, "client", "-tls1_2").isServed()).isTrue();
		}
	}

	@Test
	void whenMainServerHasHostNamesThenManagementServesThemUnlessItHasItsOwn() {
		String[] main = with(with(pem("rsa"), bundle("mine", "p256")), "client-auth=need",
				"ca-certificate-file=" + file("ca.crt"), "management.server.port=0", PREFIX + "client-auth=none",
				"server-name-certificates[0].server-name=a.example.com",
				"server-name-certificates[0].certificate-file=" + file("p384.crt"),
				"server-name-certificates[0].certificate-key-file=" + file("p384.key"),
				"server-name-certificates[1].server-name=b.example.com",
				"server-name-certificates[1].certificate-file=" + file("p384.crt"),
				"server-name-certificates[1].certificate-key-file=" + file("p384.key"),
				"server-name-certificates[1].client-auth=need");
		try (TestServer server = start(Engine.OPENSSL, main)) {
			assertThat(named(server, "a.example.com")).returns("p384", Handshake::subject)
				.returns(true, ManagementCertificateTests::isAnswered);
			assertThat(isAnswered(named(server, "b.example.com"))).isFalse();
		}
		try (TestServer server = start(Engine.OPENSSL,
				with(main, PREFIX + "server-name-bundles[0].server-name=b.example.com",
						PREFIX + "server-name-bundles[0].bundle=mine"))) {
			assertThat(named(server, "a.example.com").subject()).isEqualTo("rsa");
			assertThat(named(server, "b.example.com").subject()).isEqualTo("p256");
		}
	}

	private static Handshake named(TestServer server, String name) {
		return TlsClient.connect(managementPort(server), "-tls1_2", "-servername", name);
	}

	@ParameterizedTest
	@ValueSource(strings = { "client-auth=none", "enabled=true", "enabled-protocols=TLSv1.2", "trust-store=ca.p12" })
	void whenNeitherServerHasCertificateThenFails(String property) {
		for (String enabled : List.of("true", "false")) {
			fails("certificate-file", "it is not set, but other properties of 'management.server.ssl' turn TLS on",
					"server.ssl.enabled=" + enabled, "management.server.port=0", PREFIX + property);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "certificate-private-key", "key-store-password", "key-store-provider", "key-alias",
			"key-password" })
	void whenPartOfCertificateIsSetAloneThenFails(String part) {
		fails(part, "it has no effect on the main server's certificate",
				with(pem("rsa"), "management.server.port=0", PREFIX + part + "=x"));
	}

	@Test
	void whenManagementAsksForClientCertificatesAndThereAreNoCasThenFails() {
		fails("trust-certificate", "it is not set, but the management server has the 'client-auth' 'need'",
				with(pem("rsa"), "management.server.port=0", PREFIX + "client-auth=need"));
	}

	private void fails(String property, String reason, String... properties) {
		assertThatThrownBy(() -> start(Engine.OPENSSL, properties).close()).rootCause()
			.isInstanceOf(TlsSettingException.class)
			.hasMessageStartingWith("'%s%s': %s".formatted(PREFIX, property, reason));
	}

	@Test
	void whenManagementTlsIsTurnedOffThenServesHttp() {
		try (TestServer server = start(Engine.OPENSSL,
				with(with(management("nowhere"), pem("rsa")), PREFIX + "enabled=false"))) {
			assertThat(TlsClient.connect(managementPort(server)).cipher()).isEqualTo("(NONE)");
		}
	}

	private String keyStore(String name) {
		Path file = this.folder.resolve(name + ".p12");
		certificates().openssl("pkcs12", "-export", "-in", name + ".crt", "-inkey", name + ".key", "-passout",
				"pass:secret", "-out", file.toString());
		return file.toString();
	}

	private static void assertServes(TestServer server, String main, String management) {
		assertThat(TlsClient.connect(server.port())).returns(main, Handshake::subject)
			.returns(true, Handshake::isServed);
		assertThat(TlsClient.connect(managementPort(server)).subject()).isEqualTo(management);
	}

	private Handshake connect(TestServer server, String client) {
		return TlsClient.connect(managementPort(server), "-tls1_2", "-cert", file(client + ".crt"), "-key",
				file(client + ".key"));
	}

	private static boolean isAnswered(Handshake handshake) {
		return handshake.output().contains("\nHTTP/1.1 ");
	}

	private static int managementPort(TestServer server) {
		return Integer.parseInt(server.property("local.management.port"));
	}

	private static List<String> days(TestServer server, String bundle) {
		return server.bean(MeterRegistry.class)
			.get("tomcat.ssl.certificate.expiry")
			.tag("bundle", bundle)
			.gauges()
			.stream()
			.map((gauge) -> gauge.getId().getTag("subject"))
			.toList();
	}

	private String[] management(String name) {
		return new String[] { "management.server.port=0",
				PREFIX + "certificate-file=" + this.folder.resolve(name + ".crt"),
				PREFIX + "certificate-key-file=" + this.folder.resolve(name + ".key") };
	}

	private void put(String name) throws IOException {
		for (String type : List.of("crt", "key")) {
			Files.copy(certificates().file(name + "." + type), this.folder.resolve("tls." + type),
					StandardCopyOption.REPLACE_EXISTING);
		}
	}

}
