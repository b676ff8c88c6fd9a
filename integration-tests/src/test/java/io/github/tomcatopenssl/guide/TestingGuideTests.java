// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.guide;

import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.test.CatalinaHome;
import io.github.tomcatopenssl.test.TestServer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests of the snippets in docs/development.md.
 */
@Tag("servers")
@DirtiesContext
@SpringBootTest(classes = TestServer.Application.class, webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "server.ssl.development-certificate=true", "spring.jmx.enabled=false",
				"XDG_CACHE_HOME=target/development", "CAROOT=target/none" })
class TestingGuideTests {

	@LocalServerPort
	private int port;

	@Autowired
	private SslBundles bundles;

	@Autowired
	private TomcatNative tomcatNative;

	@BeforeAll
	static void forgetOtherServers() {
		CatalinaHome.forget();
	}

	@Test
	void restClient() {
		HttpClient https = HttpClient.newBuilder()
			.sslContext(this.bundles.getBundle("server-ssl").createSslContext())
			.build();
		RestClient client = RestClient.builder()
			.requestFactory(new JdkClientHttpRequestFactory(https))
			.baseUrl("https://localhost:" + this.port)
			.build();
		assertThat(client.get().uri("/hello").retrieve().body(String.class)).isEqualTo("hello");
	}

	@Test
	void webTestClient() {
		HttpClient https = HttpClient.newBuilder()
			.sslContext(this.bundles.getBundle("server-ssl").createSslContext())
			.build();
		WebTestClient client = WebTestClient.bindToServer(new JdkClientHttpConnector(https))
			.baseUrl("https://localhost:" + this.port)
			.build();
		client.get().uri("/hello").exchange().expectStatus().isOk().expectBody(String.class).isEqualTo("hello");
	}

	@ParameterizedTest
	@CsvSource({ "development.md, TestingGuideTests", "connectors.md, ConnectorsGuideTests",
			"certificates.md, SpiffeGuideTests", "kubernetes-mtls.md, KubernetesGuideTests",
			"operations.md, TlsSpanFilter" })
	void snippetsAreThoseOfTheTests(String page, String test) throws IOException {
		Path tests = Path.of("src/test/java/io/github/tomcatopenssl");
		Path sample = Path.of("../sample-app").resolve(tests).resolve("sample/TestClientsGuideTests.java");
		String source = words(Files.readString(tests.resolve("guide/" + test + ".java")) + Files.readString(sample));
		List<String> snippets = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(Path.of("../docs", page)))
			.results()
			.map((MatchResult result) -> result.group(1))
			.flatMap((snippet) -> snippet.startsWith("import ") ? snippet.lines() : Stream.of(snippet))
			.map(TestingGuideTests::words)
			.toList();
		assertThat(snippets).hasSizeGreaterThan(1).allMatch(source::contains);
	}

	@Test
	void engineCheckIsTheSnippet() throws IOException {
		String snippet = Pattern.compile("```java\n.*?(@Component.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(Path.of("../docs/api.md")))
			.results()
			.map((MatchResult result) -> result.group(1))
			.findFirst()
			.orElseThrow();
		assertThat(words(Files.readString(Path.of("src/test/java/io/github/tomcatopenssl/guide/EngineCheck.java"))))
			.contains(words(snippet));
		assertThatNoException().isThrownBy(() -> new EngineCheck(this.tomcatNative));
	}

	@ParameterizedTest
	@ValueSource(strings = { "development.md", "connectors.md", "certificates.md", "api.md", "acme.md",
			"kubernetes-mtls.md", "operations.md" })
	void snippetsHaveTheirImports(String page) throws IOException {
		String code = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(Path.of("../docs", page)))
			.results()
			.map((MatchResult snippet) -> snippet.group(1))
			.collect(Collectors.joining());
		Set<String> known = names("(?:import [\\w.]+\\.|class )(\\w+)", code);
		Set<String> used = names("(?<![\\w.])([A-Z][a-z]\\w*)",
				code.replaceAll("import .*;", "").replaceAll("\"[^\"]*\"", ""));
		used.removeAll(Set.of("Exception", "Object", "Override", "String", "System", "DnsClient"));
		assertThat(known).containsAll(used);
	}

	private static Set<String> names(String pattern, String code) {
		return Pattern.compile(pattern)
			.matcher(code)
			.results()
			.map((MatchResult name) -> name.group(1))
			.collect(Collectors.toSet());
	}

	@Test
	void profileIsThatOfTheTests() throws IOException {
		assertThat(Files.readString(Path.of("../docs/development.md")))
			.contains(Files.readString(Path.of("../sample-app/src/test/resources/application-test.yml")));
	}

	// How lines are broken is the formatter's
	private static String words(String text) {
		return text.replaceAll("\\s+", "");
	}

}
