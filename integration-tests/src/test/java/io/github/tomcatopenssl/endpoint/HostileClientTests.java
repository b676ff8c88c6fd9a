// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.tls.AbstractRawTlsTests;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.WebApplicationType;

import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * Tests of what hostile clients get, and that other clients are served meanwhile.
 */
class HostileClientTests extends AbstractRawTlsTests {

	HostileClientTests() {
		super(WebApplicationType.SERVLET, Object.class);
	}

	static List<Object> cases() {
		List<Object> arguments = new ArrayList<>();
		for (Engine engine : Engine.values()) {
			HostileCase.all().forEach((hostile) -> arguments.add(argumentSet(engine + " " + hostile, engine, hostile)));
		}
		return arguments;
	}

	@ParameterizedTest
	@MethodSource("cases")
	void whenClientIsHostileThenIsRefusedAndOthersAreServed(Engine engine, HostileCase hostile) throws Exception {
		hostile.run(engine, port(engine));
		assertServes(engine);
	}

}
