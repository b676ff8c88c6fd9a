// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.internal.engine.TlsEngine;
import io.github.tomcatopenssl.test.Provided;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the sample's executable jar.
 */
class SampleApplicationIT {

	@Test
	void whenTomcatNativeIsThereThenOpenSslServesEverything() throws Exception {
		Path library = Provided.tomcatNative();
		try (RunningSample sample = RunningSample.start("--server.ssl.openssl.mode=always",
				"--server.ssl.openssl.library-path=" + library)) {
			assertThat(sample.log()).contains("OpenSSL is active on port ", ", library " + library)
				.doesNotContain("restricted method", "native access");

			HttpResponse<byte[]> hello = sample.get("/hello");
			assertThat(hello.body()).asString().isEqualTo("ok");
			assertThat(hello.sslSession().orElseThrow().getProtocol()).isEqualTo("TLSv1.3");

			JsonNode tls = new JsonMapper().readTree(sample.get("/tls").body());
			assertThat(tls.path("engine").asString()).isEqualTo("OpenSSL");
			assertThat(tls.path("openSslVersion").asString()).startsWith("OpenSSL 3.");
			assertThat(tls.path("tomcatNativeVersion").asString()).isEqualTo("2.0.16");
			assertThat(tls.path("httpProtocol").asString()).isEqualTo("HTTP/2.0");
			assertThat(tls.path("protocol").asString()).isEqualTo("TLSv1.3");
			assertThat(tls.path("cipherSuite").asString()).startsWith("TLS_");
			assertThat(tls.path("group").asString()).isEqualTo("x25519");
			assertThat(tls.path("postQuantum").asBoolean()).isFalse();

			assertThat(new String(sample.get("/").body(), StandardCharsets.UTF_8).replace("<wbr>", "")).contains(
					"<h1>Not post-quantum</h1>", "<dd>x25519</dd>", "<dd>TLSv1.3</dd>", "<b>OpenSSL</b>",
					"<dd>" + library + "</dd>");

			byte[] body = new byte[5_000_000];
			new Random(1).nextBytes(body);
			assertThat(sample.post("/echo", body).body()).isEqualTo(body);

			assertThat(sample.terminate()).isEqualTo(143);
			assertThat(sample.log()).contains("Graceful shutdown complete").doesNotContain("ERROR", "SIGSEGV");
		}
	}

	@Test
	void whenOpenSslIsNotWantedThenJsseServes() throws Exception {
		try (RunningSample sample = RunningSample.start("--server.ssl.openssl.mode=never")) {
			JsonNode tls = new JsonMapper().readTree(sample.get("/tls").body());
			assertThat(tls.path("engine").asString()).isEqualTo("JSSE");
			assertThat(tls.path("reason").asString()).isEqualTo("'server.ssl.openssl.mode' is 'never'");
			assertThat(tls.path("protocol").asString()).isEqualTo("TLSv1.3");
			assertThat(sample.get("/").body()).asString()
				.contains(hybrid() ? "<h1>Post-quantum</h1>" : "<h1>Not post-quantum</h1>", "<b>JSSE</b>");
			assertThat(sample.terminate()).isEqualTo(143);
		}
	}

	@Test
	void whenRunningThenActuatorShowsHealthTlsAndMetricsOnly() throws Exception {
		try (RunningSample sample = RunningSample.start("--server.ssl.openssl.mode=never")) {
			assertThat(sample.get("/actuator/health").body()).asString().contains("\"UP\"").doesNotContain("details");
			assertThat(sample.get("/actuator/tls").body()).asString()
				.contains("\"engine\":\"JSSE\"", "\"keyAlgorithm\":\"EC\"");
			assertThat(sample.get("/actuator/prometheus").body()).asString()
				.contains(
						"tomcat_ssl_key_exchange_total{group=\"%s\"".formatted(hybrid() ? "X25519MLKEM768" : "x25519"));
			for (String hidden : List.of("env", "configprops", "beans", "heapdump", "loggers")) {
				assertThat(sample.get("/actuator/" + hidden).statusCode()).isEqualTo(404);
			}
		}
	}

	@Test
	void whenPageIsServedThenWhatItLinksToIsToo() throws Exception {
		try (RunningSample sample = RunningSample.start("--server.ssl.openssl.mode=never")) {
			HttpResponse<byte[]> page = sample.get("/");
			assertThat(page.headers().firstValue("Content-Security-Policy")).hasValueSatisfying(
					(policy) -> assertThat(policy).startsWith("default-src 'none'; ").doesNotContain("unsafe"));
			assertThat(page.body()).asString().contains("\"/favicon.svg\"", "\"/page.css\"", "\"/page.js\"");
			HttpResponse<byte[]> icon = sample.get("/favicon.svg");
			assertThat(icon.headers().firstValue("Content-Type")).hasValue("image/svg+xml");
			assertThat(icon.body()).asString().startsWith("<svg");
			assertThat(sample.get("/page.css").statusCode()).isEqualTo(200);
			assertThat(sample.get("/page.js").statusCode()).isEqualTo(200);
		}
	}

	// Of JSSE, on both sides
	private static boolean hybrid() {
		return TlsEngine.jsse().capabilities().groups().contains(KeyExchangeGroup.X25519MLKEM768);
	}

}
