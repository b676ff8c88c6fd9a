// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import java.io.IOException;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.github.tomcatopenssl.endpoint.RequestTls;
import io.github.tomcatopenssl.guide.TlsSpanFilter;
import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.valves.SSLValve;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the metrics and spans of requests: {@link TlsObservationFilter} and
 * {@link RequestTls}.
 */
@ParameterizedClass
@EnumSource(names = { "SERVLET", "REACTIVE" })
class TlsObservationTests extends AbstractTlsServerTests {

	private static final String METRIC = "my.requests";

	private static final String[] TLS_1_2 = { "--tls-max", "1.2", "--curves", "P-256", "--ciphers",
			"ECDHE-ECDSA-AES128-GCM-SHA256" };

	private static final String[] TLS_1_3 = { "--tlsv1.3", "--curves", "P-384", "--tls13-ciphers",
			"TLS_AES_128_GCM_SHA256" };

	TlsObservationTests(WebApplicationType type) {
		super(type);
	}

	private TestServer server(Engine engine) {
		TestServer server = shared(engine, () -> start(Traced.class, engine, with(pem("p256"),
				"server.http2.enabled=true", "client-auth=want", "ca-certificate-file=" + file("ca.crt"),
				"client-fingerprint=ja4", "server-name-certificates[0].server-name=other.example.com",
				"server-name-certificates[0].certificate-file=" + file("other.crt"),
				"server-name-certificates[0].certificate-key-file=" + file("other.key"),
				"server-name-certificates[0].client-auth=none", "forwarded-client-certificate.header=client-cert",
				"forwarded-client-certificate.proxy-ca-certificate-file=" + file("proxy-ca.crt"),
				"management.observations.http.server.requests.name=" + METRIC,
				"management.observations.http.server.requests.tls.enabled=true",
				"management.observations.http.server.requests.tls-client.enabled=true")));
		spans(server).reset();
		return server;
	}

	@ParameterizedTest
	@EnumSource
	void whenRequestComesThenMetricsAndSpansHaveItsConnection(Engine engine) {
		TestServer server = server(engine);
		for (String http : List.of("--http1.1", "--http2")) {
			get(server, with(TLS_1_2, http));
			Map<String, String> tls = Map.of("tls.protocol.version", "1.2", "tls.cipher",
					"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "tls.curve", "secp256r1", "tls.resumed", "false");
			assertThat(span(server)).containsAllEntriesOf(tls);
			assertThat(metrics(server)).contains(tls);
			get(server, with(TLS_1_3, http));
			tls = Map.of("tls.protocol.version", "1.3", "tls.cipher", "TLS_AES_128_GCM_SHA256", "tls.curve",
					"secp384r1", "tls.resumed", "false");
			assertThat(span(server)).containsAllEntriesOf(tls);
			assertThat(metrics(server)).contains(tls);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenSessionIsResumedThenMetricsAndSpansSaySo(Engine engine, @TempDir Path folder) {
		TestServer server = server(engine);
		for (String option : List.of("-sess_out", "-sess_in")) {
			getFrom(server, "other.example.com", option, folder.resolve("session").toString());
			Map<String, String> resumed = Map.of("tls.resumed", String.valueOf(option.equals("-sess_in")));
			assertThat(span(server)).containsAllEntriesOf(resumed);
			assertThat(metrics(server)).anySatisfy((tags) -> assertThat(tags).containsAllEntriesOf(resumed));
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenRequestComesWithoutTlsThenMetricsHaveTheSameTags(Engine engine) throws IOException {
		TestServer server = server(engine);
		get(server, TLS_1_3);
		span(server);
		int port = server.connectors().get(1).getLocalPort();
		try (Socket socket = new Socket("localhost", port)) {
			socket.getOutputStream()
				.write("GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
					.getBytes(StandardCharsets.US_ASCII));
			assertThat(socket.getInputStream().readAllBytes()).isNotEmpty();
		}
		Map<String, String> none = Map.of("tls.protocol.version", "none", "tls.cipher", "none", "tls.curve", "none",
				"tls.resumed", "none");
		assertThat(span(server)).containsAllEntriesOf(none).doesNotContainKey("tls.client.server_name");
		assertThat(metrics(server)).contains(none);
		assertThat(server.bean(MeterRegistry.class)
			.get(METRIC)
			.timers()
			.stream()
			.map((timer) -> keys(timer.getId().getTags()))
			.distinct()).singleElement()
			.satisfies((keys) -> assertThat(keys).containsAll(none.keySet())
				.noneMatch((key) -> key.startsWith("tls.client")));
	}

	@ParameterizedTest
	@EnumSource
	void whenClientIsVerifiedThenSpansNameIt(Engine engine) throws Exception {
		TestServer server = server(engine);
		get(server);
		assertThat(span(server)).containsEntry("tls.client.server_name", "p256.example.com")
			.doesNotContainKey("tls.client.subject")
			.hasEntrySatisfying("tls.client.ja4", (ja4) -> assertThat(ja4).matches("t13d\\w{6}_\\w{12}_\\w{12}"));
		get(server, as("client"));
		assertThat(span(server)).containsEntry("tls.client.subject", "CN=client");
		get(server, as("proxy"));
		assertThat(span(server)).doesNotContainKey("tls.client.subject");
		get(server, with(as("proxy"), "-H", "Client-Cert: :%s:"
			.formatted(Base64.getEncoder().encodeToString(certificates().certificate("client.crt").getEncoded()))));
		assertThat(span(server)).containsEntry("tls.client.subject", "CN=client");
		assertThat(metrics(server).toString()).doesNotContain("CN=client", "p256.example.com", "t13d");
	}

	@ParameterizedTest
	@EnumSource
	void whenSubjectIsHostileThenIsSafe(Engine engine) {
		if (!Files.exists(certificates().file("hostile.crt"))) {
			certificates().openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-utf8",
					"-subj", "/O=" + "\u00f6".repeat(60) + "/CN=a\n\u001b\u202e'b", "-keyout", "hostile.key", "-out",
					"hostile.csr");
			certificates().openssl("x509", "-req", "-in", "hostile.csr", "-CA", "ca.crt", "-CAkey", "ca.key",
					"-CAcreateserial", "-days", "30", "-out", "hostile.crt");
		}
		TestServer server = server(engine);
		get(server, as("hostile"));
		assertThat(span(server)).hasEntrySatisfying("tls.client.subject",
				(subject) -> assertThat(subject).hasSizeLessThan(210)
					.startsWith("CN=a\\u000A\\u001B\\u202E\\u0027b,O=\\u00F6")
					.endsWith("..."));
	}

	@ParameterizedTest
	@EnumSource
	void whenValveBelievesHeadersOfClientsThenMetricsAndSpansDoNot(Engine engine) throws Exception {
		TestServer server = server(engine);
		String forged = URLEncoder.encode(certificates().read("other-client.crt"), StandardCharsets.US_ASCII);
		get(server, with(with(TLS_1_3, as("client")), "-H", "ssl_cipher: forged", "-H",
				"ssl_client_escaped_cert: " + forged));
		assertThat(span(server)).containsEntry("tls.cipher", "TLS_AES_128_GCM_SHA256")
			.containsEntry("tls.client.subject", "CN=client");
		get(server, "-H", "ssl_cipher: forged", "-H", "ssl_client_escaped_cert: " + forged);
		assertThat(span(server)).doesNotContainKey("tls.client.subject");
		assertThat(metrics(server).toString()).doesNotContain("forged");
	}

	// JSSE refuses its handshake
	@Test
	void whenServerNameIsNoNameThenSpansHaveNone() {
		TestServer server = server(Engine.OPENSSL);
		getFrom(server, "a'b.example.com");
		assertThat(span(server)).doesNotContainKey("tls.client.server_name");
	}

	@ParameterizedTest
	@EnumSource
	void whenServerNameIsLongThenIsCutOff(Engine engine) {
		TestServer server = server(engine);
		String name = ("x".repeat(60) + ".").repeat(3) + "x".repeat(60);
		getFrom(server, name);
		assertThat(span(server)).containsEntry("tls.client.server_name", name.substring(0, 200) + "...");
	}

	// The filter is for spans that an agent has made
	@Test
	void whenNothingIsSetThenSpansHaveOnlyWhatTheFilterOfTheManualAdds() {
		try (TestServer server = start(WithFilter.class, Engine.OPENSSL,
				with(pem("p256"), "management.observations.http.server.requests.name=" + METRIC))) {
			get(server, TLS_1_3);
			Map<String, String> span = span(server);
			span.keySet().removeIf((key) -> !key.startsWith("tls."));
			assertThat(span).isEqualTo((type() == WebApplicationType.SERVLET)
					? Map.of("tls.cipher", "TLS_AES_128_GCM_SHA256", "tls.curve", "secp384r1") : Map.of());
			assertThat(metrics(server)).containsOnly(Map.of());
		}
	}

	private static List<String> keys(List<Tag> tags) {
		return tags.stream().map(Tag::getKey).toList();
	}

	private String[] as(String name) {
		return new String[] { "--cert", file(name + ".crt"), "--key", file(name + ".key") };
	}

	private static void get(TestServer server, String... options) {
		String name = "p256.example.com";
		List<String> command = new ArrayList<>(List.of("curl", "-sSk", "--max-time", "20", "--resolve",
				"%s:%d:127.0.0.1".formatted(name, server.port()),
				"https://%s:%d/hello".formatted(name, server.port())));
		command.addAll(List.of(options));
		assertThat(Commands.run("", command).orFail().output()).isEqualTo("hello");
	}

	private static void getFrom(TestServer server, String name, String... options) {
		List<String> command = new ArrayList<>(List.of("openssl", "s_client", "-quiet", "-connect",
				"localhost:" + server.port(), "-servername", name));
		command.addAll(List.of(options));
		assertThat(Commands
			.run("GET /hello HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(name.replace("'", "")),
					command)
			.orFail()
			.output()).contains("hello");
	}

	private static InMemorySpanExporter spans(TestServer server) {
		return server.bean(InMemorySpanExporter.class);
	}

	private static Map<String, String> span(TestServer server) {
		InMemorySpanExporter exporter = spans(server);
		Awaitility.await()
			.atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertThat(exporter.getFinishedSpanItems()).hasSize(1));
		SpanData span = exporter.getFinishedSpanItems().get(0);
		exporter.reset();
		Map<String, String> attributes = new TreeMap<>();
		span.getAttributes().forEach((key, value) -> attributes.put(key.getKey(), value.toString()));
		return attributes;
	}

	private static List<Map<String, String>> metrics(TestServer server) {
		return server.bean(MeterRegistry.class).get(METRIC).timers().stream().map((timer) -> {
			Map<String, String> tags = new TreeMap<>();
			timer.getId().getTags().forEach((tag) -> tags.put(tag.getKey(), tag.getValue()));
			tags.keySet().removeIf((key) -> !key.startsWith("tls."));
			return tags;
		}).toList();
	}

	@Configuration(proxyBeanMethods = false)
	static class Traced {

		@Bean
		InMemorySpanExporter spanExporter() {
			return InMemorySpanExporter.create();
		}

		@Bean
		DefaultTracingObservationHandler tracingObservationHandler(InMemorySpanExporter exporter) {
			SdkTracerProvider provider = SdkTracerProvider.builder()
				.addSpanProcessor(SimpleSpanProcessor.create(exporter))
				.build();
			Tracer tracer = new OtelTracer(provider.get("test"), new OtelCurrentTraceContext(), (event) -> {
			});
			return new DefaultTracingObservationHandler(tracer);
		}

		@Bean
		WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> withoutTls() {
			return (factory) -> {
				factory.addEngineValves(new SSLValve());
				Connector connector = new Connector();
				connector.setPort(0);
				((TomcatWebServerFactory) factory).addAdditionalConnectors(connector);
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Traced.class, TlsSpanFilter.class })
	static class WithFilter {

	}

}
