// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample;

import java.net.http.HttpClient;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.resttestclient.TestRestTemplate;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureTestRestTemplate;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.http.server.LocalTestWebServer;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the clients in docs/development.md that Spring Boot injects. As on the page,
 * the profile for tests takes the certificate files out of the configuration.
 */
@Tag("servers")
@ActiveProfiles("test")
@AutoConfigureTestRestTemplate
@AutoConfigureRestTestClient
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "XDG_CACHE_HOME=target/development", "CAROOT=target/none" })
class TestClientsGuideTests {

	@Autowired
	private TestRestTemplate testRestTemplate;

	@Autowired
	private RestTestClient restTestClient;

	@Test
	void testRestTemplate() {
		String answer = this.testRestTemplate.getForObject("/hello", String.class);
		assertThat(answer).isEqualTo("ok");
	}

	@Test
	void restTestClient() {
		this.restTestClient.get()
			.uri("/hello")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody(String.class)
			.isEqualTo("ok");
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class HttpsClients {

		@Bean
		TestRestTemplate testRestTemplate(SslBundles bundles, ApplicationContext context) {
			TestRestTemplate client = new TestRestTemplate(
					new RestTemplateBuilder().sslBundle(bundles.getBundle("server-ssl")));
			client.setUriTemplateHandler(LocalTestWebServer.obtain(context).uriBuilderFactory());
			return client;
		}

		@Bean
		RestTestClient restTestClient(SslBundles bundles, ApplicationContext context) {
			HttpClient https = HttpClient.newBuilder()
				.sslContext(bundles.getBundle("server-ssl").createSslContext())
				.build();
			return RestTestClient.bindToServer(new JdkClientHttpRequestFactory(https))
				.uriBuilderFactory(LocalTestWebServer.obtain(context).uriBuilderFactory())
				.build();
		}

	}

}
