// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.WebApplicationType;

/**
 * Base class for tests of TLS servers.
 */
@Tag("servers")
public abstract class AbstractTlsServerTests {

	@RegisterExtension
	private final SharedServers sharedServers = new SharedServers();

	private final WebApplicationType type;

	private TestCertificates certificates;

	public AbstractTlsServerTests(WebApplicationType type) {
		this.type = type;
	}

	@BeforeEach
	public void getCertificates() {
		this.certificates = TestCertificates.get();
	}

	public WebApplicationType type() {
		return this.type;
	}

	public TestCertificates certificates() {
		return this.certificates;
	}

	public Handshake connectAs(TestServer server, String name, String version) {
		return TlsClient.connect(server.port(), version, "-cert", file(name + ".crt"), "-key", file(name + ".key"));
	}

	public TestServer start(Engine engine, String... properties) {
		return start(Object.class, engine, properties);
	}

	public TestServer start(Class<?> configuration, Engine engine, String... properties) {
		return TestServer.start(this.type, configuration, allProperties(engine, properties));
	}

	public TestServer startChild(TestServer parent, Class<?> configuration, Engine engine, String... properties) {
		return parent.startChild(this.type, configuration, allProperties(engine, properties));
	}

	public static List<String> allProperties(Engine engine, String... properties) {
		List<String> all = new ArrayList<>(engine.properties());
		for (String property : properties) {
			all.add(property.matches("(server|spring|management|logging|test)\\..*") ? property
					: "server.ssl." + property);
		}
		return all;
	}

	/**
	 * Return a server that all tests of the class share, which is started at the first
	 * call.
	 * @param name what distinguishes it from others of the class
	 * @param start how to start it
	 * @return the server
	 */
	public TestServer shared(Object name, Supplier<TestServer> start) {
		return this.sharedServers.get(name, start, TestServer.class);
	}

	public String[] pem(String name) {
		return new String[] { "certificate-file=" + file(name + ".crt"),
				"certificate-key-file=" + file(name + ".key") };
	}

	public String[] bundle(String bundle, String name) {
		String prefix = "spring.ssl.bundle.pem." + bundle + ".keystore.";
		return new String[] { prefix + "certificate=" + file(name + ".crt"),
				prefix + "private-key=" + file(name + ".key") };
	}

	public static String[] with(String[] properties, String... more) {
		List<String> all = new ArrayList<>(Arrays.asList(properties));
		all.addAll(Arrays.asList(more));
		return all.toArray(String[]::new);
	}

	public String file(String name) {
		return this.certificates.file(name).toString();
	}

}
