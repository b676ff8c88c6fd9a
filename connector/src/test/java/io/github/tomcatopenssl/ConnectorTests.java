// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;

import io.github.tomcatopenssl.library.TomcatNativeLoader;
import io.github.tomcatopenssl.tomcat.RevocationChecks;
import io.github.tomcatopenssl.tomcat.TlsConnectors;
import io.github.tomcatopenssl.tomcat.TlsHttp11NioProtocol;
import io.github.tomcatopenssl.tomcat.TlsSettings;
import io.github.tomcatopenssl.tomcat.sni.ServerNameRules;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.apache.tomcat.util.net.jsse.JSSEImplementation;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests the connector in an embedded Tomcat, without Spring.
 */
@Tag("servers")
class ConnectorTests {

	private static final Path LIBRARY = Path.of(System.getProperty("tcnative.directory"), "libtcnative-2.so");

	private static final String PASSWORD = "changeit";

	@TempDir
	private static Path folder;

	@BeforeAll
	static void makeKeyStore() throws Exception {
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", "server", "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=localhost",
				"-ext", "SAN=DNS:localhost", "-validity", "2", "-storetype", "PKCS12", "-storepass", PASSWORD,
				"-keystore", keyStore().toString())
			.inheritIO()
			.start();
		assertThat(keytool.waitFor()).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenEngineIsChosenThenItServes(boolean openSsl) throws Exception {
		Server server = new Server(openSsl, ServerNameRules.of(List.of("127.0.0.1")));
		try {
			assertThat(TlsConnectors.engines(server.connector)).containsExactly(openSsl ? "OpenSSL" : "JSSE");
			assertThat(get(server)).isEqualTo("hello");
			assertThat(server.connector.findSslHostConfigs()).singleElement()
				.satisfies((host) -> assertThat(host.getProtocols()).containsExactlyInAnyOrder("TLSv1.2", "TLSv1.3"));
		}
		finally {
			server.stop();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenServerNameIsUnknownThenHandshakeFails(boolean openSsl) throws Exception {
		Server server = new Server(openSsl, ServerNameRules.of(List.of()));
		try {
			assertThat(get(server)).isEqualTo("hello");
			assertThatExceptionOfType(SSLHandshakeException.class)
				.isThrownBy(() -> get(server, URI.create("https://127.0.0.1:" + server.connector.getLocalPort())));
		}
		finally {
			server.stop();
		}
	}

	@Test
	void whenProtocolIsNotOursThenNothingIsDroppedInSilence() {
		Connector connector = new Connector();
		TlsSettings settings = new TlsSettings(List.of(), RevocationChecks.NONE, null, null, Duration.ofSeconds(3),
				false);
		assertThat(TlsConnectors.obstacle(connector)).isNotNull()
			.satisfies((obstacle) -> assertThat(obstacle.getReason()).contains("does not withstand hostile clients"));
		assertThat(TlsConnectors.dropped(connector, settings)).isEqualTo(TlsSetting.HANDSHAKE_TIMEOUT);
	}

	@ParameterizedTest
	@ValueSource(strings = { "org.apache.coyote.http11.Http11NioProtocol",
			"io.github.tomcatopenssl.tomcat.TlsHttp11NioProtocol" })
	void whenOpenSslIsNotToServeThenAConnectorThatNamesItGetsJsse(String protocol) {
		Connector connector = new Connector(protocol);
		TlsConnectors.protocol(connector)
			.setSslImplementationName("org.apache.tomcat.util.net.openssl.OpenSSLImplementation");
		TlsConnectors.configure(connector, false,
				new TlsSettings(List.of(), RevocationChecks.NONE, null, null, null, false));
		assertThat(TlsConnectors.protocol(connector).getSslImplementationName())
			.isEqualTo(JSSEImplementation.class.getName());
	}

	@Test
	void exceptionNamesSettings() {
		TlsSettingException exception = new TlsSettingException(TlsSetting.GROUPS, "{CIPHERS} has none of them",
				"Remove {GROUPS}", null);
		assertThat(exception).hasMessage("'groups': 'ciphers' has none of them");
		assertThat(exception.getReason((setting) -> "tls." + setting)).isEqualTo("'tls.ciphers' has none of them");
		assertThat(exception.getAction((setting) -> "tls." + setting)).isEqualTo("Remove 'tls.groups'");
		assertThat(new TlsSettingException(TlsSetting.CIPHERS, "'{FOO}' is not known", "Remove it", null))
			.hasMessage("'ciphers': '{FOO}' is not known");
	}

	private static Path keyStore() {
		return folder.resolve("server.p12");
	}

	private static String get(Server server) throws Exception {
		return get(server, URI.create("https://localhost:" + server.connector.getLocalPort()));
	}

	private static String get(Server server, URI uri) throws Exception {
		KeyStore trusted = KeyStore.getInstance("PKCS12");
		try (InputStream in = Files.newInputStream(keyStore())) {
			trusted.load(in, PASSWORD.toCharArray());
		}
		KeyStore certificates = KeyStore.getInstance("PKCS12");
		certificates.load(null, null);
		certificates.setCertificateEntry("server", trusted.getCertificate("server"));
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trust.init(certificates);
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(null, trust.getTrustManagers(), null);
		HttpClient client = HttpClient.newBuilder().sslContext(context).sslParameters(new SSLParameters()).build();
		return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
	}

	/**
	 * A Tomcat with one connector.
	 */
	private static final class Server {

		private final Tomcat tomcat = new Tomcat();

		private final Connector connector = new Connector(TlsHttp11NioProtocol.class.getName());

		Server(boolean openSsl, ServerNameRules serverNames) throws Exception {
			if (openSsl) {
				setUp();
				Assumptions.assumeTrue(System.getenv("CI") != null || Files.exists(LIBRARY),
						"Tomcat Native (docker/build-tcnative.sh)");
				assertThat(
						new TomcatNativeLoader(LibrarySource.SYSTEM, LIBRARY, null, FipsMode.OFF).status().available())
					.isTrue();
			}
			this.tomcat.setBaseDir(folder.toString());
			this.connector.setPort(0);
			this.connector.setScheme("https");
			this.connector.setSecure(true);
			this.connector.setProperty("SSLEnabled", "true");
			SSLHostConfig host = new SSLHostConfig();
			SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(host, Type.UNDEFINED);
			certificate.setCertificateKeystoreFile(keyStore().toString());
			certificate.setCertificateKeystorePassword(PASSWORD);
			host.addCertificate(certificate);
			this.connector.addSslHostConfig(host);
			this.tomcat.setConnector(this.connector);
			Context context = this.tomcat.addContext("", null);
			Tomcat.addServlet(context, "hello", new HelloServlet());
			context.addServletMapping("/", "hello");
			assertThat(TlsConnectors.obstacle(this.connector)).isNull();
			TlsConnectors.configure(this.connector, openSsl,
					new TlsSettings(openSsl ? List.of(KeyExchangeGroup.SECP256R1) : List.of(), RevocationChecks.NONE,
							null, serverNames, Duration.ofSeconds(3), false));
			this.tomcat.start();
		}

		// As Maven does for all tests, unless some are named with -Dtest
		private static void setUp() throws Exception {
			if (!Files.exists(LIBRARY)) {
				System.err.println("set-up: " + LIBRARY + " is missing, src/test/sh/set-up.sh makes it, once");
				new ProcessBuilder("bash", "src/test/sh/set-up.sh", LIBRARY.getParent().toString())
					.redirectErrorStream(true)
					.redirectOutput(folder.resolve("set-up.log").toFile())
					.start()
					.waitFor();
			}
		}

		void stop() throws Exception {
			this.tomcat.stop();
			this.tomcat.destroy();
		}

	}

	/**
	 * Says hello.
	 */
	private static final class HelloServlet extends HttpServlet {

		@Override
		protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
			response.getWriter().write("hello");
		}

	}

}
