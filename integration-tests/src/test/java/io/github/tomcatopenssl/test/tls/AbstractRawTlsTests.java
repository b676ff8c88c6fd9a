// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test.tls;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;

import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Base class for tests with raw clients: a server for each engine, shared by all tests of
 * a class.
 */
@TestInstance(Lifecycle.PER_CLASS)
public abstract class AbstractRawTlsTests extends AbstractTlsServerTests {

	private final Map<Engine, TestServer> servers = new EnumMap<>(Engine.class);

	private final Class<?> configuration;

	private final String[] properties;

	private JavaClient goodClient;

	public AbstractRawTlsTests(WebApplicationType type, Class<?> configuration, String... properties) {
		super(type);
		this.configuration = configuration;
		this.properties = properties;
	}

	@BeforeAll
	public void startServers() {
		getCertificates();
		this.goodClient = new JavaClient("p256.crt");
		for (Engine engine : Engine.values()) {
			this.servers.put(engine, start(this.configuration, engine,
					with(with(pem("p256"), "server.http2.enabled=true"), this.properties)));
		}
	}

	@AfterAll
	public void stopServers() {
		this.servers.values().forEach(TestServer::close);
	}

	public TestServer server(Engine engine) {
		return this.servers.get(engine);
	}

	public int port(Engine engine) {
		return server(engine).port();
	}

	public void assertServes(Engine engine) throws IOException {
		assertThat(this.goodClient.get(port(engine), "/hello")).endsWith("hello");
	}

}
