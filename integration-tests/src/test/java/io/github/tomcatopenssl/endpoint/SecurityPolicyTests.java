// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SignatureScheme;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.ConnectorDescriptor;
import io.github.tomcatopenssl.endpoint.HandshakeCounters.CaClient;
import io.github.tomcatopenssl.endpoint.HandshakeCounters.ClientCount;
import io.github.tomcatopenssl.endpoint.HandshakeCounters.ServedClients;
import io.github.tomcatopenssl.internal.host.KeyType;
import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import org.apache.tomcat.jni.SSL;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.info.InfoEndpoint;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.IndicatedHealthDescriptor;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests of {@code server.ssl.policy}: a client is served with everything in the table of
 * a policy, and with nothing else.
 */
@Tag("jdk")
@ExtendWith(OutputCaptureExtension.class)
class SecurityPolicyTests extends AbstractTlsServerTests {

	private static final long OPENSSL_3_5 = 0x30500000L;

	// So that the client offers what OpenSSL itself no longer does
	private static final String ANY = ":@SECLEVEL=0";

	private static final String P384 = "p384.example.com";

	private static final List<String> CIPHERS = List.of("ECDHE-ECDSA-AES128-GCM-SHA256",
			"ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-AES128-GCM-SHA256",
			"ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305", "ECDHE-ECDSA-AES128-CCM",
			"ECDHE-ECDSA-AES256-CCM", "ECDHE-RSA-AES256-SHA384", "ECDHE-RSA-AES128-SHA256", "ECDHE-RSA-AES128-SHA",
			"ECDHE-ECDSA-AES256-SHA384", "ECDHE-ECDSA-AES128-SHA", "DHE-RSA-AES128-GCM-SHA256",
			"DHE-RSA-AES256-GCM-SHA384", "AES128-GCM-SHA256", "AES256-GCM-SHA384", "AES128-SHA256", "AES128-SHA");

	private static final List<String> CIPHER_SUITES = List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384",
			"TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_CCM_SHA256", "TLS_AES_128_CCM_8_SHA256");

	private static final List<String> OLD_SIGNATURES = List.of("RSA+SHA1", "ECDSA+SHA1", "RSA+SHA224", "ECDSA+SHA224");

	@TempDir
	private Path folder;

	SecurityPolicyTests() {
		super(WebApplicationType.SERVLET);
	}

	@BeforeEach
	void createKeys() {
		if (!Files.exists(certificates().file("rsa-3072.crt"))) {
			certificates().openssl("req", "-x509", "-newkey", "rsa:3072", "-nodes", "-days", "30", "-subj",
					"/CN=rsa-3072", "-keyout", "rsa-3072.key", "-out", "rsa-3072.crt");
		}
	}

	@ParameterizedTest
	@MethodSource("enginesAndPolicies")
	void whenPolicyIsSetThenClientsGetWhatItAllowsAndNothingElse(Engine engine, SecurityPolicy policy) {
		try (TestServer server = start(engine, with(keys(policy), "policy=" + policy, "management.server.port=0"))) {
			for (int port : new int[] { server.port(), Integer.parseInt(server.property("local.management.port")) }) {
				assertVersions(port, policy);
				assertSuites(port, policy);
			}
			assertGroups(engine, server.port(), policy);
			assertSignatures(engine, server.port(), policy);
		}
	}

	static Stream<Arguments> enginesAndPolicies() {
		return Stream.of(Engine.values())
			.flatMap((engine) -> Stream.of(SecurityPolicy.values())
				.filter((policy) -> policy != SecurityPolicy.CNSA_2)
				.map((policy) -> Arguments.of(engine, policy)));
	}

	private String[] keys(SecurityPolicy policy) {
		List<String> properties = new ArrayList<>();
		List<String> names = (policy.keys().minimumRsaBits() > 0) ? List.of("p256", "rsa-3072") : List.of("p256");
		for (int i = 0; i < names.size(); i++) {
			properties.add("certificates[%d].certificate-file=%s".formatted(i, file(names.get(i) + ".crt")));
			properties.add("certificates[%d].certificate-key-file=%s".formatted(i, file(names.get(i) + ".key")));
		}
		properties.add("server-name-certificates[0].server-name=" + P384);
		properties.add("server-name-certificates[0].certificate-file=" + file("p384.crt"));
		properties.add("server-name-certificates[0].certificate-key-file=" + file("p384.key"));
		return properties.toArray(String[]::new);
	}

	private static void assertVersions(int port, SecurityPolicy policy) {
		assertThat(accepts(port, "-tls1_3")).isTrue();
		assertThat(accepts(port, "-tls1_2")).isEqualTo(policy.versions().contains(ProtocolVersion.TLS_1_2));
		for (String version : List.of("-tls1", "-tls1_1")) {
			assertThat(accepts(port, version, "-cipher", "ALL" + ANY)).isFalse();
		}
	}

	private static void assertSuites(int port, SecurityPolicy policy) {
		List<String> ciphers = policy.ciphers().stream().map(Cipher::getOpenSSLAlias).toList();
		for (String cipher : ciphers) {
			assertThat(TlsClient.connect(port, "-tls1_2", "-cipher", cipher).cipher()).isEqualTo(cipher);
		}
		assertThat(accepts(port, "-tls1_2", "-cipher", others(CIPHERS, ciphers) + ANY)).isFalse();
		List<String> suites = policy.cipherSuites().stream().map(Cipher::name).toList();
		for (String suite : suites) {
			assertThat(TlsClient.connect(port, "-tls1_3", "-ciphersuites", suite).cipher()).isEqualTo(suite);
		}
		assertThat(accepts(port, "-tls1_3", "-cipher", "ALL" + ANY, "-ciphersuites", others(CIPHER_SUITES, suites)))
			.isFalse();
	}

	private static void assertGroups(Engine engine, int port, SecurityPolicy policy) {
		Set<KeyExchangeGroup> client = Set.of(KeyExchangeGroup.SECP256R1, KeyExchangeGroup.SECP384R1,
				KeyExchangeGroup.SECP521R1, KeyExchangeGroup.X25519, KeyExchangeGroup.X448, KeyExchangeGroup.FFDHE2048,
				KeyExchangeGroup.FFDHE3072, KeyExchangeGroup.FFDHE4096, KeyExchangeGroup.FFDHE6144,
				KeyExchangeGroup.FFDHE8192);
		List<String> others = new ArrayList<>();
		for (KeyExchangeGroup group : client) {
			if (policy.groups().contains(group)) {
				assertThat(accepts(port, "-tls1_3", "-groups", group.toString())).as("%s", group).isTrue();
			}
			else {
				others.add(group.toString());
			}
		}
		assertThat(accepts(port, "-tls1_3", "-groups", String.join(":", others))).isFalse();
		// JSSE would choose another group, which the client refuses
		for (String brainpool : (engine == Engine.JSSE) ? List.<String>of()
				: List.of("brainpoolP256r1", "brainpoolP384r1", "brainpoolP512r1")) {
			KeyExchangeGroup group = KeyExchangeGroup.of(brainpool);
			assertThat(accepts(port, "-tls1_2", "-groups", brainpool, "-cipher", "ECDHE-RSA-AES128-GCM-SHA256"))
				.isEqualTo(policy.groups().contains(group));
		}
	}

	private static void assertSignatures(Engine engine, int port, SecurityPolicy policy) {
		List<String> others = new ArrayList<>(OLD_SIGNATURES);
		boolean tls12 = policy.versions().contains(ProtocolVersion.TLS_1_2);
		for (SignatureScheme scheme : SignatureScheme.values()) {
			if (!policy.signatures().contains(scheme)) {
				if (!scheme.name().startsWith("MLDSA")) {
					others.add(scheme.toString());
				}
			}
			// With JSSE, the key must be on the curve in TLS 1.2 too
			else if (tls12 && (KeyType.EC.schemes().contains(scheme) || KeyType.RSA.schemes().contains(scheme))
					&& (engine == Engine.OPENSSL || scheme != SignatureScheme.ECDSA_SECP521R1_SHA512)) {
				String name = (scheme == SignatureScheme.ECDSA_SECP384R1_SHA384) ? P384 : "localhost";
				assertThat(accepts(port, "-tls1_2", "-servername", name, "-sigalgs", scheme.toString()))
					.as("%s", scheme)
					.isTrue();
			}
		}
		assertThat(accepts(port, "-tls1_3", "-sigalgs", "ecdsa_secp256r1_sha256")).isTrue();
		assertThat(accepts(port, "-tls1_3", "-servername", P384, "-sigalgs", "ecdsa_secp384r1_sha384")).isTrue();
		for (String version : List.of("-tls1_2", "-tls1_3")) {
			assertThat(accepts(port, version, "-cipher", "ALL" + ANY, "-sigalgs", String.join(":", others)))
				.as("%s", others)
				.isFalse();
		}
	}

	// The management port does not serve the page that the client asks for
	private static boolean accepts(int port, String... options) {
		TlsClient.Handshake handshake = TlsClient.connect(port, options);
		boolean accepted = !Set.of("", "(NONE)").contains(handshake.cipher());
		// The server refuses it, not the client
		assertThat(accepted || handshake.output().contains(" alert ")).as(handshake.output()).isTrue();
		return accepted;
	}

	private static String others(List<String> all, List<String> allowed) {
		return String.join(":", all.stream().filter((name) -> !allowed.contains(name)).toList());
	}

	@ParameterizedTest
	@EnumSource
	void whenPolicyIsCnsa2ThenServesMlDsa87OnlyOrFails(Engine engine) {
		String[] properties = with(pem("ml-dsa-87"), "policy=cnsa-2");
		boolean possible = engine == Engine.OPENSSL && Runtime.version().feature() >= 24 && isOpenSsl35();
		if (!possible) {
			assertThatException().isThrownBy(() -> start(engine, properties).close());
		}
		else {
			try (TestServer server = start(engine, properties)) {
				assertThat(TlsClient.connect(server.port(), "-groups", "P-384:X25519").isServed()).isFalse();
				assertThat(TlsClient.connect(server.port(), "-tls1_2").isServed()).isFalse();
			}
		}
	}

	private boolean isOpenSsl35() {
		try (TestServer server = start(Engine.OPENSSL, pem("p256"))) {
			return server.port() > 0 && SSL.version() >= OPENSSL_3_5;
		}
	}

	@ParameterizedTest
	@CsvSource({ "MODERN, rsa, an RSA key", "CNSA_2, p384, [mldsa87]", "BSI_TR_02102_2, rsa, the minimum is 3000",
			"NIST_SP_800_52R2, ed25519, EC keys on" })
	void whenCertificateIsNotAllowedThenFailsWithRuleAndSource(SecurityPolicy policy, String key, String rule,
			CapturedOutput output) {
		for (Engine engine : Engine.values()) {
			assertThatException().isThrownBy(() -> start(engine, with(pem(key), "policy=" + policy)).close());
			assertThat(output).contains("Property: server.ssl.certificate-file", rule,
					"'server.ssl.policy' is '%s' (%s)".formatted(policy, policy.source()));
		}
	}

	@ParameterizedTest
	@CsvSource({ "CNSA_2, enabled-protocols=TLSv1.2, server.ssl.enabled-protocols",
			"MODERN, groups=x448, server.ssl.groups",
			"PCI_DSS_4, ciphers=TLS_RSA_WITH_AES_128_GCM_SHA256, server.ssl.ciphers",
			"BSI_TR_02102_2, signature-algorithms=rsa_pkcs1_sha256, server.ssl.signature-algorithms" })
	void whenOtherSettingWidensThePolicyThenFailsWithBoth(SecurityPolicy policy, String setting, String property,
			CapturedOutput output) {
		assertThatException()
			.isThrownBy(() -> start(Engine.OPENSSL, with(pem("p256"), "policy=" + policy, setting)).close());
		assertThat(output).contains("Property: " + property, "'server.ssl.policy' is '%s'".formatted(policy));
	}

	@ParameterizedTest
	@EnumSource
	void whenReloadBringsCertificateThatIsNotAllowedThenItIsRefused(Engine engine) {
		try (TestServer server = start(engine,
				with(with(bundle("mine", "p256"), bundle("next", "rsa")), "bundle=mine", "policy=modern"))) {
			assertThatException()
				.isThrownBy(
						() -> server.bundles().updateBundle("mine", server.bean(SslBundles.class).getBundle("next")))
				.withStackTraceContaining("an RSA key");
			assertThat(TlsClient.connect(server.port())).returns("p256", TlsClient.Handshake::subject)
				.returns(true, TlsClient.Handshake::isServed);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientsCertificateIsNotAllowedThenIsRefused(Engine engine, CapturedOutput output) {
		String allowed = "policy-client-" + engine;
		String refused = "policy-weak-client-" + engine;
		certificates().issue("ca", allowed, "extendedKeyUsage=clientAuth", "20250101000000Z", "20980101000000Z");
		certificates().openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=" + refused, "-keyout",
				refused + ".key", "-out", refused + ".csr");
		certificates().openssl("x509", "-req", "-in", refused + ".csr", "-CA", "ca.crt", "-CAkey", "ca.key",
				"-CAcreateserial", "-days", "30", "-out", refused + ".crt");
		String logger = "io.github.tomcatopenssl.endpoint.FailureReport";
		try (TestServer server = start(engine, with(pem("p256"), "policy=bsi-tr-02102-2", "client-auth=need",
				"ca-certificate-file=" + file("ca.crt"), "logging.level." + logger + "=debug"))) {
			for (String version : List.of("-tls1_2", "-tls1_3")) {
				assertThat(connectAs(server, allowed, version).isServed()).isTrue();
				assertThat(connectAs(server, refused, version).isServed()).isFalse();
			}
		}
		finally {
			LoggingSystem.get(getClass().getClassLoader()).setLogLevel(logger, null);
		}
		assertThat(output).contains("client certificate rejected")
			.containsPattern(
					"CertificateException: The policy 'bsi-tr-02102-2' \\(.*\\) refuses the client: 'CN=%s' has an RSA key"
						.formatted(refused));
	}

	@ParameterizedTest
	@EnumSource
	void whenCaOfClientsIsNotAllowedThenFails(Engine engine, CapturedOutput output) {
		assertThatException().isThrownBy(() -> start(engine, with(pem("p256"), "policy=bsi-tr-02102-2",
				"client-auth=need", "ca-certificate-file=" + file("rsa.crt")))
			.close());
		assertThat(output).contains("Property: server.ssl.ca-certificate-file", "the minimum is 3000",
				"'server.ssl.policy' is 'bsi-tr-02102-2'");
	}

	// Without the key exchange of a full handshake, the policy would not apply
	@ParameterizedTest
	@EnumSource
	void whenSessionIsResumedThenWithVersionAndSuiteOfThePolicy(Engine engine) {
		String session = this.folder.resolve("session").toString();
		try (TestServer server = start(engine, with(pem("p256"), "policy=nist-sp-800-52r2"))) {
			TlsClient.connect(server.port(), "-tls1_3", "-groups", "P-384", "-sess_out", session);
			assertThat(TlsClient.connect(server.port(), "-tls1_3", "-groups", "X25519", "-sess_in", session).isServed())
				.isFalse();
			assertThat(TlsClient.connect(server.port(), "-tls1_3", "-groups", "P-256", "-sess_in", session).output())
				.contains("Reused, TLSv1.3");
		}
	}

	// OpenSSL would resume a session of TLS 1.2 with its suite, and without a key
	// exchange
	@ParameterizedTest
	@ValueSource(strings = { "-tls1_2", "-tls1_3" })
	void whenTicketIsOfServerWithoutThePolicyThenItsSessionIsNotResumed(String version) throws IOException {
		Path key = this.folder.resolve("ticket.key");
		Files.write(key, new SecureRandom().generateSeed(80));
		Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
		String session = this.folder.resolve("session").toString();
		String[] settings = with(pem("p256"), "session-ticket-key-file=" + key);
		String[] client = { version, "-groups", "X25519:P-256", "-cipher",
				"ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES128-GCM-SHA256" };
		try (TestServer one = start(Engine.OPENSSL, with(settings, "groups=x25519"));
				TestServer other = start(Engine.OPENSSL, with(settings, "policy=nist-sp-800-52r2"));
				TestServer another = start(Engine.OPENSSL, with(settings, "policy=nist-sp-800-52r2"))) {
			assertThat(TlsClient
				.connect(one.port(), version, "-cipher", "ECDHE-ECDSA-CHACHA20-POLY1305", "-sess_out", session)
				.isServed()).isTrue();
			TlsClient.Handshake refused = TlsClient.connect(other.port(), with(client, "-sess_in", session));
			assertThat(refused.output()).contains("New, TLSv1.").doesNotContain("Reused, TLSv1.");
			assertThat(refused.group()).isNotEqualTo("X25519");
			TlsClient.connect(other.port(), with(client, "-sess_out", session));
			assertThat(TlsClient.connect(another.port(), with(client, "-sess_in", session)).output())
				.contains("Reused, TLSv1.");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenPolicyIsPreviewedThenItsRefusalsAreCountedAndNobodyIsRefused(Engine engine, CapturedOutput output) {
		try (TestServer server = start(engine,
				with(pem("p256"), "policy-preview=nist-sp-800-52r2", "management.endpoints.web.exposure.include=*"))) {
			String[] tags = { "policy", "nist-sp-800-52r2", "reason", "group" };
			assertThat(TlsClient.connect(server.port(), "-groups", "X25519:P-256").isServed()).isTrue();
			assertThat(previewed(server, tags)).isZero();
			assertThat(TlsClient.connect(server.port(), "-groups", "X25519").isServed()).isTrue();
			assertThat(previewed(server, tags)).isOne();
			assertThat(TlsClient
				.connect(server.port(), "-tls1_3", "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256", "-groups", "X25519")
				.isServed()).isTrue();
			assertThat(previewed(server, tags)).isOne();
			assertThat(previewed(server, "reason", "suite")).isOne();
			assertThat(server.bean(TlsEndpoint.class).tls().connectors())
				.extracting(ConnectorDescriptor::policy, ConnectorDescriptor::policyPreview)
				.containsExactly(tuple("intermediate", "nist-sp-800-52r2"));
		}
		assertThat(output).doesNotContain("would refuse the virtual host");
	}

	@ParameterizedTest
	@EnumSource
	void whenPolicyIsPreviewedThenActuatorNamesWhoWouldLoseAccess(Engine engine) {
		try (TestServer server = start(engine,
				with(pem("p256"), "policy-preview=modern", "client-fingerprint=ja4", "client-auth=need",
						"ca-certificate-file=" + file("ca.crt"), "management.endpoints.web.exposure.include=*"))) {
			assertThat(TlsClient
				.connect(server.port(), "-tls1_3", "-groups", "X25519", "-cert", file("client.crt"), "-key",
						file("client.key"))
				.isServed()).isTrue();
			assertThat(previewedClients(server)).isEqualTo(new ServedClients(List.of(), List.of()));
			for (int i = 0; i < 2; i++) {
				assertThat(connectAs(server, "client", "-tls1_2").isServed()).isTrue();
			}
			ServedClients previewed = previewedClients(server);
			assertThat(previewed.subjects()).singleElement()
				.returns("protocol version", ClientCount::reason)
				.returns("CN=client", ClientCount::client)
				.returns(2L, ClientCount::handshakes);
			assertThat(previewed.fingerprints()).singleElement()
				.returns("protocol version", ClientCount::reason)
				.satisfies((client) -> assertThat(client.client()).startsWith("t12i"));
			connectAs(server, "other-client", "-tls1_2");
			connectAs(server, "other-client", "-tls1_3");
			Awaitility.await()
				.atMost(Duration.ofSeconds(10))
				.untilAsserted(() -> assertThat(connector(server).failedClients().claimedSubjects()).singleElement()
					.returns("client certificate issuer unknown", ClientCount::reason)
					.returns("CN=other-client", ClientCount::client)
					.returns(2L, ClientCount::handshakes));
			assertThat(previewedClients(server)).isEqualTo(previewed);
			assertThat(connector(server).classicalClients().subjects())
				.extracting(ClientCount::reason, ClientCount::client)
				.containsExactlyInAnyOrder(tuple("protocol version", "CN=client"), tuple("group", "CN=client"));
			assertThat(connector(server).clientsByCa()).singleElement()
				.returns("CN=client", CaClient::client)
				.returns(3L, CaClient::handshakes)
				.satisfies((client) -> assertThat(client.ca()).startsWith("CN=Test CA, serial number "));
		}
	}

	private static ServedClients previewedClients(TestServer server) {
		return connector(server).previewedClients();
	}

	private static ConnectorDescriptor connector(TestServer server) {
		return server.bean(TlsEndpoint.class).tls().connectors().get(0);
	}

	private static double previewed(TestServer server, String... tags) {
		return server.counter("tomcat.ssl.policy.preview", tags);
	}

	@ParameterizedTest
	@EnumSource
	void whenPreviewedPolicyWouldRefuseTheCertificateThenTheLogSaysSo(Engine engine, CapturedOutput output) {
		try (TestServer server = start(engine,
				with(pem("rsa"), "policy-preview=modern", "management.endpoints.web.exposure.include=*"))) {
			assertThat(TlsClient.connect(server.port()).isServed()).isTrue();
			assertThat(previewed(server, "reason", "server certificate")).isOne();
		}
		assertThat(output).contains("The policy 'modern' (", "would refuse the virtual host '_default_'", "an RSA key");
	}

	@ParameterizedTest
	@CsvSource({ "policy=pci-dss-4, pci-dss-4", "ssl.unset=, intermediate", "groups=secp521r1, custom",
			"enabled-protocols=TLSv1.3, intermediate", "ciphers=TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384, custom" })
	void whenActuatorIsAskedThenItNamesThePolicy(String setting, String policy, CapturedOutput output) {
		String[] actuator = { "logging.level.io.github.tomcatopenssl=debug",
				"management.endpoints.web.exposure.include=*" };
		String[] properties = setting.startsWith("ssl") ? pem("p256") : with(pem("p256"), setting);
		try (TestServer server = start(Engine.OPENSSL, with(properties, actuator))) {
			String port = String.valueOf(server.port());
			assertThat(server.bean(TlsEndpoint.class).tls().connectors()).extracting(ConnectorDescriptor::policy)
				.containsExactly(policy);
			assertThat(server.bean(InfoEndpoint.class).info()).containsEntry("tls",
					Map.of(port, Map.of("engine", "OpenSSL", "policy", policy)));
			var health = (IndicatedHealthDescriptor) server.bean(HealthEndpoint.class).healthForPath("tomcatOpenSsl");
			assertThat(health.getDetails()).containsEntry("policies", Map.of(port, policy));
			assertThat(output).contains("TLS policy on port %s (https): %s".formatted(port, policy));
		}
	}

	@Test
	void whenPreviewIsThePolicyInForceThenFails(CapturedOutput output) {
		assertThatException().isThrownBy(
				() -> start(Engine.OPENSSL, with(pem("p256"), "policy=modern", "policy-preview=modern")).close());
		assertThat(output).contains("Property: server.ssl.policy-preview", "'server.ssl.policy' is 'modern'");
	}

}
