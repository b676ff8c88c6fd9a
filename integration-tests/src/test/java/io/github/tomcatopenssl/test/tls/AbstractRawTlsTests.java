// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test.tls;

import java.io.IOException;

import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import org.junit.jupiter.api.BeforeEach;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Base class for tests with raw clients: a server for each engine, shared by all tests of
 * a class.
 */
public abstract class AbstractRawTlsTests extends AbstractTlsServerTests {

	private final Class<?> configuration;

	private final String[] properties;

	private JavaClient goodClient;

	public AbstractRawTlsTests(WebApplicationType type, Class<?> configuration, String... properties) {
		super(type);
		this.configuration = configuration;
		this.properties = properties;
	}

	@BeforeEach
	public void startServers() {
		this.goodClient = new JavaClient("p256.crt");
		for (Engine engine : Engine.values()) {
			server(engine);
		}
	}

	public TestServer server(Engine engine) {
		return shared(engine, () -> start(this.configuration, engine,
				with(with(pem("p256"), "server.http2.enabled=true"), this.properties)));
	}

	public int port(Engine engine) {
		return server(engine).port();
	}

	public void assertServes(Engine engine) throws IOException {
		assertThat(this.goodClient.get(port(engine), "/hello")).endsWith("hello");
	}

}
