// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

import io.github.tomcatopenssl.test.FreePorts;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TlsClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.shredzone.acme4j.Session;

import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Base class for tests that obtain certificates from a real ACME server.
 */
@Tag("servers")
@ExtendWith(OutputCaptureExtension.class)
abstract class AbstractAcmeTests {

	static final Duration PATIENCE = Duration.ofSeconds(60);

	@TempDir
	Path folder;

	int port;

	Pebble pebble;

	private final List<AcmeApplication> servers = new CopyOnWriteArrayList<>();

	@BeforeEach
	void startPebble() throws Exception {
		this.port = FreePorts.next();
		this.pebble = new Pebble(this.port);
	}

	@AfterEach
	void stop() {
		this.servers.forEach(AcmeApplication::close);
		if (this.pebble != null) {
			this.pebble.close();
		}
	}

	AcmeApplication start(int port, Class<?> configuration, String... properties) {
		AcmeApplication server = AcmeApplication.start(configuration,
				this.pebble.properties(port, this.folder, properties));
		this.servers.add(server);
		return server;
	}

	// A certificate is kept for a third of its lifetime, whatever the CA suggests
	final AcmeApplication startWithCertificateForSeconds() throws Exception {
		this.pebble.close();
		this.pebble = new Pebble(this.port, null, Duration.ofSeconds(36));
		return start(this.port, ReplicaApplication.FastConfiguration.class, "server.ssl.acme.domains=localhost",
				"server.ssl.acme.profile=shortlived", "test.hour=20s",
				"spring.autoconfigure.exclude=" + AcmeAutoConfiguration.class.getName());
	}

	final Path certificateFile() throws IOException {
		try (Stream<Path> files = Files.walk(this.folder)) {
			return files.filter((any) -> any.toString().endsWith("-ec.pem")).findFirst().orElseThrow();
		}
	}

	X509Certificate awaitIssued(AcmeApplication server, int port) {
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> health(server).equals("UP") && !Placeholder.is(certificate(port)));
		try {
			assertThat(get(port, "/hello")).isEqualTo("hello");
			return certificate(port);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	static String health(AcmeApplication server) {
		return ((HealthIndicator) server.bean(AcmeHealthIndicator.class)).health().getStatus().getCode();
	}

	String get(String path) throws Exception {
		return get(this.port, path);
	}

	// A new connection each time, which trusts the CA and nothing else
	String get(int port, String path) throws Exception {
		return get(URI.create("https://localhost:%d%s".formatted(port, path)));
	}

	String get(URI uri) throws Exception {
		HttpClient client = HttpClient.newBuilder().sslContext(trust()).build();
		return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
	}

	SSLContext trust() throws Exception {
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(null, trustManagers(), null);
		return context;
	}

	final TrustManager[] trustManagers() throws Exception {
		KeyStore trusted = KeyStore.getInstance("PKCS12");
		trusted.load(null, null);
		trusted.setCertificateEntry("pebble", CertificateFactory.getInstance("X.509")
			.generateCertificate(new ByteArrayInputStream(this.pebble.root().getBytes())));
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trust.init(trusted);
		return trust.getTrustManagers();
	}

	static X509Certificate certificate(int port, String... options) throws Exception {
		String output = TlsClient.connect(port, options).output();
		return (X509Certificate) CertificateFactory.getInstance("X.509")
			.generateCertificate(new ByteArrayInputStream(output.substring(output.indexOf("-----BEGIN")).getBytes()));
	}

	final Session session() throws IOException {
		SslBundle trust = SslBundle.of(new PemSslStoreBundle(null,
				PemSslStoreDetails.forCertificate("file:" + TestCertificates.get().file("p256.crt"))));
		return new CaSessions(URI.create(this.pebble.directoryUrl()), () -> trust, new CaClock(Clock.systemUTC()))
			.get();
	}

}
