// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.host.CertificateHost;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import io.github.tomcatopenssl.internal.host.ClientMaterial;
import io.github.tomcatopenssl.internal.host.HostIdentity;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.HostKeyStore;
import io.github.tomcatopenssl.internal.host.HostMaterial;
import io.github.tomcatopenssl.internal.host.HostNames;
import io.github.tomcatopenssl.internal.host.PolicySettings;
import io.github.tomcatopenssl.internal.host.RevocationChecks;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.host.TlsHost;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import io.github.tomcatopenssl.test.TestCertificates;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link CertificateContexts}, and for the hosts that come and go beside
 * {@link VirtualHosts}.
 */
@Tag("servers")
@ExtendWith(NativeMemoryIsFreed.class)
class CertificateContextsTests {

	private static final String DEFAULT = "_default_";

	private final TestCertificates certificates = TestCertificates.get();

	private final CertificateHosts added = new CertificateHosts();

	private final List<TlsSettingException> refusals = new ArrayList<>();

	@BeforeAll
	static void load() {
		Engine.load();
	}

	@ParameterizedTest
	@EnumSource
	void whenHostComesAndGoesThenItsContextDoesToo(Engine engine) throws Exception {
		VirtualHosts hosts = hosts(engine, null);
		hosts.create(host("p256"), List.of("h2"), DEFAULT);
		HostIdentity defaultHost = hosts.current().find(null);
		CertificateHost first = certificateHost("one", "first", "DNS:one.test");
		this.added.put(first);
		assertThat(hosts.current().find("one.test")).isInstanceOfSatisfying(UnmadeHost.class,
				(unmade) -> assertThat(unmade.certificate()).isSameAs(first));
		assertThat(hosts.identify("one")).isNotNull();
		ServedHost served = serve(hosts, first);
		assertThat(hosts.current().find("one.test")).isSameAs(served);
		assertThat(serve(hosts, first)).isSameAs(served);
		try (MemoryConnection connection = MemoryConnection.of(served.context(), "TLSv1.3", List.of("h2"))) {
			CertificateHost second = certificateHost("one", "second", "DNS:one.test");
			this.added.put(second);
			assertThat(serve(hosts, first)).as("a host that is gone").isNull();
			assertThat(subject(connection.handshake())).isEqualTo("CN=first");
			assertThat(connection.server.applicationProtocol()).isEqualTo("h2");
			try (MemoryConnection next = MemoryConnection.of(serve(hosts, second).context(), "TLSv1.2").handshake()) {
				assertThat(subject(next)).isEqualTo("CN=second");
			}
		}
		this.added.remove("one");
		assertThat(hosts.current().find("one.test")).isSameAs(defaultHost);
		assertThat(hosts.identify("one")).isNull();
		hosts.removeAll();
		assertThat(this.added.areServed()).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void whenDefaultHostIsReloadedThenOthersAreServedByItsRules(Engine engine) throws Exception {
		VirtualHosts hosts = hosts(engine, null);
		SSLHostConfig config = host("p256");
		hosts.create(config, List.of(), DEFAULT);
		CertificateHost host = certificateHost("one", "first", "DNS:one.test");
		this.added.put(host);
		ServedHost before = serve(hosts, host);
		hosts.create(config, List.of(), DEFAULT);
		assertThat(serve(hosts, host)).as("with the same rules").isSameAs(before);
		config.setProtocols("TLSv1.3");
		hosts.create(config, List.of(), DEFAULT);
		assertThat(serve(hosts, host)).isNotSameAs(before)
			.extracting((served) -> served.host().policy().versionNames())
			.isEqualTo(List.of("TLSv1.3"));
		hosts.removeAll();
		assertThat(serve(hosts, host)).isNull();
	}

	@ParameterizedTest
	@EnumSource
	void whenDefaultHostHasNoCertificateThenOnlyOthersAreServed(Engine engine) throws Exception {
		VirtualHosts hosts = hosts(engine, null);
		hosts.create(host(null), List.of(), DEFAULT);
		assertThat(hosts.current().find(null)).isNull();
		assertThat(hosts.current().find(DEFAULT)).isNull();
		assertThat(hosts.current().find("other.test")).isNull();
		CertificateHost host = certificateHost("one", "first", "DNS:one.test");
		this.added.put(host);
		assertThat(hosts.current().find("one.test")).isNotNull();
		try (MemoryConnection connection = MemoryConnection.of(serve(hosts, host).context(), "TLSv1.3").handshake()) {
			assertThat(subject(connection)).isEqualTo("CN=first");
		}
		hosts.removeAll();
	}

	@ParameterizedTest
	@EnumSource
	void whenPolicyDoesNotAllowCertificateThenItNeverServes(Engine engine) throws Exception {
		VirtualHosts hosts = hosts(engine, SecurityPolicy.NIST_SP_800_52R2);
		hosts.create(host("p256"), List.of(), DEFAULT);
		this.certificates.openssl("req", "-x509", "-key", "ed25519.key", "-subj", "/CN=edwards", "-addext",
				"subjectAltName=DNS:one.test", "-out", "host.crt");
		CertificateHost host = CertificateHost.of("one", List.of(new HostKey(this.certificates.privateKey("ed25519"),
				List.of(this.certificates.certificate("host.crt")))), this.refusals::add);
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> this.added.put(host));
		assertThat(this.added.all()).isEmpty();
		this.added.add(host);
		assertThat(serve(hosts, host)).isNull();
		assertThat(this.added.all()).isEmpty();
		assertThat(this.refusals).singleElement().asString().contains("nist-sp-800-52r2");
		hosts.removeAll();
	}

	@ParameterizedTest
	@EnumSource
	void whenEngineCannotUseHostThenItIsRefusedOnce(Engine engine) throws Exception {
		VirtualHosts hosts = hosts(engine, null);
		hosts.create(host("p256"), List.of(), DEFAULT);
		HostKey usable = certificateHost("one", "first", "DNS:one.test").keys().get(0);
		CertificateHost host = CertificateHost.of("one", List.of(new HostKey(null, usable.chain())),
				this.refusals::add);
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> this.added.put(host));
		this.added.add(host);
		this.added.tryOut(host);
		assertThat(this.added.all()).isEmpty();
		assertThat(this.refusals).hasSize(1);
		hosts.removeAll();
	}

	@Test
	void whenThereAreTooManyContextsThenThoseThatWereNotUsedAreClosed() {
		List<CertificateHost> hosts = new ArrayList<>();
		List<String> closed = new ArrayList<>();
		CertificateContexts contexts = new CertificateContexts(10, (absent) -> served(absent, closed));
		for (int i = 0; i < 10; i++) {
			CertificateHost host = certificateHost("host-" + i, "host-" + i, "DNS:host-%d.test".formatted(i));
			hosts.add(host);
			contexts.make(host);
		}
		assertThat(closed).isEmpty();
		Awaitility.await().pollDelay(Duration.ofMillis(5)).until(() -> true);
		ServedHost first = contexts.get(hosts.get(0));
		CertificateHost next = certificateHost("next", "next", "DNS:next.test");
		contexts.make(next);
		assertThat(closed).containsExactly("host-1", "host-2");
		assertThat(contexts.get(hosts.get(0))).isSameAs(first);
		assertThat(contexts.get(hosts.get(1))).isNull();
		contexts.close();
		assertThat(closed).hasSize(11);
		contexts.make(next);
		assertThat(closed).as("made after the stop").hasSize(12);
		assertThat(contexts.get(next)).isNull();
	}

	private static ServedHost served(CertificateHost host, List<String> closed) {
		TlsContext context = new TlsContext() {

			@Override
			public @Nullable TlsSession newSession(List<String> offered, List<ByteBuffer> tickets,
					TlsSession.RefusalListener refusals) {
				return null;
			}

			@Override
			public List<String> cipherSuites() {
				return List.of();
			}

			@Override
			public String engine() {
				return "none";
			}

			@Override
			public void close() {
				closed.add(host.name());
			}

		};
		return new ServedHost(new TlsHost(host.name(), List.of(), null, null), context, HostNames.of(List.of()), null,
				Instant.EPOCH, true, true);
	}

	private static @Nullable ServedHost serve(VirtualHosts hosts, CertificateHost host) {
		hosts.make(host);
		return (hosts.identify(host.name()) instanceof ServedHost served) ? served : null;
	}

	private static String subject(MemoryConnection connection) throws Exception {
		return connection.certificateOfServer().getSubjectX500Principal().getName();
	}

	private CertificateHost certificateHost(String name, String subject, String alternativeNames) {
		this.certificates.openssl("req", "-x509", "-key", "p256.key", "-subj", "/CN=" + subject, "-addext",
				"subjectAltName=" + alternativeNames, "-out", "host.crt");
		return CertificateHost.of(name, List
			.of(new HostKey(this.certificates.privateKey("p256"), List.of(this.certificates.certificate("host.crt")))),
				this.refusals::add);
	}

	private VirtualHosts hosts(Engine engine, @Nullable SecurityPolicy policy) {
		return new VirtualHosts(engine.served(),
				new TlsSettings(List.of(), new PolicySettings(policy, List.of(), null), RevocationChecks.NONE,
						(host) -> ClientMaterial.NONE, null, null, null, null, null, null, false,
						TlsAlpnChallenges.NONE, this.added, (any) -> null, SettingName::toString));
	}

	private SSLHostConfig host(@Nullable String certificate) {
		SSLHostConfig host = new SSLHostConfig();
		SSLHostConfigCertificate served = new SSLHostConfigCertificate(host, Type.UNDEFINED);
		if (certificate != null) {
			served.setCertificateFile(this.certificates.file(certificate + ".crt").toString());
			served.setCertificateKeyFile(this.certificates.file(certificate + ".key").toString());
		}
		else {
			served.setCertificateKeystore(HostKeyStore.of(new HostMaterial(List.of(), null, List.of(), List.of())));
		}
		host.addCertificate(served);
		return host;
	}

}
