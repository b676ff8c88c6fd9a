// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.SharedServers;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.tomcatopenssl.endpoint.FailureReason.ALERT;
import static io.github.tomcatopenssl.endpoint.FailureReason.CERTIFICATE_ISSUER_UNKNOWN;
import static io.github.tomcatopenssl.endpoint.FailureReason.CERTIFICATE_MISSING;
import static io.github.tomcatopenssl.endpoint.FailureReason.CERTIFICATE_REJECTED;
import static io.github.tomcatopenssl.endpoint.FailureReason.CLOSED;
import static io.github.tomcatopenssl.endpoint.FailureReason.NO_SHARED_SUITE;
import static io.github.tomcatopenssl.endpoint.FailureReason.OTHER;
import static io.github.tomcatopenssl.endpoint.FailureReason.SERVER_CERTIFICATE_REJECTED;
import static io.github.tomcatopenssl.endpoint.FailureReason.TOO_LARGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests for {@link FailureReason}: a failure has one reason, whatever the engine, the
 * version of TLS and the client.
 */
@Tag("jdk")
@Tag("servers")
class FailureReasonTests {

	private static final TestCertificates CERTIFICATES = TestCertificates.get();

	@RegisterExtension
	private final SharedServers servers = new SharedServers();

	@ParameterizedTest
	@MethodSource
	void whenHandshakeFailsThenHasItsReason(Engine engine, TlsVersion version, Failure failure) throws Exception {
		ConnectorServer server = this.servers.get(engine, () -> start(engine), ConnectorServer.class);
		Map<String, Long> expected = new HashMap<>(server.failedHandshakes());
		expected.merge(failure.reason.toString(), 1L, Long::sum);
		failure.client.connect(server.port(), version);
		Awaitility.await().untilAsserted(() -> assertThat(server.failedHandshakes()).isEqualTo(expected));
	}

	static List<Arguments> whenHandshakeFailsThenHasItsReason() {
		List<Arguments> rows = new ArrayList<>();
		for (Engine engine : Engine.values()) {
			for (TlsVersion version : TlsVersion.values()) {
				for (Failure failure : Failure.values()) {
					rows.add(Arguments.of(engine, version, failure));
				}
			}
		}
		return rows;
	}

	private static ConnectorServer start(Engine engine) {
		return new ConnectorServer(engine).start(ConnectorServer.settings(),
				ConnectorServer.verifying(ConnectorServer.host("p256"), "required", "ca.crt"));
	}

	/**
	 * What a client does.
	 */
	private enum Failure {

		OPENSSL_REFUSES(SERVER_CERTIFICATE_REJECTED, openssl("-verify_return_error", "-CAfile", "ca.crt")),

		CURL_REFUSES(SERVER_CERTIFICATE_REJECTED, curl("--cacert", "ca.crt")),

		JAVA_REFUSES(SERVER_CERTIFICATE_REJECTED, java("client", "ca.crt")),

		RAW_REFUSES(SERVER_CERTIFICATE_REJECTED,
				raw((client) -> client.instead(TlsBytes.ALERT, TlsBytes.alert(2, 48)))),

		RAW_REFUSES_UNENCRYPTED(SERVER_CERTIFICATE_REJECTED,
				raw((client) -> TlsBytes.record(TlsBytes.ALERT, TlsBytes.alert(2, 48)))),

		OTHER_ALERT(ALERT, raw((client) -> client.instead(TlsBytes.ALERT, TlsBytes.alert(2, 80)))),

		OTHER_ALERT_UNENCRYPTED(ALERT, raw((client) -> TlsBytes.record(TlsBytes.ALERT, TlsBytes.alert(2, 80)))),

		UNKNOWN_ALERT(ALERT, raw((client) -> client.instead(TlsBytes.ALERT, TlsBytes.alert(2, 7)))),

		CLOSE_NOTIFY(CLOSED, raw((client) -> client.instead(TlsBytes.ALERT, TlsBytes.alert(1, 0)))),

		END(CLOSED, raw((client) -> new byte[0])),

		WRONG_RECORD(OTHER, raw((client) -> TlsBytes.record(TlsBytes.APPLICATION_DATA, new byte[64]))),

		OPENSSL_HAS_NO_CERTIFICATE(CERTIFICATE_MISSING, openssl()),

		CURL_HAS_NO_CERTIFICATE(CERTIFICATE_MISSING, curl("--cacert", "p256.crt")),

		JAVA_HAS_NO_CERTIFICATE(CERTIFICATE_MISSING, java(null, "p256.crt")),

		OPENSSL_IS_UNKNOWN(CERTIFICATE_ISSUER_UNKNOWN,
				openssl("-cert", "other-client.crt", "-key", "other-client.key")),

		TOO_MANY_CERTIFICATES(CERTIFICATE_REJECTED, chain(12)),

		TOO_MANY_BYTES(TOO_LARGE, chain(100)),

		TOO_MANY_BYTES_ANNOUNCED(TOO_LARGE,
				raw((client) -> client.instead(TlsBytes.HANDSHAKE, TlsBytes.hex("0bffffff000000")))),

		NO_SUITE(NO_SHARED_SUITE,
				openssl("-ciphersuites", "TLS_AES_128_CCM_SHA256", "-cipher", "ECDHE-ECDSA-AES128-SHA"));

		private final FailureReason reason;

		private final Client client;

		Failure(FailureReason reason, Client client) {
			this.reason = reason;
			this.client = client;
		}

		private static Client openssl(String... options) {
			return (port, version) -> {
				List<String> arguments = new ArrayList<>(files(options));
				arguments.add((version == TlsVersion.TLS_1_2) ? "-tls1_2" : "-tls1_3");
				assertThat(TlsClient.connect(port, arguments.toArray(String[]::new)).isServed()).isFalse();
			};
		}

		private static Client curl(String... options) {
			return (port, version) -> {
				String number = (version == TlsVersion.TLS_1_2) ? "1.2" : "1.3";
				List<String> command = new ArrayList<>(
						List.of("curl", "--silent", "--tlsv" + number, "--tls-max", number));
				command.addAll(files(options));
				command.add("https://localhost:" + port);
				assertThat(Commands.run("", command).status()).isNotZero();
			};
		}

		private static List<String> files(String... options) {
			return List.of(options)
				.stream()
				.map((option) -> option.matches(".+\\.(crt|key)") ? CERTIFICATES.file(option).toString() : option)
				.toList();
		}

		private static Client java(String certificate, String trusted) {
			return (port, version) -> {
				JavaClient client = (certificate != null) ? new JavaClient(JavaClient.managers(certificate, trusted))
						: new JavaClient(trusted);
				try (SSLSocket socket = client.connect(port)) {
					socket
						.setEnabledProtocols(new String[] { (version == TlsVersion.TLS_1_2) ? "TLSv1.2" : "TLSv1.3" });
					assertThatIOException().isThrownBy(() -> JavaClient.get(socket, "/hello"));
				}
			};
		}

		private static Client chain(int length) {
			return (port, version) -> {
				Path chain = CERTIFICATES.join("chain-%d.crt".formatted(length),
						Collections.nCopies(length, "ca.crt").toArray(String[]::new));
				openssl("-cert", "client.crt", "-key", "client.key", "-cert_chain", chain.toString()).connect(port,
						version);
			};
		}

		private static Client raw(Function<RawTlsClient, byte[]> last) {
			return (port, version) -> {
				try (RawTlsClient client = version.connect(port, Http.HTTP_1_1)) {
					client.send(client.hello().record());
					client.flight();
					client.send(last.apply(client));
				}
			};
		}

	}

	private interface Client {

		void connect(int port, TlsVersion version) throws Exception;

	}

}
