// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

import org.apache.tomcat.util.net.SSLSupport;
import org.apache.tomcat.util.net.jsse.JSSESupport;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ConnectionSupport}.
 */
class ConnectionSupportTests {

	@Test
	void whenRequestAsksForWhatTheClientOffersThenGetsTheSameAsFromTomcat() throws Exception {
		ConnectionSupport support = support(new RequestedSuites(ByteBuffer.wrap(new byte[] { 0x13, 1, 0x7a, 0x7a }),
				ByteBuffer.wrap(new byte[] { 3, 4, 3, 3 })));
		JSSESupport tomcat = new JSSESupport(null,
				Map.of(SSLSupport.REQUESTED_CIPHERS_KEY, List.of("TLS_AES_128_GCM_SHA256", "Unknown(0x7a7a)"),
						SSLSupport.REQUESTED_PROTOCOL_VERSIONS_KEY, List.of("TLSv1.3", "TLSv1.2")));
		assertThat(support.getRequestedCiphers()).isEqualTo(tomcat.getRequestedCiphers());
		assertThat(support.getRequestedProtocols()).isEqualTo(tomcat.getRequestedProtocols());
		assertThat(support(RequestedSuites.NONE).getRequestedCiphers())
			.isEqualTo(new JSSESupport(null, Map.of()).getRequestedCiphers());
	}

	@Test
	void whenHandshakeIsCompleteThenGetsWhatWasNegotiated() throws Exception {
		ConnectionSupport support = support(RequestedSuites.NONE);
		assertThat(support.getProtocol()).isEqualTo("TLSv1.3");
		assertThat(support.getCipherSuite()).isEqualTo("TLS_AES_128_GCM_SHA256");
		assertThat(support.getKeySize()).isEqualTo(128);
		assertThat(support.getPeerCertificateChain()).isNull();
	}

	// Without a session, which only has the identifier
	@SuppressWarnings("NullAway")
	private static ConnectionSupport support(RequestedSuites requested) {
		return new ConnectionSupport(null, new NegotiatedTls(new KeyExchange("TLSv1.3", "x25519", false),
				"TLS_AES_128_GCM_SHA256", requested, null, "_default_", false, null, null), false);
	}

}
