// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.internal.host.ClientMaterial;
import io.github.tomcatopenssl.internal.host.PolicySettings;
import io.github.tomcatopenssl.internal.host.RevocationChecks;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import io.github.tomcatopenssl.test.CapturedLog;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.tls.Outcome;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * Tests of how handshakes continue, and of the settings of {@link TlsHttp11NioProtocol}
 * and its endpoint.
 */
@Tag("jdk")
@Tag("servers")
class TlsNioEndpointTests {

	private final TestCertificates certificates = TestCertificates.get();

	@RegisterExtension
	private final CapturedLog log = new CapturedLog();

	@ParameterizedTest
	@EnumSource
	void whenHostIsServedThenLogNamesItsCertificateAndWhereItComesFrom(Engine engine) throws Exception {
		String end = this.certificates.certificate("p256.crt").getNotAfter().toInstant().toString();
		TlsSettings settings = new TlsSettings(List.of(), PolicySettings.NONE, RevocationChecks.NONE,
				(host) -> ClientMaterial.NONE, null, null, null, null, null, false, TlsAlpnChallenges.NONE,
				(certificate) -> "number 1 in 'tls.crt' of 'property'");
		try (ConnectorServer server = new ConnectorServer(engine).start(settings)) {
			assertThat(this.log.records()).filteredOn((logged) -> logged.getMessage().contains("virtual host"))
				.singleElement()
				.satisfies((logged) -> assertThat(logged.getMessage()).isEqualTo(
						"The virtual host '_default_' of the connector '%s' serves the certificate '%s' (number 1 in 'tls.crt' of 'property'), valid until %s"
							.formatted(server.endpoint().getName(),
									this.certificates.certificate("p256.crt").getSubjectX500Principal().getName(),
									end)));
		}
		assertThat(this.log.text()).doesNotContain("location unknown");
	}

	@ParameterizedTest
	@EnumSource
	void whenHandshakeDoesNotFitIntoTheSendBufferThenItGoesOnWhenTheClientHasRead(Engine engine) throws Exception {
		SSLHostConfig host = ConnectorServer.verifying(ConnectorServer.host("p256"), "optional", manyAuthorities());
		host.setProtocols("TLSv1.3");
		try (ConnectorServer server = new ConnectorServer(engine).property("socket.txBufSize", "4096")
			.start(ConnectorServer.settings(), host); Socket connection = new Socket()) {
			connection.setReceiveBufferSize(4096);
			connection.connect(new InetSocketAddress("localhost", server.port()));
			try (SSLSocket client = new JavaClient("p256.crt").connect(connection)) {
				assertThat(JavaClient.get(client, "/hello")).endsWith("hello");
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenAttributesAreReadByJmxThenAllHaveAValue(Engine engine) throws Exception {
		MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
		try (ConnectorServer server = new ConnectorServer(engine).start()) {
			String name = server.endpoint().getName();
			ObjectName endpoint = new ObjectName("Tomcat:type=ThreadPool,name=\"%s\"".formatted(name));
			for (MBeanAttributeInfo attribute : beans.getMBeanInfo(endpoint).getAttributes()) {
				assertThatCode(() -> beans.getAttribute(endpoint, attribute.getName())).as(attribute.getName())
					.doesNotThrowAnyException();
			}
			assertThat(beans.getAttribute(endpoint, "useSendfile")).isEqualTo(false);
			beans.invoke(endpoint, "reloadSslHostConfigs", null, null);
		}
	}

	@ParameterizedTest
	@CsvSource({ "OPENSSL, true, AES128", "OPENSSL, false, AES256", "JSSE, true, AES128", "JSSE, false, AES256" })
	void whenServerHasAnOrderOfCipherSuitesThenItCountsIfItIsSet(Engine engine, boolean servers, String expected) {
		SSLHostConfig host = ConnectorServer.host("p256");
		host.setProtocols("TLSv1.2");
		host.setCiphers("ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384");
		host.setHonorCipherOrder(servers);
		try (ConnectorServer server = new ConnectorServer(engine).start(ConnectorServer.settings(), host)) {
			assertThat(TlsClient
				.connect(server.port(), "-tls1_2", "-cipher",
						"ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256")
				.output()).contains("Cipher is ECDHE-ECDSA-" + expected);
		}
	}

	@Test
	void whenHandshakesAreAbortedThenTheyKeepNoDirectBuffers() throws Exception {
		try (ConnectorServer server = new ConnectorServer(Engine.OPENSSL).start()) {
			abortHandshakes(server, 50);
			long before = directBuffers();
			abortHandshakes(server, 500);
			Awaitility.await().untilAsserted(() -> assertThat(directBuffers() - before).isLessThan(50));
		}
	}

	// Tomcat itself leaves one of some thousand open for good
	@ParameterizedTest
	@EnumSource
	void whenHttp2ConnectionHasFailedThenItIsClosed(Engine engine) throws Exception {
		try (ConnectorServer server = new ConnectorServer(engine).http2().start();
				RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.H2)) {
			client.completeHandshake();
			client.send(client.request());
			assertThat(client.answers(1).answers()).isOne();
			assertThat(server.endpoint().getConnections()).singleElement()
				.satisfies((connection) -> connection.setError(new IOException("It has failed")));
			assertThat(client.outcome()).matches(Outcome::isClosed, "is closed");
			Awaitility.await().until(() -> server.endpoint().getConnections().isEmpty());
		}
	}

	// Tomcat itself leaves the asynchronous requests of a connection that it closes
	@ParameterizedTest
	@EnumSource
	void whenHttp2ConnectionHasFailedThenItsAsynchronousRequestsEnd(Engine engine) throws Exception {
		AtomicInteger open = new AtomicInteger();
		try (ConnectorServer server = new ConnectorServer(engine).http2()
			.answer("/silent", (request, response) -> answerNever(request, open))
			.start()) {
			HttpClient client = HttpClient.newBuilder().sslContext(this.certificates.trusting("p256.crt")).build();
			client.sendAsync(
					HttpRequest.newBuilder(URI.create("https://localhost:%d/silent".formatted(server.port()))).build(),
					BodyHandlers.discarding());
			Awaitility.await().until(() -> open.get() == 1);
			server.endpoint().getConnections().iterator().next().setError(new IOException("It has failed"));
			Awaitility.await().until(() -> open.get() == 0);
		}
	}

	private static void answerNever(HttpServletRequest request, AtomicInteger open) {
		AsyncContext context = request.startAsync();
		context.setTimeout(0);
		context.addListener(new AsyncListener() {

			@Override
			public void onError(AsyncEvent event) {
				open.decrementAndGet();
			}

			@Override
			public void onComplete(AsyncEvent event) {
			}

			@Override
			public void onTimeout(AsyncEvent event) {
			}

			@Override
			public void onStartAsync(AsyncEvent event) {
			}

		});
		open.incrementAndGet();
	}

	private void abortHandshakes(ConnectorServer server, int count) throws Exception {
		for (int i = 0; i < count; i++) {
			try (Socket connection = new Socket("localhost", server.port())) {
				SSLEngine client = this.certificates.trusting("p256.crt").createSSLEngine("localhost", server.port());
				client.setUseClientMode(true);
				ByteBuffer hello = ByteBuffer.allocate(client.getSession().getPacketBufferSize());
				client.wrap(ByteBuffer.allocate(0), hello);
				send(connection, hello);
				assertThat(connection.getInputStream().read()).isPositive();
			}
		}
	}

	private static long directBuffers() {
		return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)
			.stream()
			.filter((pool) -> pool.getName().equals("direct"))
			.mapToLong(BufferPoolMXBean::getCount)
			.sum();
	}

	// Their names, which the server sends, are longer than what OpenSSL and Tomcat buffer
	private String[] manyAuthorities() {
		String name = "x".repeat(60);
		String[] files = IntStream.range(0, 100)
			.mapToObj((i) -> "authority-%d.crt".formatted(i))
			.toArray(String[]::new);
		for (String file : files) {
			this.certificates.openssl("req", "-x509", "-key", "ca.key", "-days", "30", "-subj",
					"/CN=%s/O=%s/OU=%s/OU=%s".formatted(file, name, name, name), "-out", file);
		}
		return files;
	}

	private static void send(Socket connection, ByteBuffer out) throws IOException {
		connection.getOutputStream().write(out.array(), 0, out.position());
		out.clear();
	}

}
