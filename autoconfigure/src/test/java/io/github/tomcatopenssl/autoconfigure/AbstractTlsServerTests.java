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
import java.util.Arrays;
import java.util.List;

import io.github.tomcatopenssl.autoconfigure.TestServer.Engine;
import io.github.tomcatopenssl.autoconfigure.TlsClient.Handshake;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.BeforeEach;

import org.springframework.boot.WebApplicationType;

/**
 * What tests of TLS servers share.
 */
abstract class AbstractTlsServerTests {

	private final WebApplicationType type;

	private TestCertificates certificates;

	AbstractTlsServerTests(WebApplicationType type) {
		this.type = type;
	}

	@BeforeEach
	void getCertificates() {
		this.certificates = TestCertificates.get();
	}

	WebApplicationType type() {
		return this.type;
	}

	TestCertificates certificates() {
		return this.certificates;
	}

	Handshake connectAs(TestServer server, String name, String version) {
		return TlsClient.connect(server.port(), version, "-cert", file(name + ".crt"), "-key", file(name + ".key"));
	}

	TestServer start(Engine engine, String... properties) {
		return start(Object.class, engine, properties);
	}

	TestServer start(Class<?> configuration, Engine engine, String... properties) {
		return TestServer.start(this.type, configuration, allProperties(engine, properties));
	}

	private static List<String> allProperties(Engine engine, String... properties) {
		List<String> all = new ArrayList<>(engine.properties());
		for (String property : properties) {
			all.add(property.matches("(server|spring|management)\\..*") ? property : "server.ssl." + property);
		}
		return all;
	}

	String[] pem(String name) {
		return new String[] { "certificate-file=" + file(name + ".crt"),
				"certificate-key-file=" + file(name + ".key") };
	}

	String[] bundle(String bundle, String name) {
		String prefix = "spring.ssl.bundle.pem." + bundle + ".keystore.";
		return new String[] { prefix + "certificate=" + file(name + ".crt"),
				prefix + "private-key=" + file(name + ".key") };
	}

	static String[] with(String[] properties, String... more) {
		List<String> all = new ArrayList<>(Arrays.asList(properties));
		all.addAll(Arrays.asList(more));
		return all.toArray(String[]::new);
	}

	String file(String name) {
		return this.certificates.file(name).toString();
	}

}
