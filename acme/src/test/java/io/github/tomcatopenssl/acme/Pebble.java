// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.tomcatopenssl.internal.host.PemBlocks;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.FreePorts;
import io.github.tomcatopenssl.test.TestCertificates;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The ACME server for tests by Let's Encrypt. As it does by default, it refuses 5 % of
 * all nonces and reuses half of the authorizations. All names resolve to this machine.
 */
final class Pebble implements AutoCloseable {

	/**
	 * Where the set-up of the tests puts it.
	 */
	private static final Path DIRECTORY = Path.of("../.cache/pebble").toAbsolutePath();

	static final String KEY_ID = "kid-1";

	private static final String PEBBLE = "pebble";

	private static final String DNS = "pebble-challtestsrv";

	private final Path folder = Files.createTempDirectory(TestCertificates.get().folder(), "pebble");

	private final List<Process> processes = new ArrayList<>();

	private int port;

	private int managementPort;

	private int dnsManagementPort;

	private final HttpClient client;

	/**
	 * Start the server.
	 * @param tlsPort the port at which it verifies domains
	 */
	Pebble(int tlsPort) throws Exception {
		this(tlsPort, null, Duration.ofDays(6));
	}

	/**
	 * Start a server that asks a name server of the test.
	 * @param tlsPort the port at which it verifies domains
	 * @param dnsServer the address and the port of the name server
	 */
	Pebble(int tlsPort, String dnsServer) throws Exception {
		this(tlsPort, null, Duration.ofDays(6), dnsServer);
	}

	/**
	 * Start a server that may require an account.
	 * @param tlsPort the port at which it verifies domains
	 * @param hmacKey the key of the account, or {@code null} if none is required
	 * @param shortLived the lifetime of certificates of the profile 'shortlived'
	 */
	Pebble(int tlsPort, @Nullable String hmacKey, Duration shortLived) throws Exception {
		this(tlsPort, hmacKey, shortLived, null);
	}

	private Pebble(int tlsPort, @Nullable String hmacKey, Duration shortLived, @Nullable String dnsServer)
			throws Exception {
		boolean present = Files.exists(DIRECTORY.resolve(DNS)) || Commands.exists(PEBBLE) && Commands.exists(DNS);
		if (!present && "true".equals(System.getenv("CI"))) {
			throw new AssertionError("Pebble is missing, CI provides it");
		}
		Assumptions.assumeTrue(present, "Pebble ('pebble' and 'pebble-challtestsrv') is missing");
		TestCertificates certificates = TestCertificates.get();
		this.client = HttpClient.newBuilder().sslContext(certificates.trusting("p256.crt")).build();
		// Somebody else may take a port that was free
		for (int i = 0; !start(tlsPort, hmacKey, shortLived, dnsServer); i++) {
			close();
			assertThat(i).as(Files.readString(this.folder.resolve(PEBBLE + ".log"))).isLessThan(5);
		}
	}

	private boolean start(int tlsPort, @Nullable String hmacKey, Duration shortLived, @Nullable String dnsServer)
			throws IOException {
		this.port = FreePorts.next();
		this.managementPort = FreePorts.next();
		this.dnsManagementPort = FreePorts.next();
		String ownDnsServer = "127.0.0.1:" + FreePorts.next();
		TestCertificates certificates = TestCertificates.get();
		Path config = Files.writeString(this.folder.resolve("config.json"),
				// Pebble chooses a profile at random if the order names none
				"""
						{"pebble": {"listenAddress": "localhost:%d", "managementListenAddress": "localhost:%d",
						"certificate": "%s", "privateKey": "%s", "httpPort": 1, "tlsPort": %d,
						"externalAccountBindingRequired": %s, "externalAccountMACKeys": {%s},
						"domainBlocklist": ["blocked.example.com"], "retryAfter": {"authz": 1, "order": 1},
						"profiles": {"default": {"description": "", "validityPeriod": 7776000},
						"shortlived": {"description": "", "validityPeriod": %d}}}}
						""".formatted(this.port, this.managementPort, certificates.file("p256.crt"),
						certificates.file("p256.key"), tlsPort, hmacKey != null,
						(hmacKey != null) ? "\"%s\": \"%s\"".formatted(KEY_ID, hmacKey) : "", shortLived.toSeconds()));
		this.processes.clear();
		start(Map.of(), DNS, "-dnsserver", ownDnsServer, "-doh", "", "-http01", "", "-https01", "", "-tlsalpn01", "",
				"-defaultIPv6", "", "-management", "127.0.0.1:" + this.dnsManagementPort);
		start(Map.of("PEBBLE_VA_NOSLEEP", "1"), PEBBLE, "-config", config.toString(), "-dnsserver",
				(dnsServer != null) ? dnsServer : ownDnsServer);
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.ignoreExceptions()
			.until(() -> !this.processes.stream().allMatch(Process::isAlive) || root().contains("BEGIN"));
		return this.processes.stream().allMatch(Process::isAlive);
	}

	private void start(Map<String, String> environment, String... command) throws IOException {
		Path provided = DIRECTORY.resolve(command[0]);
		ProcessBuilder process = new ProcessBuilder(new ArrayList<>(List.of(command))).redirectErrorStream(true)
			.redirectOutput(this.folder.resolve(command[0] + ".log").toFile());
		if (Files.exists(provided)) {
			process.command().set(0, provided.toString());
		}
		process.environment().putAll(environment);
		this.processes.add(process.start());
	}

	/**
	 * Return the properties of a server that gets its certificate here.
	 * @param port the port of the server
	 * @param directory the folder of its certificates
	 * @param more other properties
	 */
	List<String> properties(int port, Path directory, String... more) {
		Map<String, String> properties = new LinkedHashMap<>();
		Stream
			.concat(Stream.of("server.port=" + port, "server.ssl.acme.directory-url=" + directoryUrl(),
					"server.ssl.acme.directory=" + directory, "server.ssl.acme.terms-of-service-agreed=true",
					"server.ssl.acme.ssl-bundle=pebble",
					"spring.ssl.bundle.pem.pebble.truststore.certificate=" + TestCertificates.get().file("p256.crt")),
					Stream.of(more))
			.map((property) -> property.split("=", 2))
			.forEach((property) -> properties.put(property[0], property[1]));
		return properties.entrySet().stream().map(Map.Entry::toString).toList();
	}

	/**
	 * Return the root that clients of the servers have to trust.
	 */
	String root() throws IOException, InterruptedException {
		return this.client.send(request("/roots/0").build(), BodyHandlers.ofString()).body();
	}

	/**
	 * Have the CA say when to renew a certificate.
	 */
	void suggestRenewal(X509Certificate certificate, Instant start, Instant end) throws Exception {
		String pem = PemBlocks.of(certificate).replace("\n", "\\n");
		String answer = "{\\\"suggestedWindow\\\": {\\\"start\\\": \\\"%s\\\", \\\"end\\\": \\\"%s\\\"}}"
			.formatted(start, end);
		var response = this.client.send(request("/set-renewal-info/")
			.POST(BodyPublishers.ofString("{\"certificate\": \"%s\", \"ariResponse\": \"%s\"}".formatted(pem, answer)))
			.build(), BodyHandlers.ofString());
		if (response.statusCode() != 200) {
			throw new IOException(response.body());
		}
	}

	String directoryUrl() {
		return "https://localhost:%d/dir".formatted(this.port);
	}

	String dnsUrl() {
		return "http://127.0.0.1:" + this.dnsManagementPort;
	}

	/**
	 * Return what publishes records in the name server that the CA asks.
	 * @param url the name server
	 */
	static DnsChallengeProvider dns(String url) {
		HttpClient client = HttpClient.newHttpClient();
		return new DnsChallengeProvider() {

			@Override
			public void publish(String name, String value) throws IOException, InterruptedException {
				post("/set-txt", "{\"host\": \"%s\", \"value\": \"%s\"}".formatted(name, value));
			}

			@Override
			public void remove(String name, String value) throws IOException {
				try {
					post("/clear-txt", "{\"host\": \"%s\"}".formatted(name));
				}
				catch (InterruptedException ex) {
					throw new IOException(ex);
				}
			}

			private void post(String path, String body) throws IOException, InterruptedException {
				client.send(HttpRequest.newBuilder(URI.create(url + path)).POST(BodyPublishers.ofString(body)).build(),
						BodyHandlers.discarding());
			}

		};
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create("https://localhost:%d%s".formatted(this.managementPort, path)));
	}

	@Override
	public void close() {
		this.processes.forEach(Process::destroyForcibly);
	}

}
