// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;

import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

import io.github.tomcatopenssl.endpoint.ConnectorServer;
import io.github.tomcatopenssl.endpoint.TlsConnectors;
import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.internal.engine.TlsEngine;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.ServerNameRules;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import io.github.tomcatopenssl.internal.host.TrustedProxies;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.apache.tomcat.util.net.jsse.JSSEImplementation;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests of {@link TlsConnectors} with each {@link TlsEngine} in an embedded Tomcat,
 * without Spring.
 */
@Tag("jdk")
@Tag("servers")
class ConnectorTests {

	private static final String PASSWORD = "changeit";

	private static final int HANDSHAKE = 22;

	private static final byte[] CLOSE_NOTIFY = { 21, 3, 3, 0, 2, 1, 0 };

	@TempDir
	private static Path folder;

	@BeforeAll
	static void makeKeyStore() throws Exception {
		makeKeyStore("localhost", keyStore());
		makeKeyStore("challenge.test", folder.resolve("challenge.p12"));
	}

	private static void makeKeyStore(String name, Path file) throws Exception {
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", "server", "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=" + name,
				"-ext", "SAN=DNS:" + name, "-validity", "2", "-storetype", "PKCS12", "-storepass", PASSWORD,
				"-keystore", file.toString())
			.inheritIO()
			.start();
		assertThat(keytool.waitFor()).isZero();
	}

	private static KeyStore load(Path file) throws Exception {
		KeyStore keyStore = KeyStore.getInstance("PKCS12");
		try (InputStream in = Files.newInputStream(file)) {
			keyStore.load(in, PASSWORD.toCharArray());
		}
		return keyStore;
	}

	@ParameterizedTest
	@EnumSource
	void whenEngineIsChosenThenItServes(Engine engine) throws Exception {
		try (ConnectorServer server = start(engine, ServerNameRules.of(List.of("127.0.0.1")))) {
			assertThat(TlsConnectors.engines(server.connector()))
				.containsExactly((engine == Engine.OPENSSL) ? "OpenSSL" : "JSSE");
			assertThat(get(server)).isEqualTo("hello");
			assertThat(server.connector().findSslHostConfigs()).singleElement()
				.satisfies((host) -> assertThat(host.getEnabledProtocols()).containsExactlyInAnyOrder("TLSv1.2",
						"TLSv1.3"));
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenServerNameIsUnknownThenHandshakeFails(Engine engine) throws Exception {
		try (ConnectorServer server = start(engine, ServerNameRules.of(List.of()))) {
			assertThat(get(server)).isEqualTo("hello");
			assertThatExceptionOfType(SSLHandshakeException.class)
				.isThrownBy(() -> get(server, URI.create("https://127.0.0.1:%d/hello".formatted(server.port()))));
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenChallengeIsOpenThenOnlyItsProtocolAndNameGetItsCertificate(Engine engine) throws Exception {
		KeyStore keyStore = load(folder.resolve("challenge.p12"));
		HostKey challenge = new HostKey((PrivateKey) keyStore.getKey("server", PASSWORD.toCharArray()),
				List.of((X509Certificate) keyStore.getCertificate("server")));
		try (ConnectorServer server = start(engine, ServerNameRules.of(List.of()),
				(name) -> name.equals("challenge.test") ? challenge : null, keyStore())) {
			try (SSLSocket socket = connect(server, "challenge.test", "acme-tls/1")) {
				assertThat(socket.getApplicationProtocol()).isEqualTo("acme-tls/1");
				assertThat(socket.getSession().getPeerCertificates()).containsExactly(challenge.leaf());
				socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: challenge.test\r\n\r\n".getBytes());
				assertThat(answer(socket)).isEmpty();
			}
			assertThatExceptionOfType(SSLHandshakeException.class)
				.isThrownBy(() -> connect(server, "localhost", "acme-tls/1"))
				.withMessageContaining("no_application_protocol");
			assertThatExceptionOfType(SSLHandshakeException.class)
				.isThrownBy(() -> connect(server, "challenge.test", "acme-tls/1", "http/1.1"))
				.withMessageContaining("unrecognized_name");
			try (SSLSocket socket = connect(server, "localhost", "acme-tls/1", "http/1.1")) {
				assertThat(socket.getApplicationProtocol()).isNotEqualTo("acme-tls/1");
				assertThat(socket.getSession().getPeerCertificates())
					.containsExactly(load(keyStore()).getCertificate("server"));
			}
			assertThat(get(server)).isEqualTo("hello");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientSaysCloseNotifyDuringHandshakeThenConnectionEndsBeforeItsTimeout(Engine engine) throws Exception {
		try (ConnectorServer server = start(engine, ServerNameRules.of(List.of("127.0.0.1")));
				Socket socket = new Socket("127.0.0.1", server.port())) {
			SSLEngine client = SSLContext.getDefault().createSSLEngine();
			client.setUseClientMode(true);
			ByteBuffer hello = ByteBuffer.allocate(client.getSession().getPacketBufferSize());
			client.wrap(ByteBuffer.allocate(0), hello);
			socket.getOutputStream().write(hello.array(), 0, hello.position());
			assertThat(socket.getInputStream().read()).isEqualTo(HANDSHAKE);
			socket.getOutputStream().write(CLOSE_NOTIFY);
			socket.getInputStream().readAllBytes();
			Awaitility.await()
				.untilAsserted(() -> assertThat(server.failedHandshakes()).hasSize(1)
					.doesNotContainKey("timeout")
					.containsValue(1L));
		}
	}

	// As curl with '--http1.0'
	@ParameterizedTest
	@EnumSource
	void whenClientOffersHttp10AloneThenIsServed(Engine engine) throws Exception {
		try (ConnectorServer server = start(engine, ServerNameRules.of(List.of()))) {
			try (SSLSocket socket = connect(server, "localhost", "http/1.0")) {
				assertThat(socket.getApplicationProtocol()).isEmpty();
				socket.getOutputStream().write("GET /hello HTTP/1.0\r\n\r\n".getBytes());
				assertThat(answer(socket)).contains(" 200 ").endsWith("hello");
			}
			for (String[] others : new String[][] { { "http/0.9" }, { "http/0.9", "HTTP/1.0" } }) {
				assertThatExceptionOfType(SSLHandshakeException.class)
					.isThrownBy(() -> connect(server, "localhost", others))
					.withMessageContaining("no_application_protocol");
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenVirtualHostIsAddedTwiceThenTheFirstStays(Engine engine) throws Exception {
		try (ConnectorServer server = start(engine, ServerNameRules.of(List.of()))) {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> server.connector().addSslHostConfig(host(folder.resolve("challenge.p12"))))
				.withMessage("There is already a virtual host '_default_'");
			assertThat(get(server)).isEqualTo("hello");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenReloadIsRefusedThenTheNextOneReadsTheFileOnceTheSettingIsCorrected(Engine engine) throws Exception {
		Path file = folder.resolve("replaced.p12");
		Files.copy(keyStore(), file, StandardCopyOption.REPLACE_EXISTING);
		try (ConnectorServer server = start(engine, ServerNameRules.of(List.of()), TlsAlpnChallenges.NONE, file)) {
			AbstractHttp11Protocol<?> protocol = TlsConnectors.protocol(server.connector());
			SSLHostConfig host = server.connector().findSslHostConfigs()[0];
			String ciphers = host.getCiphers();
			host.setProtocols("TLSv1.2");
			host.setCiphers("UNKNOWN");
			assertThatIllegalArgumentException().isThrownBy(protocol::reloadSslHostConfigs)
				.withCauseInstanceOf(TlsSettingException.class);
			Files.delete(file);
			makeKeyStore("localhost", file);
			assertThatIllegalArgumentException().isThrownBy(protocol::reloadSslHostConfigs);
			assertThat(get(server)).isEqualTo("hello");
			host.setProtocols("TLSv1.2+TLSv1.3");
			host.setCiphers(ciphers);
			protocol.reloadSslHostConfigs();
			try (SSLSocket socket = connect(server, "localhost")) {
				assertThat(socket.getSession().getProtocol()).isEqualTo("TLSv1.3");
				assertThat(socket.getSession().getPeerCertificates())
					.containsExactly(load(file).getCertificate("server"));
			}
		}
	}

	private static ConnectorServer start(Engine engine, ServerNameRules serverNames) {
		return start(engine, serverNames, TlsAlpnChallenges.NONE, keyStore());
	}

	private static ConnectorServer start(Engine engine, ServerNameRules serverNames, TlsAlpnChallenges challenges,
			Path keyStore) {
		return new ConnectorServer(engine)
			.start(ConnectorServer.settings(serverNames, null, Duration.ofSeconds(3), challenges), host(keyStore));
	}

	// The server closes the connection, with or without unread bytes of the client
	private static String answer(SSLSocket socket) {
		try {
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
		}
		catch (IOException ex) {
			return "";
		}
	}

	private static SSLSocket connect(ConnectorServer server, String serverName, String... protocols) throws Exception {
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(null, new TrustManager[] { new AnyTrustManager() }, null);
		SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("localhost", server.port());
		SSLParameters parameters = socket.getSSLParameters();
		parameters.setServerNames(List.of(new SNIHostName(serverName)));
		parameters.setApplicationProtocols(protocols);
		socket.setSSLParameters(parameters);
		socket.setSoTimeout(10_000);
		socket.startHandshake();
		return socket;
	}

	@Test
	void whenProtocolIsNotOursThenNothingIsDroppedInSilence() {
		Connector connector = new Connector();
		TlsSettings settings = ConnectorServer.settings(null, null, Duration.ofSeconds(3));
		assertThat(TlsConnectors.unavailabilityCause(connector)).isNotNull()
			.satisfies((cause) -> assertThat(cause.getReason(SettingName::toString))
				.contains("does not withstand hostile clients"));
		assertThat(TlsConnectors.dropped(connector, settings)).isEqualTo(SettingName.HANDSHAKE_TIMEOUT);
		assertThat(TlsConnectors.dropped(connector, ConnectorServer.settings(null, null, null, (name) -> null)))
			.isEqualTo(SettingName.ACME);
		assertThat(TlsConnectors.dropped(connector,
				ConnectorServer.settings(null, TrustedProxies.of(List.of("10.0.0.0/8")), null)))
			.isEqualTo(SettingName.PROXY_PROTOCOL);
		assertThat(TlsConnectors.dropped(connector, ConnectorServer.fingerprinting()))
			.isEqualTo(SettingName.CLIENT_FINGERPRINT);
	}

	@ParameterizedTest
	@ValueSource(strings = { "org.apache.coyote.http11.Http11NioProtocol",
			"io.github.tomcatopenssl.endpoint.TlsHttp11NioProtocol" })
	void whenOpenSslIsNotToServeThenAConnectorThatNamesItGetsJsse(String protocol) {
		Connector connector = new Connector(protocol);
		TlsConnectors.protocol(connector)
			.setSslImplementationName("org.apache.tomcat.util.net.openssl.OpenSSLImplementation");
		TlsConnectors.configure(connector, TlsEngine.jsse(), ConnectorServer.settings());
		assertThat(TlsConnectors.protocol(connector).getSslImplementationName())
			.isEqualTo(JSSEImplementation.class.getName());
	}

	private static SSLHostConfig host(Path keyStore) {
		SSLHostConfig host = new SSLHostConfig();
		SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(host, Type.UNDEFINED);
		certificate.setCertificateKeystoreFile(keyStore.toString());
		certificate.setCertificateKeystorePassword(PASSWORD);
		host.addCertificate(certificate);
		return host;
	}

	private static Path keyStore() {
		return folder.resolve("server.p12");
	}

	private static String get(ConnectorServer server) throws Exception {
		return get(server, URI.create("https://localhost:%d/hello".formatted(server.port())));
	}

	private static String get(ConnectorServer server, URI uri) throws Exception {
		KeyStore trusted = load(keyStore());
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
	 * Trusts whatever it is shown.
	 */
	private static final class AnyTrustManager extends X509ExtendedTrustManager {

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String type) {
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String type) {
		}

		@Override
		public X509Certificate[] getAcceptedIssuers() {
			return new X509Certificate[0];
		}

	}

}
