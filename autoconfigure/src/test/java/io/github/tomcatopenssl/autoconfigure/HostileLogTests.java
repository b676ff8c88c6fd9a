/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.autoconfigure;

import java.util.List;

import io.github.tomcatopenssl.autoconfigure.TestServer.Engine;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of what strangers can write into the log, which is nothing.
 */
@ExtendWith(OutputCaptureExtension.class)
abstract sealed class HostileLogTests extends AbstractRawTlsTests
		permits ServletHostileLogTests, ReactiveHostileLogTests {

	HostileLogTests(WebApplicationType type) {
		super(type, Object.class);
	}

	@ParameterizedTest
	@EnumSource
	void whenClientsAreHostileThenNothingIsLogged(Engine engine, CapturedOutput output) throws Exception {
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
			.isEmpty();
	}

}
