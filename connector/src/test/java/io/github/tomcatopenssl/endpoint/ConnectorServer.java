// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.tomcatopenssl.ClientFingerprint;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.internal.engine.NativeMemory;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import io.github.tomcatopenssl.internal.host.ClientMaterial;
import io.github.tomcatopenssl.internal.host.PolicySettings;
import io.github.tomcatopenssl.internal.host.RevocationChecks;
import io.github.tomcatopenssl.internal.host.ServerNameRules;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import io.github.tomcatopenssl.internal.host.TrustedProxies;
import io.github.tomcatopenssl.test.CatalinaHome;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http2.Http2Protocol;
import org.apache.tomcat.util.net.AbstractEndpoint;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A Tomcat with one connector on a free port, without Spring. It says hello at
 * {@code /hello}.
 */
public final class ConnectorServer implements AutoCloseable {

	/**
	 * Servers in this JVM.
	 */
	private static final Set<ConnectorServer> OPEN = ConcurrentHashMap.newKeySet();

	private final Engine engine;

	private final Tomcat tomcat = new Tomcat();

	private final OpenProtocol protocol = new OpenProtocol();

	private final Connector connector = new Connector(this.protocol);

	private final Context context;

	public ConnectorServer(Engine engine) {
		this.engine = engine;
		this.tomcat.setBaseDir(folder().toString());
		this.connector.setPort(0);
		this.connector.setScheme("https");
		this.connector.setSecure(true);
		this.connector.setProperty("SSLEnabled", "true");
		this.tomcat.setConnector(this.connector);
		this.context = this.tomcat.addContext("", null);
	}

	private static Path folder() {
		try {
			return Files.createTempDirectory(TestCertificates.get().folder(), "tomcat");
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Answer a path, or all others with {@code /}.
	 */
	ConnectorServer answer(String path, Answer answer) {
		HttpServlet servlet = new HttpServlet() {

			@Override
			protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
				answer.to(request, response);
			}

		};
		Tomcat.addServlet(this.context, path, servlet).setAsyncSupported(true);
		this.context.addServletMapping(path, path);
		return this;
	}

	ConnectorServer property(String name, String value) {
		assertThat(this.connector.setProperty(name, value)).as(name).isTrue();
		return this;
	}

	ConnectorServer http2() {
		this.connector.addUpgradeProtocol(new Http2Protocol());
		return this;
	}

	ConnectorServer start() {
		return start(settings());
	}

	/**
	 * Start the server.
	 * @param settings its settings
	 * @param hosts its hosts, or one with the certificate {@code p256}
	 * @return the server
	 */
	public ConnectorServer start(TlsSettings settings, SSLHostConfig... hosts) {
		if (this.engine == Engine.OPENSSL) {
			Engine.load();
		}
		for (SSLHostConfig host : (hosts.length > 0) ? hosts : new SSLHostConfig[] { host("p256") }) {
			this.connector.addSslHostConfig(host);
		}
		if (this.context.findServletMapping("/hello") == null) {
			answer("/hello", (request, response) -> response.getWriter().write("hello"));
		}
		CatalinaHome.forget();
		OPEN.add(this);
		try {
			assertThat(TlsConnectors.unavailabilityCause(this.connector)).isNull();
			TlsConnectors.configure(this.connector, this.engine.served(), settings);
			this.tomcat.start();
			return this;
		}
		catch (LifecycleException ex) {
			throw new IllegalStateException(ex);
		}
	}

	public static SSLHostConfig host(String certificate) {
		SSLHostConfig host = new SSLHostConfig();
		SSLHostConfigCertificate served = new SSLHostConfigCertificate(host, SSLHostConfigCertificate.Type.UNDEFINED);
		served.setCertificateFile(TestCertificates.get().file(certificate + ".crt").toString());
		served.setCertificateKeyFile(TestCertificates.get().file(certificate + ".key").toString());
		host.addCertificate(served);
		return host;
	}

	/**
	 * Have a host verify its clients.
	 * @param host the host
	 * @param verification how it verifies them, in Tomcat's words
	 * @param authorities the names of the certificates of the CAs
	 * @return the host
	 */
	static SSLHostConfig verifying(SSLHostConfig host, String verification, String... authorities) {
		try {
			KeyStore trust = KeyStore.getInstance("PKCS12");
			trust.load(null, null);
			for (String authority : authorities) {
				trust.setCertificateEntry(authority, TestCertificates.get().certificate(authority));
			}
			host.setCertificateVerification(verification);
			host.setTrustStore(trust);
			return host;
		}
		catch (GeneralSecurityException | IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	public static TlsSettings settings() {
		return settings(null, null, null);
	}

	public static TlsSettings settings(@Nullable ServerNameRules serverNames, @Nullable TrustedProxies proxies,
			@Nullable Duration handshakeTimeout) {
		return settings(serverNames, proxies, handshakeTimeout, TlsAlpnChallenges.NONE);
	}

	public static TlsSettings settings(@Nullable ServerNameRules serverNames, @Nullable TrustedProxies proxies,
			@Nullable Duration handshakeTimeout, TlsAlpnChallenges challenges) {
		return new TlsSettings(List.of(), PolicySettings.NONE, RevocationChecks.NONE, (host) -> ClientMaterial.NONE,
				null, serverNames, proxies, null, handshakeTimeout, false, challenges, (certificate) -> null);
	}

	public static TlsSettings fingerprinting() {
		return new TlsSettings(List.of(), PolicySettings.NONE, RevocationChecks.NONE, (host) -> ClientMaterial.NONE,
				null, null, null, null, null, ClientFingerprint.JA4, false, TlsAlpnChallenges.NONE,
				new CertificateHosts(), (certificate) -> null, SettingName::toString);
	}

	public int port() {
		return this.connector.getLocalPort();
	}

	public Connector connector() {
		return this.connector;
	}

	Tomcat tomcat() {
		return this.tomcat;
	}

	TlsHttp11NioProtocol protocol() {
		return this.protocol;
	}

	AbstractEndpoint<NioChannel, ?> endpoint() {
		return this.protocol.getEndpoint();
	}

	HandshakeCounters handshakes() {
		return this.protocol.handshakeCounters();
	}

	/**
	 * Return how many handshakes have failed for each reason, if any has.
	 */
	public Map<String, Long> failedHandshakes() {
		Map<String, Long> failed = new HashMap<>();
		handshakes().readFailed((reason, count) -> failed.put(reason, count.sum()));
		failed.values().removeIf((count) -> count == 0);
		return failed;
	}

	Handshake connectAs(String name, String version, String... more) {
		TestCertificates certificates = TestCertificates.get();
		List<String> arguments = new ArrayList<>(List.of(version, "-cert", certificates.file(name + ".crt").toString(),
				"-key", certificates.file(name + ".key").toString()));
		arguments.addAll(List.of(more));
		return TlsClient.connect(port(), arguments.toArray(String[]::new));
	}

	/**
	 * Stop the server. It and its connections give back what they have taken.
	 */
	@Override
	public void close() {
		try {
			this.tomcat.stop();
			this.tomcat.destroy();
		}
		catch (LifecycleException ex) {
			throw new IllegalStateException(ex);
		}
		OPEN.remove(this);
		if (OPEN.isEmpty()) {
			Awaitility.await()
				.atMost(Duration.ofSeconds(40))
				.untilAsserted(() -> assertThat(NativeMemory.sessions() + NativeMemory.contexts())
					.as("sessions and contexts in native memory")
					.isZero());
		}
	}

	/**
	 * Answers a request.
	 */
	interface Answer {

		void to(HttpServletRequest request, HttpServletResponse response) throws IOException;

	}

	/**
	 * Lets tests see the endpoint.
	 */
	private static final class OpenProtocol extends TlsHttp11NioProtocol {

		@Override
		protected AbstractEndpoint<NioChannel, ?> getEndpoint() {
			return super.getEndpoint();
		}

	}

}
