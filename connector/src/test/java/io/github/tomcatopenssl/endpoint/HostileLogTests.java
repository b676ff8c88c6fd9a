// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.List;
import java.util.logging.LogRecord;

import io.github.tomcatopenssl.engine.Engine;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that strangers cannot write into the log.
 */
class HostileLogTests extends AbstractEngineTests {

	@RegisterExtension
	private final CapturedLog log = new CapturedLog();

	@ParameterizedTest
	@EnumSource
	void whenClientsAreHostileThenOnlyReasonsAreLoggedOnce(Engine engine) throws Exception {
		assertServes(engine);
		this.log.records().clear();
		for (HostileCase hostile : HostileCase.all()) {
			try (RawTlsClient client = hostile.connect(port(engine))) {
				hostile.attack().run(client);
				client.shutdownOutput();
				client.outcome();
			}
		}
		for (RawClientHello hello : List.of(RawClientHello.tls13(Http.H2).padded(15_000),
				RawClientHello.tls13(Http.H2).padded(1 << 14))) {
			try (RawTlsClient client = TlsVersion.TLS_1_3.connect(port(engine), Http.H2)) {
				client.send(hello.records(1 << 14));
				client.shutdownOutput();
				client.outcome();
			}
		}
		assertServes(engine);
		assertThat(this.log.records()).isNotEmpty()
			.allSatisfy((record) -> assertThat(record.getThrown()).isNull())
			.extracting(LogRecord::getMessage)
			.allSatisfy((line) -> assertThat(line).containsPattern("^A handshake on port \\d+ failed: [a-z ]+\\. "))
			.doesNotHaveDuplicates();
	}

}
