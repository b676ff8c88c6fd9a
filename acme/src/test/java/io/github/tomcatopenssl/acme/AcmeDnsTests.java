// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.nio.file.Files;
import java.nio.file.Path;

import io.github.tomcatopenssl.test.FreePorts;
import io.github.tomcatopenssl.test.TlsClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of certificates whose domains a CA verifies over DNS, with records that the
 * starter publishes by dynamic updates.
 */
class AcmeDnsTests extends AbstractAcmeTests {

	/**
	 * Nobody can connect to it, so that the tests do not depend on what has the port 53.
	 */
	private static final String BROADCAST = "255.255.255.255";

	@TempDir
	private Path zones;

	private int dns;

	private Bind bind;

	@BeforeEach
	void startBind() throws Exception {
		this.dns = FreePorts.next();
		this.bind = new Bind(this.zones, BROADCAST);
		// As the resolver of the CA, it follows aliases
		this.bind.start(this.dns, "recursion yes;",
				this.bind.zone("example.test", "_acme-challenge.alias IN CNAME example.delegated.test.\n",
						"_acme-challenge.example.test."),
				this.bind.zone("delegated.test", "", "example.delegated.test."));
		this.pebble.close();
		this.pebble = new Pebble(this.port, Bind.ADDRESS + ":" + this.dns);
	}

	@AfterEach
	void stopBind() {
		if (this.bind != null) {
			this.bind.close();
		}
	}

	@Test
	void whenNameServerTakesUpdatesThenWildcardIsIssued() throws Exception {
		AcmeApplication server = start(this.port, Object.class,
				"server.ssl.acme.domains=*.example.test,*.alias.example.test",
				"server.ssl.acme.dns-update.server=%s:%d".formatted(Bind.ADDRESS, this.dns),
				"server.ssl.acme.dns-update.key-name=acme", "server.ssl.acme.dns-update.key=" + Bind.KEY);
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> health(server).equals("UP") && !Placeholder.is(certificate(this.port)));
		Path root = Files.writeString(this.zones.resolve("root.pem"), this.pebble.root());
		for (String name : new String[] { "www.example.test", "www.alias.example.test" }) {
			assertThat(TlsClient
				.connect(this.port, "-servername", name, "-verify_hostname", name, "-CAfile", root.toString(),
						"-verify_return_error")
				.isServed()).as(name).isTrue();
		}
		assertThat(Bind.texts(this.dns, "_acme-challenge.example.test.")).isEmpty();
		assertThat(Bind.texts(this.dns, "example.delegated.test.")).isEmpty();
	}

}
