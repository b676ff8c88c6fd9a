// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

import com.sun.management.UnixOperatingSystemMXBean;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslAutoConfiguration;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.CrowdedApplication;
import io.github.tomcatopenssl.test.DevToolsApplication;
import io.github.tomcatopenssl.test.ForkedApplication;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.RenegotiatingApplication;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.tomcat.jni.AprStatus;
import org.apache.tomcat.util.net.jsse.JSSEImplementation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.ApplicationContextException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of starting and closing servers in one JVM. A failure of the kind that they guard
 * against ends the JVM of the tests.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("servers")
class LifecycleTests {

	private TestCertificates certificates;

	private JavaClient client;

	@BeforeEach
	void getCertificates() {
		this.certificates = TestCertificates.get();
		this.client = new JavaClient("p256.crt", "p384.crt");
	}

	@Test
	void whenStartedAndClosedFiftyTimesThenServesEachTime(CapturedOutput output) throws Exception {
		for (int i = 0; i < 50; i++) {
			try (TestServer server = start(Engine.OPENSSL)) {
				assertThat(get(server, "/hello")).endsWith("hello");
				assertThat(AprStatus.isAprAvailable()).isTrue();
			}
			assertThat(AprStatus.isAprAvailable()).isTrue();
		}
		assertThat(output.getAll().lines().filter((line) -> line.contains("OpenSSL is active on port"))).hasSize(50);
		assertThat(output).doesNotContain(" ERROR ", " WARN ");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenTwoServersAreClosedInEitherOrderThenTheOtherGoesOn(boolean firstFirst) throws Exception {
		TestServer first = start(Engine.OPENSSL);
		TestServer second = start(Engine.OPENSSL);
		TestServer closedFirst = firstFirst ? first : second;
		TestServer closedLast = firstFirst ? second : first;
		try (SSLSocket established = connect(closedLast)) {
			assertThat(getAndKeep(established)).contains("hello");
			closedFirst.close();
			System.gc();
			assertThat(JavaClient.get(established, "/hello")).endsWith("hello");
			for (int i = 0; i < 20; i++) {
				assertThat(get(closedLast, "/hello")).endsWith("hello");
			}
		}
		finally {
			closedLast.close();
		}
		assertThat(AprStatus.isAprAvailable()).isTrue();
	}

	@Test
	void whenOneServerUsesOpenSslThenAnotherThatDoesNotWantItUsesJsse(CapturedOutput output) throws Exception {
		TestServer openSsl = start(Engine.OPENSSL);
		try (TestServer jsse = start(Engine.JSSE)) {
			assertThat(output).contains(Engine.OPENSSL.logLine().formatted(openSsl.port()),
					Engine.JSSE.logLine().formatted(jsse.port()));
			openSsl.close();
			assertThat(get(jsse, "/hello")).endsWith("hello");
		}
	}

	@Test
	void whenServerWithoutTheListenerUsesOpenSslThenItOutlivesTheOthers() throws Exception {
		TestServer first = start(Engine.OPENSSL);
		List<String> properties = properties(
				"spring.autoconfigure.exclude=" + TomcatOpenSslAutoConfiguration.class.getName());
		try (TestServer foreign = TestServer.start(WebApplicationType.SERVLET, Object.class, properties)) {
			assertThat(foreign.connectors()).singleElement()
				.satisfies((connector) -> assertThat(TlsConnectors.protocol(connector).getSslImplementationName())
					.endsWith(".openssl.OpenSSLImplementation"));
			first.close();
			System.gc();
			for (int i = 0; i < 20; i++) {
				assertThat(get(foreign, "/hello")).endsWith("hello");
			}
		}
	}

	@Test
	void whenConnectorHasAnotherEngineAndOpenSslIsRequiredThenFails() {
		assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> TestServer.start(WebApplicationType.SERVLET, JsseConnector.class, withEngine()))
			.havingRootCause()
			.isInstanceOf(TlsSettingException.class)
			.withMessageContaining("has the TLS engine 'org.apache.tomcat.util.net.jsse.JSSEImplementation'");
	}

	@Test
	void whenContextIsStoppedAndStartedAgainThenServes() throws Exception {
		try (TestServer server = start(Engine.OPENSSL)) {
			server.restart();
			assertThat(get(server, "/hello")).endsWith("hello");
		}
	}

	@Test
	void whenStartFailsThenTheNextSucceeds() throws Exception {
		try (TestServer server = start(Engine.OPENSSL)) {
			assertThatExceptionOfType(ApplicationContextException.class)
				.isThrownBy(() -> start(Engine.OPENSSL, "server.port=" + server.port()))
				.withCauseInstanceOf(PortInUseException.class);
			assertThat(get(server, "/hello")).endsWith("hello");
		}
		try (TestServer server = start(Engine.OPENSSL)) {
			assertThat(get(server, "/hello")).endsWith("hello");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "immediate", "graceful" })
	void whenClosedWithRequestsInFlightThenDoesNotCrash(String shutdown) throws Exception {
		ExecutorService clients = Executors.newFixedThreadPool(8);
		try {
			for (int round = 0; round < 3; round++) {
				TestServer server = start(Engine.OPENSSL, "server.shutdown=" + shutdown);
				CountDownLatch served = new CountDownLatch(200);
				List<Future<?>> requests = new ArrayList<>();
				for (int i = 0; i < 8; i++) {
					requests.add(clients.submit(() -> requestUntilRefused(server, served)));
				}
				assertThat(served.await(60, TimeUnit.SECONDS)).isTrue();
				server.close();
				for (Future<?> request : requests) {
					request.get(60, TimeUnit.SECONDS);
				}
			}
		}
		finally {
			clients.shutdownNow();
		}
	}

	@RepeatedTest(5)
	void whenClosedWhileARequestIsStillWritingThenDoesNotCrash() throws Exception {
		TestServer server = start(Engine.OPENSSL, "server.shutdown=immediate");
		try (SSLSocket socket = connect(server)) {
			JavaClient.send(socket, "/endless", "close");
			assertThat(socket.getInputStream().readNBytes(1_000_000)).hasSize(1_000_000);
			// Nobody reads any more: the request stays blocked in a write
			server.close();
		}
		assertThat(AprStatus.isAprAvailable()).isTrue();
		try (TestServer next = start(Engine.OPENSSL)) {
			assertThat(get(next, "/hello")).endsWith("hello");
		}
	}

	@Test
	void whenRequestOutlivesTheServerThenDoesNotCrash() throws Exception {
		TestServer server = start(Engine.OPENSSL, "server.shutdown=immediate");
		EndlessController controller = server.bean(EndlessController.class);
		try (SSLSocket socket = connect(server)) {
			JavaClient.send(socket, "/late", "close");
			assertThat(controller.started.await(30, TimeUnit.SECONDS)).isTrue();
			// Tomcat waits five seconds for its threads
			server.close();
			assertThat(AprStatus.isAprAvailable()).isTrue();
			controller.closed.countDown();
			assertThat(controller.ended.await(30, TimeUnit.SECONDS)).isTrue();
		}
	}

	@Test
	void whenDevToolsRestartsThenServesEachTime() {
		List<String> arguments = new ArrayList<>(Engine.OPENSSL.properties());
		arguments.addAll(properties());
		Commands.Result result = ForkedApplication.run(DevToolsApplication.class, List.of(),
				arguments.stream().map((argument) -> "--" + argument).toArray(String[]::new));
		assertThat(result).returns(0, Commands.Result::status);
		assertThat(result.output().lines().filter((line) -> line.contains("OpenSSL is active on port"))).hasSize(3)
			.allMatch((line) -> line.endsWith(", library " + Provided.tomcatNative()));
		assertThat(result.output()).contains("[  restartedMain]").doesNotContain(" WARN ", " ERROR ");
	}

	@Test
	void whenBundleIsReloadedManyTimesUnderLoadThenNoRequestFails() throws Exception {
		ExecutorService clients = Executors.newFixedThreadPool(4);
		try (TestServer server = start(Engine.OPENSSL,
				"spring.ssl.bundle.pem.next.keystore.certificate=" + this.certificates.file("p384.crt"),
				"spring.ssl.bundle.pem.next.keystore.private-key=" + this.certificates.file("p384.key"))) {
			SslBundles bundles = server.bean(SslBundles.class);
			List<SslBundle> alternatives = List.of(bundles.getBundle("next"), bundles.getBundle("server-ssl"));
			CountDownLatch reloaded = new CountDownLatch(1);
			List<Future<Integer>> requests = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				requests.add(clients.submit(() -> requestUntil(server, reloaded)));
			}
			reload(server, alternatives, 30);
			long descriptors = openFileDescriptors();
			reload(server, alternatives, 60);
			reloaded.countDown();
			for (Future<Integer> request : requests) {
				assertThat(request.get(60, TimeUnit.SECONDS)).isPositive();
			}
			assertThat(openFileDescriptors()).isLessThan(descriptors + 20);
		}
		finally {
			clients.shutdownNow();
		}
	}

	/**
	 * Also if the JVM allows it, as it does where JSSE has been used before the
	 * application starts.
	 */
	@ParameterizedTest
	@CsvSource({ "OPENSSL, true", "JSSE, true", "JSSE, false" })
	void whenClientAsksForRenegotiationThenItIsRefused(Engine engine, boolean byJvm) {
		List<String> options = new ArrayList<>(List.of("-Dspring.devtools.restart.enabled=false"));
		if (!byJvm) {
			options.add("-Djdk.tls.rejectClientInitiatedRenegotiation=false");
		}
		List<String> arguments = new ArrayList<>(engine.properties());
		arguments.addAll(properties(
				"spring.ssl.bundle.pem.client.truststore.certificate=" + this.certificates.file("p256.crt")));
		Commands.Result result = ForkedApplication.run(RenegotiatingApplication.class, options,
				arguments.stream().map((argument) -> "--" + argument).toArray(String[]::new));
		assertThat(result).as(result.output()).returns(0, Commands.Result::status);
		assertThat(result.output()).contains(RenegotiatingApplication.REFUSED);
	}

	@Test
	void whenThereIsLittleDirectMemoryThenManyConnectionsAreServed() {
		List<String> arguments = new ArrayList<>(Engine.OPENSSL.properties());
		arguments.addAll(properties(
				"spring.ssl.bundle.pem.client.truststore.certificate=" + this.certificates.file("p256.crt")));
		Commands.Result result = ForkedApplication.run(CrowdedApplication.class,
				List.of("-Dspring.devtools.restart.enabled=false", "-XX:MaxDirectMemorySize=3m"),
				arguments.stream().map((argument) -> "--" + argument).toArray(String[]::new));
		assertThat(result).as(result.output()).returns(0, Commands.Result::status);
		assertThat(result.output()).contains(CrowdedApplication.SERVED);
	}

	@Test
	void whenAnotherLibraryIsLoadedThenSaysSo(CapturedOutput output) throws Exception {
		Path other = Files.copy(Provided.tomcatNative(), this.certificates.file("libtcnative-2.so"),
				StandardCopyOption.REPLACE_EXISTING);
		start(Engine.OPENSSL).close();
		try (TestServer server = TestServer.start(WebApplicationType.SERVLET, Object.class,
				properties("server.ssl.openssl.library-path=" + other))) {
			assertThat(get(server, "/hello")).endsWith("hello");
			assertThat(server.bean(TomcatNative.class).isAvailable()).isFalse();
			assertThat(output).contains("'" + other + "': this JVM has already loaded '", "Restart the JVM");
		}
	}

	private static void reload(TestServer server, List<SslBundle> alternatives, int times) {
		for (int i = 0; i < times; i++) {
			server.bundles().updateBundle("server-ssl", alternatives.get(i % 2));
		}
	}

	private static long openFileDescriptors() {
		return ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getOpenFileDescriptorCount();
	}

	private void requestUntilRefused(TestServer server, CountDownLatch served) {
		try {
			int port = server.port();
			while (this.client.get(port, "/hello").endsWith("hello")) {
				served.countDown();
			}
		}
		catch (IOException ex) {
			// The server was closed
		}
	}

	private int requestUntil(TestServer server, CountDownLatch end) throws IOException {
		int count = 0;
		while (end.getCount() > 0) {
			assertThat(get(server, "/hello")).endsWith("hello");
			count++;
		}
		return count;
	}

	private List<String> withEngine() {
		List<String> properties = new ArrayList<>(properties());
		properties.addAll(Engine.OPENSSL.properties());
		return properties;
	}

	private TestServer start(Engine engine, String... more) {
		List<String> properties = new ArrayList<>(properties(more));
		properties.addAll(engine.properties());
		return TestServer.start(WebApplicationType.SERVLET, EndlessController.class, properties);
	}

	private List<String> properties(String... more) {
		List<String> properties = new ArrayList<>(
				List.of("server.ssl.certificate-file=" + this.certificates.file("p256.crt"),
						"server.ssl.certificate-key-file=" + this.certificates.file("p256.key")));
		properties.addAll(List.of(more));
		return properties;
	}

	private String get(TestServer server, String path) throws IOException {
		return this.client.get(server.port(), path);
	}

	private SSLSocket connect(TestServer server) throws IOException {
		return this.client.connect(server.port());
	}

	private static String getAndKeep(SSLSocket socket) throws IOException {
		JavaClient.send(socket, "/hello", "keep-alive");
		return firstPart(socket.getInputStream());
	}

	private static String firstPart(InputStream in) throws IOException {
		byte[] buffer = new byte[4096];
		int length = 0;
		while (!new String(buffer, 0, length, StandardCharsets.US_ASCII).endsWith("hello")) {
			int read = in.read(buffer, length, buffer.length - length);
			if (read == -1) {
				throw new SSLException("closed");
			}
			length += read;
		}
		return new String(buffer, 0, length, StandardCharsets.US_ASCII);
	}

	@Configuration(proxyBeanMethods = false)
	static class JsseConnector {

		@Bean
		WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> jsseCustomizer() {
			return (factory) -> factory.addConnectorCustomizers((connector) -> TlsConnectors.protocol(connector)
				.setSslImplementationName(JSSEImplementation.class.getName()));
		}

	}

	@RestController
	static class EndlessController {

		private final CountDownLatch started = new CountDownLatch(1);

		private final CountDownLatch closed = new CountDownLatch(1);

		private final CountDownLatch ended = new CountDownLatch(1);

		@GetMapping("/late")
		void late(HttpServletResponse response) throws IOException {
			this.started.countDown();
			try {
				awaitUninterruptibly(this.closed);
				response.getOutputStream().write(new byte[1_000_000]);
			}
			finally {
				this.ended.countDown();
			}
		}

		// Tomcat interrupts its threads when it stops
		private static void awaitUninterruptibly(CountDownLatch latch) {
			while (latch.getCount() > 0) {
				try {
					latch.await();
				}
				catch (InterruptedException ex) {
					// Goes on waiting
				}
			}
		}

		@GetMapping("/endless")
		void endless(HttpServletResponse response) throws IOException {
			byte[] block = new byte[16384];
			while (true) {
				response.getOutputStream().write(block);
			}
		}

	}

}
