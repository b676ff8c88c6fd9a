// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.List;

import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.tls.AbstractRawTlsTests;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that strangers cannot write into the log.
 */
@ExtendWith(OutputCaptureExtension.class)
class HostileLogTests extends AbstractRawTlsTests {

	HostileLogTests() {
		super(WebApplicationType.SERVLET, Object.class);
	}

	@ParameterizedTest
	@EnumSource
	void whenClientsAreHostileThenOnlyReasonsAreLoggedOnce(Engine engine, CapturedOutput output) throws Exception {
		assertServes(engine);
		List<String> before = output.getAll().lines().toList();
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
		// Spring WebFlux logs an answer that its client does not wait for
		assertThat(output.getAll().lines().skip(before.size())).noneMatch((line) -> line.startsWith("\tat "))
			.filteredOn((line) -> !line.contains("o.s.w.s.adapter.HttpWebHandlerAdapter"))
			.allSatisfy((line) -> assertThat(line).containsPattern("A handshake on port \\d+ failed: [a-z ]+\\. "))
			.extracting((line) -> line.replaceAll(".* failed: ", ""))
			.doesNotHaveDuplicates();
	}

}
