// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.Principal;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.SSLParameters;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslAutoConfiguration;
import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.ClientVerifier;
import io.github.tomcatopenssl.test.InsistentKeyManager;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.coyote.http11.Http11NioProtocol;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.autoconfigure.ssl.SslBundleRegistrar;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * Tests of which clients are accepted, with both engines and all protocol versions.
 */
@Tag("jdk")
@ParameterizedClass
@EnumSource(names = { "SERVLET", "REACTIVE" })
class ClientCertificateTests extends AbstractTlsServerTests {

	private static final String CLIENT = "basicConstraints=CA:FALSE\nextendedKeyUsage=clientAuth\n";

	private static final List<String> REFUSED = List.of("other-client", "expired-client", "future-client",
			"server-only-client", "sign-only-client", "revoked-client");

	ClientCertificateTests(WebApplicationType type) {
		super(type);
	}

	@BeforeEach
	void issueCertificates() {
		if (certificates().file("revoked-client.crt").toFile().exists()) {
			return;
		}
		String past = "20250101000000Z";
		String future = "20980101000000Z";
		certificates().issue("ca", "client-of-ca", CLIENT, past, future);
		certificates().issue("ca", "expired-client", CLIENT, past, "20250201000000Z");
		certificates().issue("ca", "future-client", CLIENT, "20970101000000Z", future);
		certificates().issue("ca", "server-only-client", "extendedKeyUsage=serverAuth", past, future);
		certificates().issue("ca", "sign-only-client", "keyUsage=critical,keyCertSign", past, future);
		certificates().issue("ca", "revoked-client", CLIENT, past, future);
		certificates().revoke("ca", "revoked-client");
		certificates().revocationList("ca", "clients.crl");
	}

	@ParameterizedTest
	@EnumSource
	void whenBundleHasItsOwnTrustManagerThenItDecidesAlsoAfterAnUpdate(Engine engine) {
		try (TestServer server = start(OwnTrustManager.class, engine, "bundle=own", "client-auth=need")) {
			for (String version : List.of("-tls1_2", "-tls1_3")) {
				assertThat(connectAs(server, "client", version).isServed()).as(version).isTrue();
				assertThat(connectAs(server, "other-client", version).isServed()).as(version).isFalse();
				assertThat(TlsClient.connect(server.port(), version).isServed()).as(version).isFalse();
			}
			server.bundles().updateBundle("own", OwnTrustManager.bundle("CN=other-client"));
			assertThat(connectAs(server, "client", "-tls1_3").isServed()).isFalse();
			assertThat(connectAs(server, "other-client", "-tls1_3").isServed()).isTrue();
		}
	}

	static List<Object> enginesAndClientAuth() {
		List<Object> arguments = new ArrayList<>();
		for (Engine engine : Engine.values()) {
			arguments.add(argumentSet(engine + " need", engine, "need"));
			arguments.add(argumentSet(engine + " want", engine, "want"));
		}
		return arguments;
	}

	@ParameterizedTest
	@MethodSource("enginesAndClientAuth")
	void whenClientConnectsThenIsAcceptedOnlyWhenItsCertificateIsGood(Engine engine, String clientAuth)
			throws InterruptedException {
		try (TestServer server = start(engine,
				with(pem("p256"), "server.http2.enabled=true", "client-auth=" + clientAuth,
						"ca-certificate-file=" + file("ca.crt"),
						"certificate-revocation-list-file=" + file("clients.crl")))) {
			for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
				for (HttpClient.Version version : HttpClient.Version.values()) {
					assertThat(get(server, "client-of-ca", protocol, version)).isEqualTo("CN=client-of-ca " + version);
					assertThat(get(server, null, protocol, version))
						.isEqualTo(clientAuth.equals("want") ? "none " + version : "refused");
					for (String client : REFUSED) {
						assertThat(get(server, client, protocol, version)).as(client).isEqualTo("refused");
					}
				}
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenThereAreSeveralCasThenAcceptsClientsOfEach(Engine engine) throws InterruptedException {
		certificates().join("several.crt", "other-ca.crt", "ca.crt");
		try (TestServer server = start(engine,
				with(pem("p256"), "client-auth=need", "ca-certificate-file=" + file("several.crt")))) {
			for (String client : List.of("client", "other-client")) {
				assertThat(get(server, client, "TLSv1.3", HttpClient.Version.HTTP_1_1))
					.isEqualTo("CN=" + client + " HTTP_1_1");
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenCaHasNoRevocationListThenRefusesItsClients(Engine engine) throws InterruptedException {
		certificates().join("several.crt", "other-ca.crt", "ca.crt");
		try (TestServer server = start(engine,
				with(pem("p256"), "client-auth=need", "ca-certificate-file=" + file("several.crt"),
						"certificate-revocation-list-file=" + file("clients.crl")))) {
			assertThat(get(server, "client", "TLSv1.3", HttpClient.Version.HTTP_1_1)).startsWith("CN=client ");
			assertThat(get(server, "other-client", "TLSv1.3", HttpClient.Version.HTTP_1_1)).isEqualTo("refused");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenHostHasBundleOfItsOwnThenRevocationCountsForItToo(Engine engine) {
		String[] bundle = with(bundle("mine", "other"),
				"spring.ssl.bundle.pem.mine.truststore.certificate=" + file("ca.crt"),
				"server.ssl.server-name-bundles[0].server-name=other.example.com",
				"server.ssl.server-name-bundles[0].bundle=mine");
		try (TestServer server = start(engine, with(with(pem("p256"), bundle), "client-auth=need",
				"ca-certificate-file=" + file("ca.crt"), "certificate-revocation-list-file=" + file("clients.crl")))) {
			for (String client : List.of("client-of-ca", "revoked-client")) {
				Handshake handshake = TlsClient.connect(server.port(), "-servername", "other.example.com", "-cert",
						file(client + ".crt"), "-key", file(client + ".key"));
				assertThat(handshake).returns("other", Handshake::subject)
					.returns(client.equals("client-of-ca"), Handshake::isServed);
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenManagementServerSharesTheBundleThenRevocationCountsForItToo(Engine engine) {
		try (TestServer server = start(engine,
				with(pem("p256"), "ca-certificate-file=" + file("ca.crt"),
						"certificate-revocation-list-file=" + file("clients.crl"), "management.server.port=0",
						"management.server.ssl.bundle=server-ssl", "management.server.ssl.client-auth=need"))) {
			int port = Integer.parseInt(server.property("local.management.port"));
			assertThat(TlsClient.connect(port, "-cert", file("revoked-client.crt"), "-key", file("revoked-client.key"))
				.output()).doesNotContain("HTTP/1.1 ");
			assertThat(TlsClient.connect(port, "-cert", file("client-of-ca.crt"), "-key", file("client-of-ca.key"))
				.output()).contains("HTTP/1.1 ");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenApplicationAddsAConnectorThenRevocationIsCheckedThereToo(Engine engine) {
		try (TestServer server = start(AdditionalConnector.class, engine,
				withRevocation("additional.ca=" + file("ca.crt")))) {
			int port = server.connectors()
				.stream()
				.map(Connector::getLocalPort)
				.filter((candidate) -> candidate != server.port())
				.findFirst()
				.orElseThrow();
			for (String version : List.of("-tls1_2", "-tls1_3")) {
				assertThat(connect(port, "client-of-ca", version)).isTrue();
				assertThat(connect(port, "revoked-client", version)).isFalse();
			}
		}
	}

	@Test
	void whenAddedConnectorWouldNotCheckRevocationThenFails() {
		assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> start(AdditionalConnector.class, Engine.JSSE,
					withRevocation("additional.ca=" + file("ca.crt"), "additional.protocol=true"))
				.close())
			.havingRootCause()
			.isInstanceOf(TlsSettingException.class)
			.withMessageContaining("the connector has the protocol 'org.apache.coyote.http11.Http11NioProtocol'");
	}

	private String[] withRevocation(String... properties) {
		String[] all = with(pem("p256"), "client-auth=need", "ca-certificate-file=" + file("ca.crt"),
				"certificate-revocation-list-file=" + file("clients.crl"));
		for (String property : properties) {
			all = with(all, "server." + property);
		}
		return all;
	}

	private boolean connect(int port, String client, String version) {
		return TlsClient.connect(port, version, "-cert", file(client + ".crt"), "-key", file(client + ".key"))
			.output()
			.contains("HTTP/1.1 ");
	}

	@Test
	void whenNothingWouldCheckRevocationThenFails() {
		assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> start(Engine.JSSE,
					with(pem("p256"), "client-auth=need", "ca-certificate-file=" + file("ca.crt"),
							"certificate-revocation-list-file=" + file("clients.crl"),
							"spring.autoconfigure.exclude=" + TomcatOpenSslAutoConfiguration.class.getName())))
			.havingRootCause()
			.isInstanceOf(InvalidConfigurationPropertyValueException.class)
			.withMessageContaining("server.ssl.certificate-revocation-list-file")
			.withMessageContaining("'TomcatOpenSslAutoConfiguration'");
	}

	@ParameterizedTest
	@EnumSource
	void whenSpringSecurityReadsTheCertificateThenClientIsAuthenticated(Engine engine) throws InterruptedException {
		try (TestServer server = start(X509Security.class, engine,
				with(pem("p256"), "client-auth=want", "ca-certificate-file=" + file("ca.crt")))) {
			for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
				assertThat(get(server, "client-of-ca", protocol, HttpClient.Version.HTTP_1_1, "/user"))
					.startsWith("client-of-ca ");
				assertThat(get(server, null, protocol, HttpClient.Version.HTTP_1_1, "/user")).doesNotContain("client");
			}
		}
	}

	private String get(TestServer server, @Nullable String name, String protocol, HttpClient.Version version)
			throws InterruptedException {
		return get(server, name, protocol, version, "/client");
	}

	private String get(TestServer server, @Nullable String name, String protocol, HttpClient.Version version,
			String path) throws InterruptedException {
		SSLParameters parameters = new SSLParameters();
		parameters.setProtocols(new String[] { protocol });
		HttpClient client = HttpClient.newBuilder()
			.version(version)
			.sslContext(InsistentKeyManager.context(name, "p256.crt"))
			.sslParameters(parameters)
			.connectTimeout(Duration.ofSeconds(30))
			.build();
		try {
			HttpResponse<String> response = client
				.send(HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + path))
					.timeout(Duration.ofSeconds(30))
					.build(), BodyHandlers.ofString());
			assertThat(response.sslSession().orElseThrow().getProtocol()).isEqualTo(protocol);
			return response.body() + " " + response.version();
		}
		catch (IOException ex) {
			return "refused";
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class AdditionalConnector {

		@Bean
		WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> additionalConnectorCustomizer(
				Environment environment) {
			String ca = environment.getRequiredProperty("server.additional.ca");
			AbstractHttp11Protocol<?> protocol = environment.containsProperty("server.additional.protocol")
					? new Http11NioProtocol() : new TlsHttp11NioProtocol();
			return (factory) -> ((TomcatWebServerFactory) factory).addAdditionalConnectors(connector(protocol, ca));
		}

		private static Connector connector(AbstractHttp11Protocol<?> protocol, String ca) {
			return TestServer.connector(protocol, (host) -> {
				host.setCertificateVerification("required");
				host.setTrustStore(
						new PemSslStoreBundle(null, PemSslStoreDetails.forCertificate("file:" + ca)).getTrustStore());
			});
		}

	}

	/**
	 * Verifies clients without a CA.
	 */
	@Configuration(proxyBeanMethods = false)
	static class OwnTrustManager {

		@Bean
		SslBundleRegistrar ownBundle() {
			return (registry) -> registry.registerBundle("own", bundle("CN=client"));
		}

		static SslBundle bundle(String accepted) {
			TestCertificates certificates = TestCertificates.get();
			PemSslStoreBundle stores = new PemSslStoreBundle(
					PemSslStoreDetails.forCertificate(certificates.read("p256.crt"))
						.withPrivateKey(certificates.read("p256.key")),
					null);
			return SslBundle.of(stores, SslBundleKey.NONE, SslOptions.NONE, SslBundle.DEFAULT_PROTOCOL,
					SslManagerBundle.from(new NamedTrustManager(accepted)));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ ServletX509Security.class, ReactiveX509Security.class })
	static class X509Security {

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = Type.SERVLET)
	@EnableWebSecurity
	@RestController
	static class ServletX509Security {

		@Bean
		SecurityFilterChain securityFilterChain(HttpSecurity http) throws Exception {
			return http.x509(Customizer.withDefaults())
				.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.build();
		}

		@Bean
		UserDetailsService userDetailsService() {
			return (name) -> User.withUsername(name).password("").roles("CLIENT").build();
		}

		@GetMapping("/user")
		String user(Principal principal) {
			return principal.getName();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = Type.REACTIVE)
	@EnableWebFluxSecurity
	@RestController
	static class ReactiveX509Security {

		@Bean
		SecurityWebFilterChain securityWebFilterChain(ServerHttpSecurity http) {
			return http.x509(Customizer.withDefaults())
				.authorizeExchange((exchanges) -> exchanges.anyExchange().authenticated())
				.build();
		}

		@Bean
		ReactiveUserDetailsService userDetailsService() {
			return (name) -> Mono.just(User.withUsername(name).password("").roles("CLIENT").build());
		}

		@GetMapping("/user")
		Mono<String> user(Principal principal) {
			return Mono.just(principal.getName());
		}

	}

	private record NamedTrustManager(String accepted) implements ClientVerifier {

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
			if (!chain[0].getSubjectX500Principal().getName().equals(this.accepted)) {
				throw new CertificateException("not accepted");
			}
		}

	}

}
