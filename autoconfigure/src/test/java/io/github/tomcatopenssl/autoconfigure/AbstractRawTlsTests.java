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

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.autoconfigure.TestServer.Engine;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What tests with raw clients share: a server of each engine, for all tests of a class.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class AbstractRawTlsTests extends AbstractTlsServerTests {

	private final Map<Engine, TestServer> servers = new EnumMap<>(Engine.class);

	private final Class<?> configuration;

	private final String[] properties;

	private SSLContext goodClient;

	AbstractRawTlsTests(WebApplicationType type, Class<?> configuration, String... properties) {
		super(type);
		this.configuration = configuration;
		this.properties = properties;
	}

	@BeforeAll
	void startServers() throws Exception {
		getCertificates();
		this.goodClient = certificates().trusting("p256.crt");
		for (Engine engine : Engine.values()) {
			this.servers.put(engine, start(this.configuration, engine,
					with(with(pem("p256"), "server.http2.enabled=true"), this.properties)));
		}
	}

	@AfterAll
	void stopServers() {
		this.servers.values().forEach(TestServer::close);
	}

	TestServer server(Engine engine) {
		return this.servers.get(engine);
	}

	int port(Engine engine) {
		return server(engine).port();
	}

	void assertServes(Engine engine) throws IOException {
		try (SSLSocket socket = (SSLSocket) this.goodClient.getSocketFactory()
			.createSocket("localhost", port(engine))) {
			socket.setSoTimeout(30_000);
			socket.getOutputStream()
				.write("GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
					.getBytes(StandardCharsets.US_ASCII));
			assertThat(socket.getInputStream().readAllBytes()).asString(StandardCharsets.US_ASCII).endsWith("hello");
		}
	}

}
