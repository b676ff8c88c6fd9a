// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample.container;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import javax.net.ssl.SSLSocket;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of a secret that is updated, in the way of the kubelet, while the container runs.
 */
@RequiresContainerEngine
class CertificateRotationIT {

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private static final String VERIFIED = "Verify return code: 0 (ok)";

	@ParameterizedTest
	@ValueSource(strings = { "always", "never" })
	void whenSecretIsUpdatedThenNewConnectionsGetItAndOldOnesGoOn(String mode) throws Exception {
		ClientContainer client = ClientContainer.get();
		try (SampleContainer sample = started(mode)) {
			try (SSLSocket connection = sample.connect()) {
				assertServed(connection);
				assertThat(client.connect("p256", "")).contains(VERIFIED);

				sample.secret().update("p384", "p384");
				await().atMost(TIMEOUT).until(() -> client.connect("p384", "").contains(VERIFIED));
				assertThat(client.connect("p256", "")).doesNotContain(VERIFIED);
				assertThat(sample.getLogs())
					.contains("SSL bundle 'server-ssl' was reloaded: the certificate 'CN=p384' in '/etc/tls/tls.crt'");
				assertServed(connection);
			}
		}
	}

	@Test
	void whenUpdateCannotBeUsedThenPreviousSecretStaysUntilItCan() throws Exception {
		ClientContainer client = ClientContainer.get();
		try (SampleContainer sample = started("always")) {
			sample.secret().update("p384", "p256");
			await().atMost(TIMEOUT)
				.until(() -> sample.getLogs()
					.contains("SSL bundle 'server-ssl' was not reloaded, and its previous content stays in use. "));
			assertThat(client.connect("p256", "")).contains(VERIFIED);

			sample.secret().update("p384", "p384");
			await().atMost(TIMEOUT).until(() -> client.connect("p384", "").contains(VERIFIED));
		}
	}

	private static SampleContainer started(String mode) throws Exception {
		SampleContainer sample = new SampleContainer(Images.bundled(Base.TRIXIE), "--server.ssl.openssl.mode=" + mode)
			.restricted()
			.withFolder("/tmp", "exec");
		sample.start();
		return sample;
	}

	private static void assertServed(SSLSocket connection) throws Exception {
		connection.getOutputStream()
			.write("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
		StringBuilder response = new StringBuilder();
		while (!response.toString().matches("(?s)HTTP/1.1 200 .*\r\n\r\nok")) {
			int next = connection.getInputStream().read();
			assertThat(next).as(response.toString()).isNotNegative();
			response.append((char) next);
		}
	}

}
