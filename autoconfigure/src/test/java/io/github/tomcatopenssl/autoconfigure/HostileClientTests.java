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

import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.autoconfigure.TestServer.Engine;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.WebApplicationType;

import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * Tests of what hostile clients get, and that others are served meanwhile.
 */
abstract sealed class HostileClientTests extends AbstractRawTlsTests
		permits ServletHostileClientTests, ReactiveHostileClientTests {

	HostileClientTests(WebApplicationType type) {
		super(type, Object.class);
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
