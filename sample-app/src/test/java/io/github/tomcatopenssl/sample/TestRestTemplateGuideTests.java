// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.resttestclient.TestRestTemplate;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.ActiveProfiles;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the snippet in docs/testing.md that needs {@code spring-boot-resttestclient}.
 */
@Tag("servers")
@ActiveProfiles("development")
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "XDG_CACHE_HOME=target/development", "CAROOT=target/none" })
class TestRestTemplateGuideTests {

	@LocalServerPort
	private int port;

	@Autowired
	private SslBundles bundles;

	@Test
	void testRestTemplate() {
		TestRestTemplate client = new TestRestTemplate(
				new RestTemplateBuilder().sslBundle(this.bundles.getBundle("server-ssl")));
		String answer = client.getForObject("https://localhost:" + this.port + "/hello", String.class);
		assertThat(answer).isEqualTo("ok");
	}

}
