// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample.container;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;

import javax.net.ssl.SSLSocket;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of how a container stops.
 */
@RequiresContainerEngine
class GracefulShutdownIT {

	private static final int HALF = 100_000;

	private final byte[] body = new byte[2 * HALF];

	@Test
	void whenRequestIsInFlightThenSigtermWaitsForIt() throws Exception {
		new Random(1).nextBytes(this.body);
		try (SampleContainer sample = new SampleContainer(Images.bundled(Base.TRIXIE)).restricted()
			.withFolder("/tmp", "exec")) {
			sample.start();
			try (SSLSocket connection = sample.connect()) {
				assertThat(firstByteOfEcho(connection)).isEqualTo(this.body[0] & 0xFF);

				sample.signal("TERM");
				await().atMost(Duration.ofSeconds(20))
					.until(() -> sample.getLogs().contains("Commencing graceful shutdown"));
				assertThat(sample.getLogs()).doesNotContain("Graceful shutdown complete");
				assertThat(sample.isRunning()).isTrue();

				connection.getOutputStream().write(this.body, HALF, HALF);
				assertThat(connection.getInputStream().readAllBytes())
					.isEqualTo(Arrays.copyOfRange(this.body, 1, this.body.length));
			}
			assertThat(sample.exitStatus()).isEqualTo(143);
			assertThat(sample.getLogs()).contains("Graceful shutdown complete").doesNotContain("ERROR", "SIGSEGV");
		}
	}

	// The sample sends back what it has got so far; to HTTP/1.0, as it is and until the
	// connection ends
	private int firstByteOfEcho(SSLSocket connection) throws Exception {
		String head = "POST /echo HTTP/1.0\r\nContent-Length: " + this.body.length + "\r\n\r\n";
		connection.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
		connection.getOutputStream().write(this.body, 0, HALF);
		InputStream in = connection.getInputStream();
		StringBuilder response = new StringBuilder();
		while (response.indexOf("\r\n\r\n") < 0) {
			int next = in.read();
			assertThat(next).isNotNegative();
			response.append((char) next);
		}
		assertThat(response).startsWith("HTTP/1.1 200");
		return in.read();
	}

}
