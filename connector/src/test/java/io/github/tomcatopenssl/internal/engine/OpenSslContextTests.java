// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SignatureScheme;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.engine.TlsSession.RefusalListener;
import io.github.tomcatopenssl.internal.host.ClientMaterial;
import io.github.tomcatopenssl.internal.host.ClientVerification;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.HostReader;
import io.github.tomcatopenssl.internal.host.PolicySettings;
import io.github.tomcatopenssl.internal.host.RevocationChecks;
import io.github.tomcatopenssl.internal.host.SessionTicketKey;
import io.github.tomcatopenssl.internal.host.SessionTicketKeys;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.host.TlsHost;
import io.github.tomcatopenssl.internal.host.TlsPolicy;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import io.github.tomcatopenssl.internal.library.OpenSslErrors;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.TestCertificates;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.apache.tomcat.util.net.openssl.OpenSSLConf;
import org.apache.tomcat.util.net.openssl.OpenSSLConfCmd;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link OpenSslContext}, and for what {@link HostReader} makes of settings
 * that only one engine used to read.
 */
@Tag("servers")
@ExtendWith(NativeMemoryIsFreed.class)
class OpenSslContextTests {

	private static final String CIPHERS = "ECDHE+AESGCM";

	@BeforeAll
	static void load() {
		Engine.load();
	}

	@ParameterizedTest
	@ValueSource(strings = { "TLSv1.2", "TLSv1.3" })
	void whenTicketKeyIsReplacedThenATicketOfBeforeIsRefused(String version) throws Exception {
		AtomicReference<SessionTicketKey> key = new AtomicReference<>(key(1));
		try (TlsContext context = create(Engine.host("p256"), key::get)) {
			CountingClient client = new CountingClient(version);
			client.connect(context);
			client.connect(context);
			assertThat(client.fullHandshakes).as("a ticket of this key").hasValue(1);
			key.set(key(2));
			client.connect(context);
			assertThat(client.fullHandshakes).as("a ticket of the key before").hasValue(2);
			client.connect(context);
			assertThat(client.fullHandshakes).as("a ticket of the new key").hasValue(2);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "TLSv1.2", "TLSv1.3" })
	void whenTicketKeysAreRotatedThenATicketOfTheOneBeforeIsOpened(String version) throws Exception {
		AtomicReference<SessionTicketKeys> keys = new AtomicReference<>(rotation(0));
		int contexts = NativeMemory.contexts();
		try (TlsContext context = OpenSslContext.of(Engine.host("p256"), List.of(), keys::get, (any) -> null)) {
			CountingClient client = new CountingClient(version);
			client.connect(context);
			List<ByteBuffer> ticket = List.of(name(77), name(1));
			keys.set(rotation(1));
			for (int i = 0; i < 3; i++) {
				client.connect(context, ticket);
			}
			assertThat(client.fullHandshakes).as("a ticket of the key before").hasValue(1);
			assertThat(NativeMemory.contexts() - contexts).as("contexts").isEqualTo(2);
			CountingClient ahead = new CountingClient(version);
			keys.set(rotation(2));
			ahead.connect(context);
			assertThat(NativeMemory.contexts() - contexts).as("contexts").isEqualTo(1);
			keys.set(rotation(1));
			ahead.connect(context, List.of(name(3)));
			assertThat(ahead.fullHandshakes).as("a ticket of the next key").hasValue(1);
			keys.set(rotation(2));
			client.connect(context, ticket);
			assertThat(client.fullHandshakes).as("a ticket of a key that is gone").hasValue(2);
		}
		assertThat(NativeMemory.contexts()).isEqualTo(contexts);
	}

	private static SessionTicketKeys rotation(int number) {
		return new SessionTicketKeys(key(number + 1), List.of(key(number), key(number + 2)));
	}

	private static ByteBuffer name(int content) {
		byte[] name = new byte[SessionTicketKey.NAME_LENGTH];
		Arrays.fill(name, (byte) content);
		return ByteBuffer.wrap(name);
	}

	@ParameterizedTest
	@ValueSource(strings = { "TLSv1.2", "TLSv1.3" })
	void whenContextsHaveTheSameTicketKeyThenATicketOfOneIsValidForTheOther(String version) throws Exception {
		SessionTicketKey shared = key(1);
		SessionTicketKey strange = key(2);
		try (TlsContext one = create(Engine.host("p256"), () -> shared);
				TlsContext other = create(Engine.host("p256"), () -> shared);
				TlsContext stranger = create(Engine.host("p256"), () -> strange)) {
			CountingClient client = new CountingClient(version);
			client.connect(one);
			client.connect(other);
			assertThat(client.fullHandshakes).hasValue(1);
			client.connect(stranger);
			assertThat(client.fullHandshakes).hasValue(2);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "TLSv1.2", "TLSv1.3" })
	void whenSettingsDifferThenATicketOfTheOthersIsRefused(String version) throws Exception {
		SessionTicketKey shared = key(1);
		List<TlsHost> others = otherSettings();
		try (TlsContext one = create(Engine.host("p256"), () -> shared)) {
			for (TlsHost host : others) {
				try (TlsContext other = create(host, () -> shared)) {
					CountingClient client = new CountingClient(version);
					client.connect(one);
					client.connect(other);
					assertThat(client.fullHandshakes).as(host.policy().toString()).hasValue(2);
					client.connect(other);
					assertThat(client.fullHandshakes).as(host.policy().toString()).hasValue(2);
				}
			}
		}
	}

	private static List<TlsHost> otherSettings() {
		TlsPolicy policy = Engine.policy(CIPHERS);
		return Stream
			.of(policy("ECDHE+AESGCM:ECDHE+CHACHA20", List.of(Cipher.TLS_AES_128_GCM_SHA256), null, List.of()),
					policy("ECDHE+AESGCM", policy.cipherSuites(), null, List.of()),
					policy(CIPHERS, policy.cipherSuites(), List.of(KeyExchangeGroup.SECP256R1), List.of()),
					policy(CIPHERS, policy.cipherSuites(), null, List.of(SignatureScheme.ECDSA_SECP256R1_SHA256)),
					Engine.policy(CIPHERS, new OpenSSLConfCmd("Groups", "P-256")),
					Engine.policy(CIPHERS, new OpenSSLConfCmd("SignatureAlgorithms", "ECDSA+SHA256")))
			.map((other) -> host(Engine.keys("p256"), other))
			.toList();
	}

	private static TlsPolicy policy(String ciphers, List<Cipher> cipherSuites, @Nullable List<KeyExchangeGroup> groups,
			List<SignatureScheme> signatures) {
		TlsPolicy policy = Engine.policy(ciphers);
		return new TlsPolicy(policy.versions(), policy.ciphers(), ciphers, cipherSuites, groups, signatures, true, true,
				-1, -1, false, false, "TLS", List.of());
	}

	// As after a reload
	@ParameterizedTest
	@CsvSource({ "OPENSSL, TLSv1.2", "OPENSSL, TLSv1.3", "JSSE, TLSv1.2", "JSSE, TLSv1.3" })
	void whenContextIsReplacedWithoutASharedKeyThenNoSessionIsResumed(Engine engine, String version) throws Exception {
		try (TlsContext one = engine.create(Engine.host("p256"));
				TlsContext next = engine.create(Engine.host("p256"))) {
			CountingClient client = new CountingClient(version);
			client.connect(one);
			client.connect(one);
			assertThat(client.fullHandshakes).hasValue(1);
			client.connect(next);
			assertThat(client.fullHandshakes).hasValue(2);
		}
	}

	@ParameterizedTest
	@CsvSource({ "OPENSSL, TLSv1.2", "OPENSSL, TLSv1.3", "JSSE, TLSv1.2", "JSSE, TLSv1.3" })
	void whenHostVerifiesClientsThenNoSessionIsResumed(Engine engine, String version) throws Exception {
		try (TlsContext context = engine
			.create(Engine.host(Engine.clients(CertificateVerification.OPTIONAL), "p256"))) {
			CountingClient client = new CountingClient(version);
			client.connect(context);
			client.connect(context);
			assertThat(client.fullHandshakes).hasValue(2);
		}
	}

	@ParameterizedTest
	@CsvSource({ "TLSv1.2", "TLSv1.3" })
	void whenCommandAllowsTicketsThenNoSessionOfAVerifiedClientIsResumed(String version) throws Exception {
		try (TlsContext context = Engine.OPENSSL
			.create(new TlsHost("_default_", Engine.keys("p256"), Engine.clients(CertificateVerification.OPTIONAL),
					Engine.policy(CIPHERS, new OpenSSLConfCmd("Options", "SessionTicket"))))) {
			CountingClient client = new CountingClient(version);
			client.connect(context);
			client.connect(context);
			assertThat(client.fullHandshakes).hasValue(2);
		}
	}

	// The client has no key for P-384 at first, so that the server asks for it with a
	// HelloRetryRequest, which has a known random (RFC 8446, 4.1.3)
	@ParameterizedTest
	@ValueSource(strings = { "Groups", "groups", "Curves", "CURVES" })
	void whenCommandNamesGroupsThenItHasTheLastWord(String command) throws Exception {
		TlsPolicy policy = Engine.policy(CIPHERS, new OpenSSLConfCmd(command, "P-384"));
		policy = new TlsPolicy(policy.versions(), policy.ciphers(), policy.expression(), policy.cipherSuites(),
				List.of(KeyExchangeGroup.X25519, KeyExchangeGroup.SECP256R1), List.of(), true, true, -1, -1, false,
				false, "TLS", policy.commands());
		try (TlsContext context = Engine.OPENSSL.create(host(Engine.keys("p256"), policy))) {
			CountingClient client = new CountingClient("TLSv1.3");
			client.connect(context);
			assertThat(HexFormat.of().formatHex(client.sent.getBytes(StandardCharsets.ISO_8859_1)))
				.contains("cf21ad74e59a6111be1d8c021e65b891");
		}
	}

	@ParameterizedTest
	@CsvSource({ "TLSv1.2", "TLSv1.3" })
	void whenTicketsAreDisabledThenNoneIsIssued(String version) throws Exception {
		TlsPolicy policy = Engine.policy(CIPHERS);
		TlsHost host = new TlsHost("_default_", Engine.keys("p256"), ClientVerification.NONE,
				new TlsPolicy(policy.versions(), policy.ciphers(), policy.expression(), policy.cipherSuites(), null,
						List.of(), true, false, -1, -1, false, false, "TLS", List.of()));
		SessionTicketKey key = key(1);
		try (TlsContext context = create(host, () -> key)) {
			CountingClient client = new CountingClient(version);
			client.connect(context);
			assertThat(client.sent).doesNotContain(new String(key.derive(""), 0, 16, StandardCharsets.ISO_8859_1));
		}
	}

	@Test
	void whenKeyIsTooWeakThenContextIsRefusedAndFreed() {
		TestCertificates.get()
			.openssl("req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=weak", "-newkey", "rsa:1024", "-keyout",
					"weak.key", "-out", "weak.crt");
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> Engine.OPENSSL.create(Engine.host("p256", "weak")))
			.satisfies((ex) -> {
				assertThat(ex.isAbout(SettingName.CERTIFICATE)).isTrue();
				assertThat(ex.getReason(SettingName::toString)).contains("'CN=weak'", "its RSA key has 1024 bits")
					.doesNotContain("p256");
			});
	}

	@Test
	void whenKeyDoesNotBelongToCertificateThenContextIsRefusedAndFreed() {
		HostKey mixed = new HostKey(Engine.key("other").key(), Engine.key("p256").chain());
		assertRefused(host(List.of(mixed), Engine.policy(CIPHERS)), "'CN=p256'");
	}

	@Test
	void whenKeyCannotBeExportedThenContextIsRefusedAndFreed() {
		PrivateKey key = new PrivateKey() {

			@Override
			public String getAlgorithm() {
				return "EC";
			}

			@Override
			public String getFormat() {
				return null;
			}

			@Override
			public byte[] getEncoded() {
				return null;
			}

		};
		assertRefused(host(List.of(new HostKey(key, Engine.key("p256").chain())), Engine.policy(CIPHERS)),
				"The private key cannot be exported");
	}

	@Test
	void whenCiphersAreUnknownThenContextIsRefusedAndFreed() {
		assertRefused(host(Engine.keys("p256"), Engine.policy("NO-SUCH-CIPHER")), "no cipher match");
	}

	@ParameterizedTest
	@CsvSource({ "NoSuchCommand, 1", "Groups, no-such-group", "MinProtocol, TLSv9", "Curves, none",
			"SignatureAlgorithms, none" })
	void whenCommandIsInvalidThenContextIsRefusedAndFreed(String name, String value) {
		assertRefused(host(Engine.keys("p256"), Engine.policy(CIPHERS, new OpenSSLConfCmd(name, value))), name);
	}

	@Test
	void whenCommandIsValidThenItApplies() throws Exception {
		try (TlsContext context = Engine.OPENSSL
			.create(host(Engine.keys("p256"), Engine.policy(CIPHERS, new OpenSSLConfCmd("MinProtocol", "TLSv1.3"))));
				MemoryConnection connection = MemoryConnection.of(context, "TLSv1.2")) {
			assertThatExceptionOfType(SSLException.class).isThrownBy(connection::handshake);
		}
	}

	@Test
	void whenClientCannotBeCreatedThenNothingIsLeftBehind() {
		assertThatExceptionOfType(Exception.class).isThrownBy(
				() -> OpenSslContext.ofClient(List.of(ProtocolVersion.TLS_1_3), Collections.singletonList(null)));
		assertThat(OpenSslErrors.take()).isNull();
	}

	@Test
	void whenContextShowsItsCipherSuitesThenTheyAreThoseOfThePolicy() throws Exception {
		try (TlsContext context = Engine.OPENSSL.create(Engine.host("p256"))) {
			assertThat(context.cipherSuites()).contains("TLS_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256")
				.noneMatch((name) -> name.contains("CBC"));
			assertThat(context.engine()).isEqualTo("OpenSSL");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "VerifyMode", "verifycafile", "VERIFYCAPATH", "ClientCAFile", "RequestCAPath",
			OpenSSLConfCmd.NO_OCSP_CHECK })
	void whenCommandIsForTheVerificationOfClientsThenItIsRefused(String name) {
		SSLHostConfig config = config("none");
		config.setOpenSslConf(new OpenSSLConf());
		config.getOpenSslConf().addCmd(new OpenSSLConfCmd(name, "x"));
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> read(config, Engine.OPENSSL))
			.satisfies((ex) -> assertThat(ex.getReason(SettingName::toString)).contains("'" + name + "'", "no effect"));
	}

	@ParameterizedTest
	@EnumSource
	void whenBundleHasNoTrustManagerForCertificatesThenHostIsRefused(Engine engine) {
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(
				() -> read(config("required"), engine, new ClientMaterial(new TrustManager[0], List.of(), List.of())))
			.satisfies((ex) -> assertThat(ex.getReason(SettingName::toString)).contains("no trust manager"));
	}

	@ParameterizedTest
	@EnumSource
	void whenBundleHasItsOwnTrustManagerThenRevocationOfTheHostIsRefused(Engine engine) {
		SSLHostConfig config = config("required");
		config.setRevocationEnabled(true);
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> read(config, engine,
					new ClientMaterial(JavaClient.managers("client", "ca.crt").trust(), List.of(), List.of())))
			.satisfies((ex) -> assertThat(ex.getReason(SettingName::toString)).contains("would not check it"));
	}

	@Test
	void whenAVersionBetweenTwoOthersIsLeftOutThenOpenSslRefusesIt() throws Exception {
		SSLHostConfig config = config("none");
		config.setProtocols("TLSv1.1+TLSv1.3");
		config.setCiphers("ALL:@SECLEVEL=0");
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> read(config, Engine.OPENSSL))
			.satisfies((ex) -> assertThat(ex.getReason(SettingName::toString)).contains("cannot leave out a version",
					"'TLSv1.1', 'TLSv1.3'"));
		config.setProtocols("TLSv1.1+TLSv1.2+TLSv1.3");
		assertThat(read(config, Engine.OPENSSL).policy().versions()).containsExactly(ProtocolVersion.TLS_1_1,
				ProtocolVersion.TLS_1_2, ProtocolVersion.TLS_1_3);
	}

	@Test
	void whenCommandHasNoValueThenItIsRefused() {
		SSLHostConfig config = config("none");
		config.setOpenSslConf(new OpenSSLConf());
		config.getOpenSslConf().addCmd(new OpenSSLConfCmd("CipherString", null));
		assertThatIllegalArgumentException().isThrownBy(() -> read(config, Engine.OPENSSL))
			.withMessageContaining("'CipherString'");
	}

	@ParameterizedTest
	@EnumSource
	void whenCasAreInAFileThenClientsAreVerifiedAgainstThem(Engine engine) throws Exception {
		SSLHostConfig config = config("required");
		config.setCaCertificateFile(TestCertificates.get().join("cas.crt", "intermediate.crt", "ca.crt").toString());
		TlsHost host = read(config, engine);
		assertThat(host.clients().trustManager().getAcceptedIssuers())
			.containsExactlyInAnyOrder(Engine.certificate("ca"), Engine.certificate("intermediate"));
		try (TlsContext context = engine.create(host)) {
			for (String version : Engine.ANY_VERSION) {
				try (MemoryConnection connection = verified(context, version, "client").handshake()) {
					assertThat(connection.server.peerCertificates()).containsExactly(Engine.certificate("client"));
				}
				try (MemoryConnection connection = verified(context, version, "other-client")) {
					assertThatExceptionOfType(SSLException.class).isThrownBy(connection::handshake);
				}
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientPresentsTooManyCertificatesThenTheyAreNotVerified(Engine engine) throws Exception {
		try (TlsContext context = engine
			.create(Engine.host(Engine.clients(CertificateVerification.REQUIRED), "p256"))) {
			for (String version : Engine.ANY_VERSION) {
				try (MemoryConnection connection = verified(context, version, certificates(8)).handshake()) {
					assertThat(connection.server.peerCertificates()).hasSize(8);
				}
				try (MemoryConnection connection = verified(context, version, certificates(11))) {
					assertThatExceptionOfType(SSLException.class).isThrownBy(connection::handshake);
				}
			}
		}
	}

	private static SSLContext certificates(int number) throws Exception {
		List<X509Certificate> chain = new ArrayList<>(Collections.nCopies(number, Engine.certificate("ca")));
		chain.set(0, Engine.certificate("client"));
		return MemoryConnection.contextOf(new HostKey(Engine.key("client").key(), chain));
	}

	static Stream<Arguments> whenSettingOfTomcatHasNoEffectThenHostIsRefused() {
		String folder = TestCertificates.get().folder().toString();
		Map<String, Consumer<SSLHostConfig>> settings = Map.of("keyManagerAlgorithm",
				(config) -> config.setKeyManagerAlgorithm("NewSunX509"), "ocspTimeout",
				(config) -> config.setOcspTimeout(1), "ocspVerifyFlags", (config) -> config.setOcspVerifyFlags(1),
				"caCertificatePath", (config) -> config.setCaCertificatePath(folder), "certificateRevocationListPath",
				(config) -> config.setCertificateRevocationListPath(folder));
		return settings.entrySet()
			.stream()
			.flatMap((setting) -> Arrays.stream(Engine.values())
				.map((engine) -> Arguments.of(engine, setting.getKey(), setting.getValue())));
	}

	@ParameterizedTest
	@MethodSource
	void whenSettingOfTomcatHasNoEffectThenHostIsRefused(Engine engine, String name, Consumer<SSLHostConfig> setting) {
		SSLHostConfig config = config("required");
		config.setCaCertificateFile(TestCertificates.get().file("ca.crt").toString());
		setting.accept(config);
		String action = switch (name) {
			case "ocspTimeout" -> "the system property 'com.sun.security.ocsp.timeout'";
			case "ocspVerifyFlags" -> "Java verifies the responses of OCSP responders";
			case "keyManagerAlgorithm" -> "the keys of a host need no such algorithm";
			case "caCertificatePath" -> "from a single file, with 'ca certificates'";
			default -> "from a single file, with 'revocation lists'";
		};
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> read(config, engine)).satisfies((ex) -> {
			assertThat(ex.isAbout(SettingName.CERTIFICATE)).isTrue();
			assertThat(ex.getReason(SettingName::toString)).contains("'" + name + "'");
			assertThat(ex.getAction(SettingName::toString)).startsWith("Remove whatever sets it").contains(action);
		});
	}

	@Test
	void whenContextIsFreedThenNothingUsesItAnyMore() throws Exception {
		TlsContext context = Engine.OPENSSL.create(Engine.host("p256"));
		context.close();
		for (int i = 0; i < 3; i++) {
			assertThat(context.cipherSuites()).isEmpty();
		}
		assertThat(context.newSession(List.of(), List.of(), RefusalListener.NONE)).isNull();
	}

	@Test
	void whenSessionOfAVerifiedClientIsClosedThenNobodyKeepsItsListener() throws Exception {
		try (TlsContext context = Engine.OPENSSL
			.create(Engine.host(Engine.clients(CertificateVerification.REQUIRED), "p256"))) {
			WeakReference<RefusalListener> listener = listenerOfClosedSession(context);
			for (int i = 0; i < 100 && listener.get() != null; i++) {
				System.gc();
			}
			assertThat(listener.get()).isNull();
		}
	}

	private static WeakReference<RefusalListener> listenerOfClosedSession(TlsContext context) {
		AtomicInteger refusals = new AtomicInteger();
		RefusalListener listener = (chain, cause) -> refusals.incrementAndGet();
		context.newSession(List.of(), List.of(), listener).close();
		return new WeakReference<>(listener);
	}

	private static void assertRefused(TlsHost host, String reason) {
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> Engine.OPENSSL.create(host))
			.satisfies((ex) -> assertThat(ex.getReason(SettingName::toString)).contains(reason));
	}

	private static TlsHost host(List<HostKey> keys, TlsPolicy policy) {
		return new TlsHost("_default_", keys, ClientVerification.NONE, policy);
	}

	private static TlsContext create(TlsHost host, Supplier<SessionTicketKey> ticketKey) {
		return OpenSslContext.of(host, List.of(), () -> SessionTicketKeys.of(ticketKey.get()), (certificate) -> null);
	}

	private static SessionTicketKey key(int content) {
		byte[] key = new byte[80];
		Arrays.fill(key, (byte) content);
		return SessionTicketKey.of(key);
	}

	private static TlsHost read(SSLHostConfig config, Engine engine) throws Exception {
		return read(config, engine, ClientMaterial.NONE);
	}

	private static TlsHost read(SSLHostConfig config, Engine engine, ClientMaterial clients) throws Exception {
		TlsSettings settings = new TlsSettings(List.of(), PolicySettings.NONE, RevocationChecks.NONE, (name) -> clients,
				null, null, null, null, null, false, TlsAlpnChallenges.NONE, (certificate) -> null);
		return new HostReader(settings, engine.served().capabilities()).read(config, null);
	}

	private static SSLHostConfig config(String verification) {
		SSLHostConfig config = new SSLHostConfig();
		config.setCertificateVerification(verification);
		config.setProtocols("TLSv1.2+TLSv1.3");
		SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(config, Type.UNDEFINED);
		certificate.setCertificateFile(TestCertificates.get().file("p256.crt").toString());
		certificate.setCertificateKeyFile(TestCertificates.get().file("p256.key").toString());
		config.addCertificate(certificate);
		return config;
	}

	private static MemoryConnection verified(TlsContext context, String version, String certificate) throws Exception {
		return verified(context, version, MemoryConnection.newContext(certificate));
	}

	private static MemoryConnection verified(TlsContext context, String version, SSLContext certificates) {
		SSLEngine client = certificates.createSSLEngine("localhost", 443);
		client.setEnabledProtocols(new String[] { version });
		return new MemoryConnection(context.newSession(List.of(), List.of(), RefusalListener.NONE), client);
	}

	/**
	 * Resumes its sessions, and counts the certificates that it is shown.
	 */
	private static final class CountingClient implements X509TrustManager {

		final AtomicInteger fullHandshakes = new AtomicInteger();

		String sent = "";

		private final SSLContext context;

		private final String version;

		CountingClient(String version) throws GeneralSecurityException {
			this.version = version;
			this.context = SSLContext.getInstance("TLS");
			this.context.init(null, new TrustManager[] { this }, null);
		}

		void connect(TlsContext server) throws Exception {
			connect(server, List.of());
		}

		void connect(TlsContext server, List<ByteBuffer> tickets) throws Exception {
			SSLEngine client = this.context.createSSLEngine("localhost", 443);
			client.setEnabledProtocols(new String[] { this.version });
			TlsSession session = server.newSession(List.of(), tickets, RefusalListener.NONE);
			try (MemoryConnection connection = new MemoryConnection(session, client).handshake()) {
				// The tickets of TLS 1.3 come after the handshake
				connection.clientReceives();
				connection.server.shutdown();
				connection.drain();
				connection.clientReceives();
				this.sent = connection.sent.toString(StandardCharsets.ISO_8859_1);
			}
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType) {
			this.fullHandshakes.incrementAndGet();
		}

		@Override
		public X509Certificate[] getAcceptedIssuers() {
			return new X509Certificate[0];
		}

	}

}
