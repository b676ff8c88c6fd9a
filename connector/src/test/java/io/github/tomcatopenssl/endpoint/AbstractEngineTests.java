// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.SharedServers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Base class for tests with a server for each engine, which all tests of a class share.
 */
@Tag("servers")
abstract class AbstractEngineTests {

	@RegisterExtension
	private final SharedServers servers = new SharedServers();

	private JavaClient goodClient;

	@BeforeEach
	void startServers() {
		this.goodClient = new JavaClient("p256.crt");
		for (Engine engine : Engine.values()) {
			server(engine);
		}
	}

	ConnectorServer server(Engine engine) {
		return this.servers.get(engine, () -> start(new ConnectorServer(engine).http2()), ConnectorServer.class);
	}

	ConnectorServer start(ConnectorServer server) {
		return server.start();
	}

	int port(Engine engine) {
		return server(engine).port();
	}

	void assertServes(Engine engine) throws IOException {
		assertThat(this.goodClient.get(port(engine), "/hello")).endsWith("hello");
	}

}
