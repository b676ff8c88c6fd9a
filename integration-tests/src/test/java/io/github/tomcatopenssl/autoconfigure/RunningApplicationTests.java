// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import io.github.tomcatopenssl.certificate.CertificateReloads;
import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.context.properties.ConfigurationPropertiesReportEndpoint;
import org.springframework.boot.actuate.env.EnvironmentEndpoint;
import org.springframework.cloud.context.properties.ConfigurationPropertiesRebinder;
import org.springframework.cloud.context.refresh.ContextRefresher;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of what tools show of an application and do to it: the endpoints that show
 * properties, and Spring Cloud's refresh.
 */
@Tag("jdk")
class RunningApplicationTests extends AbstractTlsServerTests {

	private static final String PASSWORD = "not to be shown";

	@TempDir
	private Path folder;

	RunningApplicationTests() {
		super(WebApplicationType.SERVLET);
	}

	@ParameterizedTest
	@ValueSource(strings = { "always", "never" })
	void whenEndpointsShowValuesThenTheyShowNoPassword(String shown) {
		certificates().openssl("pkcs8", "-topk8", "-in", "p256.key", "-out", "secret.key", "-passout",
				"pass:" + PASSWORD);
		String certificate = "certificate-file=" + file("p256.crt");
		String key = "certificate-key-file=" + file("secret.key");
		String password = "certificate-key-password=" + PASSWORD;
		String named = "server-name-certificates[0].";
		try (TestServer alone = start(Engine.OPENSSL, with(showing(shown), certificate, key, password));
				TestServer several = start(Engine.OPENSSL,
						with(showing(shown), "certificates[0]." + certificate, "certificates[0]." + key,
								"certificates[0]." + password, named + certificate, named + key, named + password,
								named + "server-name=named.example.com"))) {
			for (TestServer server : List.of(alone, several)) {
				String properties = json(server, ConfigurationPropertiesReportEndpoint.class);
				String environment = json(server, EnvironmentEndpoint.class);
				assertThat(properties + environment).doesNotContain(PASSWORD);
				assertThat(properties).contains("ertificateKeyPassword");
				assertThat(environment).contains("certificate-key-password");
				assertThat(environment.contains("secret.key")).isEqualTo(shown.equals("always"));
			}
		}
	}

	@Test
	void whenKeyIsItselfTheValueThenActuatorDoesNotShowIt() throws IOException {
		String key = "base64:"
				+ Base64.getEncoder().encodeToString(Files.readAllBytes(certificates().file("p256.key")));
		try (TestServer server = start(Engine.OPENSSL, with(showing("always"),
				"certificate-file=" + certificates().file("p256.crt"), "certificate-key-file=" + key))) {
			assertThat(
					json(server, ConfigurationPropertiesReportEndpoint.class) + json(server, EnvironmentEndpoint.class))
				.contains("certificate-key-file")
				.doesNotContain(key.substring(7, 60));
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenSpringCloudRefreshesThenServersGoOn(Engine engine) throws Exception {
		put("p256");
		try (TestServer server = start(engine,
				with(new String[] { "certificate-file=" + this.folder.resolve("tls.crt"),
						"certificate-key-file=" + this.folder.resolve("tls.key") }, "server.test.cloud=true",
						"management.server.port=0", "enabled-protocols=TLSv1.3"))) {
			TomcatOpenSslProperties before = server.bean(TomcatOpenSslProperties.class);
			server.bean(ConfigurableEnvironment.class)
				.getPropertySources()
				.addFirst(new MapPropertySource("changed", Map.of("server.ssl.certificate-file", "/nowhere",
						"server.ssl.handshake-timeout", "broken", "server.ssl.enabled-protocols", "TLSv1.2")));
			server.bean(ConfigurationPropertiesRebinder.class).rebind();
			server.bean(ContextRefresher.class).refresh();
			assertThat(server.bean(TomcatOpenSslProperties.class)).isSameAs(before);
			assertThat(TlsClient.connect(server.port(), "-tls1_3")).returns(true, Handshake::isServed)
				.returns("p256", Handshake::subject);
			put("p384");
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.untilAsserted(
						() -> assertThat(TlsClient.connect(server.port(), "-tls1_3")).returns(true, Handshake::isServed)
							.returns("p384", Handshake::subject));
			assertThat(TlsClient.connect(server.port(), "-tls1_2").isServed()).isFalse();
			assertThat(server.bean(CertificateReloads.class).status()).singleElement()
				.returns(null, CertificateReloads.Status::problem);
		}
	}

	private void put(String name) throws Exception {
		for (String type : List.of("crt", "key")) {
			Files.copy(certificates().file(name + "." + type), this.folder.resolve("tls." + type),
					StandardCopyOption.REPLACE_EXISTING);
		}
	}

	private static String[] showing(String shown) {
		return new String[] { "management.endpoints.web.exposure.include=*",
				"management.endpoint.configprops.show-values=" + shown,
				"management.endpoint.env.show-values=" + shown };
	}

	private static String json(TestServer server, Class<?> endpoint) {
		Object descriptor = (endpoint == EnvironmentEndpoint.class)
				? server.bean(EnvironmentEndpoint.class).environment(null)
				: server.bean(ConfigurationPropertiesReportEndpoint.class).configurationProperties();
		return new JsonMapper().writeValueAsString(descriptor);
	}

}
