// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.host.ClientMaterial;
import io.github.tomcatopenssl.internal.host.PolicySettings;
import io.github.tomcatopenssl.internal.host.RevocationChecks;
import io.github.tomcatopenssl.internal.host.SessionTicketKey;
import io.github.tomcatopenssl.internal.host.SessionTicketKeys;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.host.TlsHost;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import io.github.tomcatopenssl.test.TestCertificates;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.apache.tomcat.util.net.openssl.OpenSSLConf;
import org.apache.tomcat.util.net.openssl.OpenSSLConfCmd;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link VirtualHosts} and {@link TlsHosts}: what is in use stays in use when
 * something fails, and a ticket key reaches all contexts.
 */
@Tag("servers")
@ExtendWith(NativeMemoryIsFreed.class)
class VirtualHostsTests {

	private static final String DEFAULT = "_default_";

	private static final String OLD = "the old key name";

	private static final String NEW = "the new key name";

	private SessionTicketKey key = key(OLD);

	private final VirtualHosts hosts = hosts(Engine.OPENSSL, () -> this.key);

	private boolean unreadable;

	@BeforeAll
	static void load() {
		Engine.load();
	}

	@AfterEach
	void removeHosts() {
		this.hosts.removeAll();
	}

	@Test
	void whenTicketKeyIsReplacedThenEveryHostWithTicketsUsesIt() throws Exception {
		create(host(DEFAULT, "p256", "none"));
		create(host("rsa.test", "rsa", "none"));
		create(host("clients.test", "other", "required"));
		for (String name : List.of(DEFAULT, "rsa.test")) {
			assertThat(ticket(context(name))).contains(OLD);
		}
		TlsContext before = context(DEFAULT);
		this.key = key(NEW);
		for (String name : List.of(DEFAULT, "rsa.test")) {
			assertThat(ticket(context(name))).contains(NEW).doesNotContain(OLD);
		}
		assertThat(context(DEFAULT)).isSameAs(before);
		assertThat(this.hosts.sharedTicketKeys(this.hosts.current().get("clients.test").host())).isNull();
		assertThat(this.hosts.sharedTicketKeys(this.hosts.current().get("_default_").host()).current())
			.isSameAs(this.key);
	}

	@Test
	void whenHostsShareAKeyThenATicketOfOneIsNotValidForAnother() {
		SessionTicketKey shared = key(OLD);
		assertThat(shared.derive("a\nNONE")).isNotEqualTo(shared.derive("b\nNONE"))
			.startsWith(OLD.getBytes(StandardCharsets.US_ASCII));
	}

	@Test
	void whenCertificateIsReplacedThenItsContextGetsTheKeyToo() throws Exception {
		SSLHostConfig host = host(DEFAULT, "p256", "none");
		create(host);
		TlsContext before = context(DEFAULT);
		this.key = key(NEW);
		create(host);
		assertThat(context(DEFAULT)).isNotSameAs(before);
		assertThat(ticket(context(DEFAULT))).contains(NEW);
	}

	@ParameterizedTest
	@EnumSource
	void whenTheSettingsOfAHostCannotBeKeptThenItsContextIsNotReplaced(Engine engine) throws Exception {
		VirtualHosts hosts = hosts(engine, null);
		SSLHostConfig host = host(DEFAULT, "p256", "required");
		hosts.create(host, List.of(), DEFAULT);
		ServedHost before = hosts.current().get("_default_");
		this.unreadable = true;
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> hosts.create(host, List.of(), DEFAULT))
			.withStackTraceContaining("no trust store");
		this.unreadable = false;
		host.setOpenSslConf(new OpenSSLConf());
		host.getOpenSslConf().addCmd(new OpenSSLConfCmd("VerifyMode", "Request"));
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> hosts.create(host, List.of(), DEFAULT));
		assertThat(hosts.current().find(null)).isSameAs(before);
		try (TlsSession session = before.context().newSession(List.of(), List.of(), TlsSession.RefusalListener.NONE)) {
			assertThat(session).isNotNull();
		}
		hosts.removeAll();
	}

	@ParameterizedTest
	@MethodSource("doors")
	void whenAHostIsReloadedThenItIsReadAsTheUserHasSetIt(Engine engine, @Nullable SecurityPolicy policy,
			List<KeyExchangeGroup> required, Consumer<SSLHostConfig> door) throws Exception {
		VirtualHosts hosts = new VirtualHosts(engine.served(),
				new TlsSettings(required, new PolicySettings(policy, List.of(), null), RevocationChecks.NONE,
						(host) -> ClientMaterial.NONE, null, null, null, null, null, false, TlsAlpnChallenges.NONE,
						(any) -> null));
		SSLHostConfig host = host(DEFAULT, "p256", "required");
		door.accept(host);
		List<Object> configured = configured(host);
		hosts.create(host, List.of(), DEFAULT);
		TlsHost first = hosts.current().get("_default_").host();
		hosts.create(host, List.of(), DEFAULT);
		hosts.create(host, List.of(), DEFAULT);
		assertThat(hosts.current().get("_default_").host().policy()).isEqualTo(first.policy());
		assertThat(hosts.current().get("_default_").host().clients().mode()).isEqualTo(first.clients().mode());
		assertThat(configured(host)).isEqualTo(configured);
		hosts.removeAll();
	}

	private static List<Object> configured(SSLHostConfig host) {
		return Arrays.asList(host.getProtocols(), host.getCiphers(), host.getCipherSuites(), host.getGroups(),
				host.getCertificateVerification());
	}

	static List<Arguments> doors() {
		List<SecurityPolicy> policies = new ArrayList<>(EnumSet.complementOf(EnumSet.of(SecurityPolicy.CNSA_2)));
		policies.add(null);
		Map<String, Consumer<SSLHostConfig>> doors = Map.of("defaults", (host) -> {
		}, "protocols", (host) -> host.setProtocols("TLSv1.3"), "suites",
				(host) -> host.setCipherSuites("TLS_AES_256_GCM_SHA384"), "ciphers",
				(host) -> host.setCiphers("ECDHE-ECDSA-AES256-GCM-SHA384"), "groups",
				(host) -> host.setGroups("secp256r1"), "an expression",
				(host) -> host.setCiphers("ECDHE+AESGCM:!SHA1"));
		List<Arguments> rows = new ArrayList<>();
		for (Engine engine : Engine.values()) {
			boolean groups = !engine.served().capabilities().groups().isEmpty();
			for (SecurityPolicy policy : policies) {
				List<KeyExchangeGroup> some = List.of(KeyExchangeGroup.SECP256R1);
				doors.forEach((name, door) -> {
					rows.add(Arguments.of(engine, policy, List.of(), Named.of(name, door)));
					if (groups) {
						rows.add(Arguments.of(engine, policy, some, Named.of(name, door)));
					}
				});
			}
		}
		return rows;
	}

	@ParameterizedTest
	@EnumSource
	void whenHostIsRemovedThenItsSessionsGoOn(Engine engine) throws Exception {
		VirtualHosts hosts = hosts(engine, null);
		hosts.create(host(DEFAULT, "p256", "none"), List.of(), DEFAULT);
		hosts.create(host("*.example.test", "rsa", "none"), List.of("h2"), DEFAULT);
		assertThat(hosts.engines()).containsExactly((engine == Engine.OPENSSL) ? "OpenSSL" : "JSSE");
		TlsContext context = ((ServedHost) hosts.current().find("a.example.test")).context();
		assertThat(hosts.current().find("a.b.example.test")).isSameAs(hosts.current().find(null));
		try (MemoryConnection connection = MemoryConnection.of(context, "TLSv1.3", List.of("h2"))) {
			hosts.remove("*.example.test");
			assertThat(hosts.current().find("a.example.test")).isSameAs(hosts.current().find(null));
			connection.handshake();
			assertThat(connection.server.applicationProtocol()).isEqualTo("h2");
		}
		hosts.removeAll();
		assertThatIllegalStateException().isThrownBy(() -> hosts.current().find(null));
	}

	@ParameterizedTest
	@EnumSource
	void whenChallengeIsAnsweredThenItsSessionKeepsNothing(Engine engine) throws Exception {
		VirtualHosts hosts = hosts(engine, null);
		List<String> offered = List.of(TlsAlpnChallenges.APPLICATION_PROTOCOL);
		TlsSession session = hosts.newChallengeSession(Engine.keys("other").get(0));
		SSLEngine client = MemoryConnection.newContext(null).createSSLEngine("localhost", 443);
		SSLParameters parameters = client.getSSLParameters();
		parameters.setApplicationProtocols(offered.toArray(String[]::new));
		client.setSSLParameters(parameters);
		try (MemoryConnection connection = new MemoryConnection(session, client).handshake()) {
			assertThat(connection.certificateOfServer()).isEqualTo(Engine.certificate("other"));
			assertThat(connection.server.applicationProtocol()).isEqualTo(TlsAlpnChallenges.APPLICATION_PROTOCOL);
		}
	}

	private void create(SSLHostConfig host) {
		this.hosts.create(host, List.of(), DEFAULT);
	}

	private TlsContext context(String name) {
		ServedHost served = this.hosts.current().get(name);
		return (served != null) ? served.context() : null;
	}

	// With TLS 1.2, a ticket is sent as it is, and the name of its key is its start
	private static String ticket(TlsContext context) throws Exception {
		try (MemoryConnection connection = MemoryConnection.of(context, "TLSv1.2").handshake()) {
			return connection.sent.toString(StandardCharsets.ISO_8859_1);
		}
	}

	private static SessionTicketKey key(String name) {
		byte[] content = new byte[80];
		System.arraycopy(name.getBytes(StandardCharsets.US_ASCII), 0, content, 0, name.length());
		return SessionTicketKey.of(content);
	}

	private static VirtualHosts hosts(Engine engine, @Nullable Supplier<SessionTicketKey> key) {
		return new VirtualHosts(engine.served(),
				new TlsSettings(List.of(), PolicySettings.NONE, RevocationChecks.NONE, (host) -> ClientMaterial.NONE,
						(key != null) ? () -> SessionTicketKeys.of(key.get()) : null, null, null, null, null, false,
						TlsAlpnChallenges.NONE, (any) -> null));
	}

	private SSLHostConfig host(String name, String certificate, String verification) throws Exception {
		KeyStore trustStore = KeyStore.getInstance("PKCS12");
		trustStore.load(null, null);
		trustStore.setCertificateEntry("ca", Engine.certificate("ca"));
		SSLHostConfig host = new SSLHostConfig() {

			@Override
			public @Nullable KeyStore getTruststore() throws IOException {
				if (VirtualHostsTests.this.unreadable) {
					throw new IOException("no trust store");
				}
				return trustStore;
			}

		};
		host.setHostName(name);
		host.setCertificateVerification(verification);
		SSLHostConfigCertificate served = new SSLHostConfigCertificate(host, Type.UNDEFINED);
		served.setCertificateFile(TestCertificates.get().file(certificate + ".crt").toString());
		served.setCertificateKeyFile(TestCertificates.get().file(certificate + ".key").toString());
		host.addCertificate(served);
		return host;
	}

}
