// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
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
import org.cyclonedx.Version;
import org.cyclonedx.parsers.JsonParser;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
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
			assertThat(assets(bom, "certificate")).extracting(
					(certificate) -> certificate.at("/cryptoProperties/certificateProperties/subjectName").asString())
				.containsExactlyInAnyOrder("CN=rsa", "CN=p384");
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

	@Test
	void whenLibraryIsMissingOrTooOldThenClientGetsTheStatus406AndTheReason() {
		CryptographyBom tooOld = new CryptographyBom() {

			@Override
			byte[] json(TlsDescriptor tls) {
				throw new NoSuchMethodError("setCryptoRefArray");
			}

		};
		try (TestServer server = start(Engine.JSSE, pem("p256"))) {
			assertThat(endpoint(server, null).tls(TlsFormat.CYCLONEDX))
				.isInstanceOfSatisfying(WebEndpointResponse.class,
						(response) -> assertThat(response.getStatus()).isEqualTo(406))
				.extracting("body")
				.isEqualTo(Map.of("reason",
						"The dependency 'org.cyclonedx:cyclonedx-core-java' in version 11 or later is missing. Add it"));
			assertThat(endpoint(server, tooOld).tls(TlsFormat.CYCLONEDX))
				.isInstanceOfSatisfying(WebEndpointResponse.class,
						(response) -> assertThat(response.getStatus()).isEqualTo(406))
				.extracting("body")
				.asString()
				.contains("has a version that does not fit (java.lang.NoSuchMethodError: setCryptoRefArray)");
			TlsEndpoint endpoint = endpoint(server, tooOld);
			assertThat(endpoint.tls(null)).isEqualTo(endpoint.tls());
		}
	}

	private static TlsEndpoint endpoint(TestServer server, @Nullable CryptographyBom bom) {
		return new TlsEndpoint(server.bean(TlsEngines.class), server.bean(TomcatNative.class),
				server.bean(SslBundles.class), bom);
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
		HttpClient client = HttpClient.newBuilder().sslContext(certificates().trusting("rsa.crt", "p256.crt")).build();
		HttpRequest.Builder request = HttpRequest
			.newBuilder(URI.create("https://localhost:%d/actuator/tls".formatted(server.port())));
		if (headers.length > 0) {
			request.headers(headers);
		}
		return client.send(request.build(), BodyHandlers.ofString());
	}

}
