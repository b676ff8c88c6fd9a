// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.autoconfigure.TlsEngines;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.TlsDescriptor;
import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import org.awaitility.Awaitility;
import org.cyclonedx.Version;
import org.cyclonedx.parsers.JsonParser;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.ssl.SslBundles;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CryptographyBom}.
 */
@ParameterizedClass
@EnumSource(names = { "SERVLET", "REACTIVE" })
class CryptographyBomTests extends AbstractTlsServerTests {

	private static final String CYCLONEDX = "application/vnd.cyclonedx+json";

	@TempDir
	private Path temporary;

	CryptographyBomTests(WebApplicationType type) {
		super(type);
	}

	@ParameterizedTest
	@EnumSource
	void whenClientAcceptsCycloneDxThenGetsValidBillOfMaterials(Engine engine) throws Exception {
		try (TestServer server = start(engine,
				with(pem("rsa"), "policy=pci-dss-4", "server-name-certificates[0].server-name=p384.example.com",
						"server-name-certificates[0].certificate-file=" + file("p384.crt"),
						"server-name-certificates[0].certificate-key-file=" + file("p384.key"),
						"management.endpoints.web.exposure.include=tls"))) {
			HttpResponse<String> response = get(server, "Accept", CYCLONEDX);
			assertThat(response.headers().firstValue("Content-Type")).hasValue(CYCLONEDX);
			assertThat(new JsonParser().validate(response.body(), Version.VERSION_16)).isEmpty();
			JsonNode bom = new JsonMapper().readTree(response.body());
			assertThat(bom.path("specVersion").asString()).isEqualTo("1.6");
			List<JsonNode> protocols = assets(bom, "protocol");
			assertThat(protocols).hasSize(4);
			assertThat(protocols).anySatisfy((protocol) -> {
				JsonNode properties = protocol.at("/cryptoProperties/protocolProperties");
				assertThat(properties.path("version").asString()).isEqualTo("1.3");
				assertThat(texts(properties.path("cipherSuites"), "name")).contains("TLS_AES_256_GCM_SHA384")
					.doesNotContain("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
				assertThat(properties.at("/cipherSuites/0/identifiers/0").asString()).isEqualTo("0x13");
			});
			assertThat(protocols).anySatisfy((protocol) -> {
				JsonNode properties = protocol.at("/cryptoProperties/protocolProperties");
				assertThat(properties.path("version").asString()).isEqualTo("1.2");
				assertThat(texts(properties.path("cipherSuites"), "name"))
					.contains("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
					.doesNotContain("TLS_AES_256_GCM_SHA384");
			});
			assertThat(subjects(bom)).containsExactlyInAnyOrder("CN=rsa", "CN=p384");
			assertThat(assets(bom, "related-crypto-material"))
				.extracting((key) -> key.at("/cryptoProperties/relatedCryptoMaterialProperties/size").asInt())
				.containsExactlyInAnyOrder(2048, 384);
			assertThat(texts(bom.path("components"), "name")).contains("secp256r1",
					(engine == Engine.OPENSSL) ? "OpenSSL" : "JSSE");
			assertThat(response.body()).contains("pci-dss-4");
		}
	}

	@Test
	void whenClientAcceptsAnythingElseThenGetsTheInventory() throws Exception {
		try (TestServer server = start(Engine.JSSE,
				with(pem("p256"), "management.endpoints.web.exposure.include=tls"))) {
			for (String accepted : List.of("*/*", "application/json", "application/vnd.spring-boot.actuator.v3+json")) {
				HttpResponse<String> response = get(server, "Accept", accepted);
				assertThat(response.headers().firstValue("Content-Type").orElseThrow()).contains("json")
					.doesNotContain("cyclonedx");
				assertThat(new JsonMapper().readTree(response.body()).at("/connectors/0/port").asInt())
					.isEqualTo(server.port());
			}
			assertThat(get(server).body()).contains("\"connectors\"");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenHostsComeAndGoThenEachPageHasSomeOfThem(Engine engine) throws Exception {
		Path folder = Files.createDirectory(this.temporary.resolve("certificates"));
		for (int days : List.of(30, 10, 20)) {
			certificates().openssl("req", "-x509", "-key", "p256.key", "-subj", "/CN=page-" + days, "-addext",
					"subjectAltName=DNS:page-%d.test".formatted(days), "-days", String.valueOf(days), "-out",
					"page.crt");
			Files.writeString(folder.resolve(days + ".pem"),
					certificates().read("page.crt") + certificates().read("p256.key"));
		}
		try (TestServer server = start(engine,
				with(pem("rsa"), "certificate-directory=" + folder, "management.endpoints.web.exposure.include=tls"))) {
			JsonNode first = inventory(server, "?size=2");
			assertThat(first.path("certificates").asInt()).isEqualTo(3);
			assertThat(first.path("pages").asInt()).isEqualTo(2);
			assertThat(texts(first.path("hosts"), "serverName")).containsExactly("page-10.test", "page-20.test");
			assertThat(first.at("/hosts/0/certificates/0/subject").asString()).isEqualTo("CN=page-10");
			assertThat(texts(inventory(server, "?page=1&size=2").path("hosts"), "serverName"))
				.containsExactly("page-30.test");
			assertThat(inventory(server, "?page=2147483647&size=1000").path("hosts")).isEmpty();
			assertThat(texts(inventory(server, "").path("hosts"), "serverName")).hasSize(3);
			assertThat(subjects(bom(server, "?page=0&size=2"))).containsExactlyInAnyOrder("CN=rsa", "CN=page-10",
					"CN=page-20");
			JsonNode last = bom(server, "?page=1&size=2");
			assertThat(subjects(last)).containsExactlyInAnyOrder("CN=rsa", "CN=page-30");
			assertThat(texts(last.at("/metadata/properties"), "name")).containsExactly("tomcat-openssl:certificates",
					"tomcat-openssl:page", "tomcat-openssl:size", "tomcat-openssl:pages");
			assertThat(texts(last.at("/metadata/properties"), "value")).containsExactly("3", "1", "2", "2");
			assertThat(assets(last, "protocol")).allSatisfy((protocol) -> assertThat(
					protocol.at("/cryptoProperties/protocolProperties/cryptoRefArray").toString())
				.contains("CN=rsa", "CN=page-30"));
		}
	}

	@Test
	void whenPageIsInvalidThenClientGetsTheStatus400() throws Exception {
		try (TestServer server = start(Engine.JSSE,
				with(pem("p256"), "management.endpoints.web.exposure.include=tls"))) {
			for (String query : List.of("?page=-1", "?size=0", "?size=1001")) {
				for (String accepted : List.of("application/json", CYCLONEDX)) {
					HttpResponse<String> response = query(server, query, "Accept", accepted);
					assertThat(response.statusCode()).as(query).isEqualTo(400);
					assertThat(response.body())
						.isEqualTo("{\"reason\":\"'page' has to be 0 or more, and 'size' 1 to 1000\"}");
				}
			}
			// Reactor's FluxSubscribeOnCallable disposes of a task that has ended before
			// its
			// future was set, and interrupts the thread that writes the answer
			Awaitility.await()
				.ignoreExceptionsInstanceOf(IOException.class)
				.untilAsserted(() -> assertThat(query(server, "?page=one").statusCode()).isEqualTo(400));
		}
	}

	@Test
	void whenLibraryIsMissingOrTooOldThenClientGetsTheStatus406AndTheReason() {
		CryptographyBom tooOld = new CryptographyBom() {

			@Override
			byte[] json(TlsDescriptor tls) {
				throw new NoSuchMethodError("setCryptoRefArray");
			}

		};
		try (TestServer server = start(Engine.JSSE, pem("p256"))) {
			assertThat(endpoint(server, null).tls(TlsFormat.CYCLONEDX, null, null))
				.isInstanceOfSatisfying(WebEndpointResponse.class,
						(response) -> assertThat(response.getStatus()).isEqualTo(406))
				.extracting("body")
				.isEqualTo(Map.of("reason",
						"The dependency 'org.cyclonedx:cyclonedx-core-java' in version 11 or later is missing. Add it"));
			assertThat(endpoint(server, tooOld).tls(TlsFormat.CYCLONEDX, null, null))
				.isInstanceOfSatisfying(WebEndpointResponse.class,
						(response) -> assertThat(response.getStatus()).isEqualTo(406))
				.extracting("body")
				.asString()
				.contains("has a version that does not fit (java.lang.NoSuchMethodError: setCryptoRefArray)");
			TlsEndpoint endpoint = endpoint(server, tooOld);
			assertThat(endpoint.tls(null, null, null)).isEqualTo(endpoint.tls());
		}
	}

	private static TlsEndpoint endpoint(TestServer server, @Nullable CryptographyBom bom) {
		return new TlsEndpoint(server.bean(TlsEngines.class),
				new TlsInventory(server.bean(TomcatNative.class), server.bean(SslBundles.class)), bom);
	}

	private JsonNode inventory(TestServer server, String query) throws Exception {
		return new JsonMapper().readTree(query(server, query).body()).at("/connectors/0/certificateHosts");
	}

	private JsonNode bom(TestServer server, String query) throws Exception {
		String bom = query(server, query, "Accept", CYCLONEDX).body();
		assertThat(new JsonParser().validate(bom, Version.VERSION_16)).isEmpty();
		return new JsonMapper().readTree(bom);
	}

	private static List<String> subjects(JsonNode bom) {
		return assets(bom, "certificate").stream()
			.map((certificate) -> certificate.at("/cryptoProperties/certificateProperties/subjectName").asString())
			.toList();
	}

	private static List<JsonNode> assets(JsonNode bom, String type) {
		return StreamSupport.stream(bom.path("components").spliterator(), false)
			.filter((component) -> component.at("/cryptoProperties/assetType").asString("").equals(type))
			.toList();
	}

	private static List<String> texts(JsonNode array, String name) {
		List<String> texts = new ArrayList<>();
		array.forEach((element) -> texts.add(element.path(name).asString("")));
		return texts;
	}

	private HttpResponse<String> get(TestServer server, String... headers)
			throws IOException, InterruptedException, GeneralSecurityException {
		return query(server, "", headers);
	}

	private HttpResponse<String> query(TestServer server, String query, String... headers)
			throws IOException, InterruptedException, GeneralSecurityException {
		HttpClient client = HttpClient.newBuilder().sslContext(certificates().trusting("rsa.crt", "p256.crt")).build();
		HttpRequest.Builder request = HttpRequest
			.newBuilder(URI.create("https://localhost:%d/actuator/tls%s".formatted(server.port(), query)));
		if (headers.length > 0) {
			request.headers(headers);
		}
		return client.send(request.build(), BodyHandlers.ofString());
	}

}
