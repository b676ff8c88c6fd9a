// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.internal.host.ClientVerification;
import io.github.tomcatopenssl.internal.host.HostIdentity;
import io.github.tomcatopenssl.internal.host.HostNames;
import io.github.tomcatopenssl.internal.host.TlsHost;
import org.apache.tomcat.util.http.MimeHeaders;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RequestGate}: its truth table. The default host and {@code open.test}
 * verify no clients, {@code want.test} does if they have a certificate, {@code need.test}
 * and {@code *.wild.test} require one.
 */
class RequestGateTests {

	private static final Map<String, TlsHost> HOSTS = Map.of("_default_", host("_default_", "NONE"), "open.test",
			host("open.test", "NONE"), "want.test", host("want.test", "OPTIONAL"), "need.test",
			host("need.test", "REQUIRED"), "*.wild.test", host("*.wild.test", "REQUIRED"));

	/**
	 * The own names of hosts that come and go, by the name that each serves.
	 */
	private static final Map<String, String> COMING_AND_GOING = Map.of("one.test", "first", "two.test", "second",
			"moved.test", "second");

	/**
	 * The columns: the virtual host of the connection; its client (none, verified,
	 * unverified, proxy, or with an expired certificate); whether it is its last request;
	 * the requested host; and the answer.
	 */
	@ParameterizedTest
	@CsvSource(textBlock = """
			# A request for the host of its connection
			_default_,   none,       false, a.test,         SERVED
			_default_,   none,       false, 127.0.0.1,      SERVED
			open.test,   none,       false, OPEN.test.,     SERVED
			want.test,   none,       false, want.test,      SERVED
			want.test,   verified,   false, want.test,      SERVED
			need.test,   verified,   false, need.test,      SERVED
			need.test,   proxy,      false, need.test,      SERVED
			*.wild.test, verified,   false, b.wild.test,    SERVED
			# For another one
			_default_,   none,       false, open.test,      MISDIRECTED
			_default_,   none,       false, need.test,      MISDIRECTED
			_default_,   verified,   false, need.test,      MISDIRECTED
			_default_,   none,       false, b.wild.test,    MISDIRECTED
			open.test,   none,       false, a.test,         MISDIRECTED
			want.test,   verified,   false, need.test,      MISDIRECTED
			need.test,   verified,   false, want.test,      MISDIRECTED
			need.test,   verified,   false, b.wild.test,    MISDIRECTED
			*.wild.test, verified,   false, a.b.wild.test,  MISDIRECTED
			need.test,   proxy,      false, want.test,      MISDIRECTED
			# For something that is not a name
			_default_,   none,       false, 'a b',          MISDIRECTED
			_default_,   none,       false, '',             MISDIRECTED
			need.test,   verified,   false, need.test:443,  MISDIRECTED
			need.test,   verified,   false, n\u0435ed.test, MISDIRECTED
			_default_,   none,       false, need.te\u017ft, MISDIRECTED
			# The host requires what the client has not, since a reload
			need.test,   none,       false, need.test,      CERTIFICATE_MISSING
			need.test,   unverified, false, need.test,      MISDIRECTED
			want.test,   unverified, false, want.test,      SERVED
			gone.test,   none,       false, gone.test,      CERTIFICATE_MISSING
			gone.test,   verified,   false, gone.test,      MISDIRECTED
			# The certificate of the client is no longer valid
			need.test,   expired,    true,  need.test,      SERVED
			need.test,   expired,    true,  want.test,      MISDIRECTED
			need.test,   expired,    false, need.test,      CLIENT_ENDED
			need.test,   lateProxy,  true,  need.test,      CLIENT_ENDED
			need.test,   lateProxy,  false, need.test,      CLIENT_ENDED
			""")
	void whenRequestIsForAHostThenItIsServedOrRefused(String host, String client, boolean last, String requested,
			String answer) {
		assertThat(refusal(new Hosts(true), caller(host, client, null, null), last, requested)).isEqualTo(answer);
		// The host that the client has named is compared by the same rule
		assertThat(
				refusal(new Hosts(true), caller(host, client, HostNames.canonical(requested), null), last, requested))
			.isEqualTo(answer);
	}

	/**
	 * Where no host verifies clients and unknown names are accepted, all hosts are served
	 * alike, but a client that must have a certificate by now still needs it.
	 */
	@ParameterizedTest
	@CsvSource({ "_default_, none, need.test, SERVED", "open.test, verified, 'a b', SERVED",
			"need.test, none, need.test, CERTIFICATE_MISSING", "need.test, expired, need.test, CLIENT_ENDED" })
	void whenHostsAreNotCheckedThenOnlyTheClientCounts(String host, String client, String requested, String answer) {
		assertThat(refusal(new Hosts(false), caller(host, client, null, null), false, requested)).isEqualTo(answer);
	}

	@ParameterizedTest
	@CsvSource({ "a.test, SERVED", "b.test, MISDIRECTED", "A.TEST., SERVED", "open.test, MISDIRECTED" })
	void whenUnknownNamesAreRejectedThenTheCertificateHasToCoverTheHost(String requested, String answer) {
		assertThat(refusal(new Hosts(true),
				caller("_default_", "none", "a.test", Set.of("a.test", "open.test")::contains), false, requested))
			.isEqualTo(answer);
	}

	/**
	 * The certificate of the first host is for one.test, gone.test and moved.test, which
	 * the second one serves by now.
	 */
	@ParameterizedTest
	@CsvSource({ "first, one.test, SERVED", "first, moved.test, SERVED", "first, two.test, MISDIRECTED",
			"first, gone.test, MISDIRECTED", "first, a.test, MISDIRECTED", "first, open.test, MISDIRECTED",
			"_default_, one.test, MISDIRECTED", "open.test, moved.test, MISDIRECTED" })
	void whenHostsComeAndGoThenTheNamesOfTheConnectionsCertificateCount(String host, String requested, String answer) {
		Set<String> names = Set.of("one.test", "gone.test", "moved.test");
		assertThat(refusal(new Hosts(true),
				caller(host, "none", "one.test", host.equals("first") ? names::contains : null), false, requested))
			.isEqualTo(answer);
	}

	/**
	 * A proxy may have received the request for any host that verifies no clients.
	 */
	@ParameterizedTest
	@CsvSource(textBlock = """
			_default_, X-Forwarded-Host,   b.test,            SERVED
			_default_, X-Forwarded-Host,   open.test,         SERVED
			_default_, X-Forwarded-Host,   'b.test, open.test', SERVED
			_default_, X-Forwarded-Host,   want.test,         MISDIRECTED_BY_HEADER
			_default_, X-Forwarded-Host,   'b.test, need.test', MISDIRECTED_BY_HEADER
			_default_, X-Forwarded-Host,   b@need.test,       MISDIRECTED_BY_HEADER
			need.test, X-Forwarded-Host,   need.test,         SERVED
			need.test, X-Forwarded-Host,   b.test,            SERVED
			need.test, X-Forwarded-Host,   want.test,         MISDIRECTED_BY_HEADER
			_default_, Forwarded,          host=need.test,    MISDIRECTED_BY_HEADER
			_default_, Forwarded,          host=b.test,       SERVED
			_default_, X-Forwarded-Proto,  https,             SERVED
			_default_, X-Forwarded-Proto,  https://need.test, MISDIRECTED_BY_HEADER
			_default_, X-Forwarded-Prefix, /a,                SERVED
			_default_, X-Forwarded-Prefix, @need.test,        MISDIRECTED_BY_HEADER
			""")
	void whenHeaderNamesAHostThenItStandsForNoneThatVerifiesClients(String host, String header, String value,
			String answer) {
		MimeHeaders headers = new MimeHeaders();
		headers.addValue(header).setString(value);
		String client = host.equals("need.test") ? "verified" : "none";
		String requested = host.equals("need.test") ? host : "a.test";
		assertThat(answer(gate(new Hosts(true)).refusal(caller(host, client, null, null), false, requested, headers)))
			.isEqualTo(answer);
	}

	@Test
	void whenHeadersNameMoreHostsThanProxiesWouldThenTheRequestIsMisdirected() {
		MimeHeaders headers = new MimeHeaders();
		headers.addValue("X-Forwarded-Host").setString("b.test,".repeat(101));
		assertThat(gate(new Hosts(true)).refusal(caller("_default_", "none", null, null), false, "a.test", headers))
			.isEqualTo(FailureReason.MISDIRECTED_BY_HEADER);
	}

	@Test
	void whenConnectionIsNotAProxysThenItForwardsNoCertificates() {
		RequestGate gate = new RequestGate(new Hosts(true), true);
		assertThat(gate.isOfProxy(caller("need.test", "proxy", null, null))).isTrue();
		assertThat(gate.isOfProxy(caller("need.test", "verified", null, null))).isFalse();
		assertThat(gate(new Hosts(true)).isOfProxy(caller("need.test", "proxy", null, null))).isFalse();
		// None of these hosts has CAs for certificates that are forwarded
		assertThat(gate.clientsOfProxy(caller("need.test", "proxy", null, null))).isNull();
		assertThat(gate.clientsOfProxy(caller("gone.test", "proxy", null, null))).isNull();
	}

	private static String refusal(Hosts hosts, RequestGate.Caller caller, boolean last, String requested) {
		return answer(gate(hosts).refusal(caller, last, requested, new MimeHeaders()));
	}

	private static String answer(@Nullable FailureReason refusal) {
		return (refusal != null) ? refusal.name() : "SERVED";
	}

	private static RequestGate gate(Hosts hosts) {
		return new RequestGate(hosts, false);
	}

	private static TlsHost host(String name, String mode) {
		return new TlsHost(name, List.of(),
				new ClientVerification(CertificateVerification.valueOf(mode), null, null, false, null),
				Engine.anyPolicy());
	}

	private static HostIdentity comingAndGoing(String name) {
		return new HostIdentity() {

			@Override
			public String name() {
				return name;
			}

			@Override
			public ClientVerification clients() {
				return ClientVerification.NONE;
			}

			@Override
			public boolean comesAndGoes() {
				return true;
			}

		};
	}

	private static Caller caller(String host, String client, @Nullable String serverName,
			@Nullable Predicate<String> servedHosts) {
		boolean expired = client.equals("expired") || client.equals("lateProxy");
		boolean proxy = client.equals("proxy") || client.equals("lateProxy");
		return new Caller(host, serverName, servedHosts, null, !client.equals("none"),
				expired || proxy || client.equals("verified"), proxy, expired);
	}

	private record Caller(String host, @Nullable String serverName, @Nullable Predicate<String> servedHosts,
			@Nullable ProxyHeader proxyHeader, boolean hasCertificate, boolean hasVerifiedClient, boolean isProxy,
			boolean hasEnded) implements RequestGate.Caller {

		@Override
		public boolean comesAndGoes() {
			return COMING_AND_GOING.containsValue(this.host);
		}

	}

	private record Hosts(boolean areChecked) implements RequestGate.Hosts {

		@Override
		public @Nullable HostIdentity find(String name) {
			String own = COMING_AND_GOING.get(name);
			if (own != null) {
				return comingAndGoing(own);
			}
			TlsHost host = HOSTS.get(name);
			if (host == null) {
				host = HOSTS.get(HostNames.wildcardOf(name));
			}
			return (host != null) ? host : HOSTS.get("_default_");
		}

		@Override
		public @Nullable HostIdentity get(String hostName) {
			return COMING_AND_GOING.containsValue(hostName) ? comingAndGoing(hostName) : HOSTS.get(hostName);
		}

		@Override
		public boolean verifyClients() {
			return true;
		}

	}

}
