// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.endpoint.TlsConnectors;
import io.github.tomcatopenssl.endpoint.TlsHttp11NioProtocol;
import io.github.tomcatopenssl.internal.store.SharedStore;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.FreePorts;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * How a server shows that a property holds: by what a client sees.
 *
 * @param property the property with its value
 * @param others what else has to be set, mostly the certificate
 * @param check asserts that it holds
 */
record PropertyProof(String property, List<String> others, Check check) {

	static PropertyProof of(ServerSslProperty property) throws IOException {
		TestCertificates certificates = TestCertificates.get();
		String p256 = "certificate-file=" + certificates.join("p256-with-key.crt", "p256.crt", "p256.key");
		List<String> clients = List.of(p256, "client-auth=need", "ca-certificate-file=" + file("ca.crt"));
		return switch (property) {
			case CERTIFICATE_FILE, CERTIFICATE_KEY_FILE -> {
				boolean key = property == ServerSslProperty.CERTIFICATE_KEY_FILE;
				String keyFile = "certificate-key-file=" + file("p384.key");
				String certificateFile = "certificate-file=" + file("p384.crt");
				yield new PropertyProof(key ? keyFile : certificateFile, List.of(key ? certificateFile : keyFile),
						(server) -> assertThat(server.connect().subject()).isEqualTo("p384"));
			}
			case CERTIFICATE_KEY_PASSWORD -> {
				certificates.openssl("pkcs8", "-topk8", "-in", "p384.key", "-passout",
						"pass:" + TestCertificates.PASSWORD, "-out", "locked-p384.key");
				yield new PropertyProof("certificate-key-password=" + TestCertificates.PASSWORD,
						List.of("certificate-file=" + file("p384.crt"),
								"certificate-key-file=" + file("locked-p384.key")),
						(server) -> assertThat(server.connect().subject()).isEqualTo("p384"));
			}
			case CERTIFICATE_CHAIN_FILE -> new PropertyProof("certificate-chain-file=" + file("intermediate.crt"),
					List.of("certificate-file=" + file("leaf.crt"), "certificate-key-file=" + file("leaf.key")),
					(server) -> assertThat(server.connect("-showcerts").certificates()).isEqualTo(2));
			case CERTIFICATE_DIRECTORY -> new PropertyProof("certificate-directory=" + directory(), List.of(p256),
					(server) -> assertThat(server.connect("-servername", "directory.test").subject())
						.isEqualTo("directory"));
			case CERTIFICATES -> new PropertyProof("certificates[0].certificate-file=" + file("p384.crt"),
					List.of("certificates[0].certificate-key-file=" + file("p384.key"),
							"certificates[1].certificate-file=" + file("rsa.crt"),
							"certificates[1].certificate-key-file=" + file("rsa.key")),
					(server) -> {
						assertThat(server.connect().subject()).isEqualTo("p384");
						assertThat(server.connect("-tls1_2", "-cipher", "aRSA").subject()).isEqualTo("rsa");
					});
			case SERVER_NAME_CERTIFICATES -> new PropertyProof("server-name-certificates[0].server-name=own.test",
					List.of(p256, "server-name-certificates[0].certificate-file=" + file("p384.crt"),
							"server-name-certificates[0].certificate-key-file=" + file("p384.key")),
					(server) -> assertThat(server.connect("-servername", "own.test").subject()).isEqualTo("p384"));
			case DEVELOPMENT_CERTIFICATE -> development("development-certificate=true", List.of(), "localhost");
			case DEVELOPMENT_CERTIFICATE_NAMES -> development("development-certificate-names=app.localhost",
					List.of("development-certificate=true"), "app.localhost");
			case DEVELOPMENT_CERTIFICATE_IN_PRODUCTION -> development("development-certificate-in-production=true",
					List.of("development-certificate=true", "spring.profiles.active=prod"), "localhost");
			// How one is obtained, the tests of acme/ show
			case ACME -> new PropertyProof("acme.domains=localhost",
					List.of("test.acme=" + certificates.join("p256-with-key.crt", "p256.crt", "p256.key")),
					(server) -> assertThat(server.connect().subject()).isEqualTo("p256"));
			case ACME_CERTIFICATES -> new PropertyProof("acme.certificates[0].domains=p256.example.com",
					List.of("certificate-file=" + file("p384.crt"), "certificate-key-file=" + file("p384.key"),
							"test.acme=" + certificates.join("p256-with-key.crt", "p256.crt", "p256.key")),
					(server) -> assertThat(server.connect("-servername", "p256.example.com").subject())
						.isEqualTo("p256"));
			case CA_CERTIFICATE_FILE ->
				new PropertyProof(clients.get(2), clients.subList(0, 2), (server) -> server.verifies("other-client"));
			case CERTIFICATE_REVOCATION_LIST_FILE -> {
				if (!Files.exists(certificates.file("table-revoked.crt"))) {
					certificates.issue("ca", "table-revoked", "extendedKeyUsage=clientAuth", "20250101000000Z",
							"20980101000000Z");
					certificates.revoke("ca", "table-revoked");
				}
				yield new PropertyProof(
						"certificate-revocation-list-file=" + certificates.revocationList("ca", "table.crl"), clients,
						(server) -> server.verifies("table-revoked"));
			}
			// Nobody answers at the port that its certificate names
			case OCSP_ENABLED -> new PropertyProof("ocsp-enabled=true", clients,
					(server) -> assertThat(server.accepts(unanswered())).isFalse());
			case OCSP_SOFT_FAIL -> new PropertyProof("ocsp-soft-fail=true", with(clients, "ocsp-enabled=true"),
					(server) -> assertThat(server.accepts(unanswered())).isTrue());
			case RELOAD_ON_UPDATE -> {
				Path file = certificates.join("reloaded.crt", "p256.crt", "p256.key");
				yield new PropertyProof("reload-on-update=true", List.of("certificate-file=" + file), (server) -> {
					assertThat(server.connect().subject()).isEqualTo("p256");
					certificates.join("reloaded.crt", "p384.crt", "p384.key");
					Awaitility.await()
						.atMost(Duration.ofSeconds(30))
						.untilAsserted(() -> assertThat(server.connect().subject()).isEqualTo("p384"));
				});
			}
			case HANDSHAKE_TIMEOUT -> new PropertyProof("handshake-timeout=1s", List.of(p256), (server) -> {
				try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
					// Less than the default
					silent.setSoTimeout(8000);
					assertThat(silent.getInputStream().read()).isEqualTo(-1);
				}
			});
			case GROUPS -> new PropertyProof("groups=secp384r1", List.of(p256), (server) -> {
				assertThat(server.connect("-groups", "P-384").subject()).isEqualTo("p256");
				assertThat(server.connect("-groups", "X25519:P-256").subject()).isEmpty();
			});
			case POLICY -> new PropertyProof("policy=nist-sp-800-52r2", List.of(p256), (server) -> {
				assertThat(server.connect("-groups", "P-384").subject()).isEqualTo("p256");
				assertThat(server.connect("-groups", "X25519").subject()).isEmpty();
			});
			case POLICY_PREVIEW -> new PropertyProof("policy-preview=cnsa-2", List.of(p256),
					(server) -> assertThat(server.connect("-groups", "X25519").subject()).isEqualTo("p256"));
			case SIGNATURE_ALGORITHMS ->
				new PropertyProof("signature-algorithms=ecdsa_secp256r1_sha256", List.of(p256), (server) -> {
					assertThat(server.connect("-tls1_2", "-sigalgs", "ECDSA+SHA256").subject()).isEqualTo("p256");
					assertThat(server.connect("-tls1_2", "-sigalgs", "ECDSA+SHA384").subject()).isEmpty();
				});
			case SESSION_TICKET_KEY_FILE -> new PropertyProof("session-ticket-key-file=" + ticketKey(), List.of(p256),
					PropertyProof::resumesAtReplica);
			case SESSION_TICKET_KEYS -> new PropertyProof("session-ticket-keys=shared",
					List.of(p256, "store=jdbc", "test.store=" + certificates.folder().resolve("store")),
					PropertyProof::resumesAtReplica);
			case STORE -> store("store=jdbc", List.of());
			case STORE_KEYS -> store("store-keys=" + "A".repeat(43) + "=", List.of("store=jdbc"));
			case STORE_INITIALIZE_SCHEMA -> store("store-initialize-schema=always", List.of("store=jdbc"));
			case UNKNOWN_SERVER_NAME -> new PropertyProof("unknown-server-name=reject", List.of(p256),
					(server) -> assertThat(server.connect("-servername", "nobody.test")).returns("", Handshake::subject)
						.satisfies((refused) -> assertThat(refused.output()).contains("unrecognized name")));
			case UNKNOWN_SERVER_NAME_ALLOWED -> new PropertyProof("unknown-server-name-allowed=probe.test",
					List.of(p256, "unknown-server-name=reject"), (server) -> {
						assertThat(server.connect("-servername", "probe.test").subject()).isEqualTo("p256");
						assertThat(server.connect("-servername", "nobody.test").subject()).isEmpty();
					});
			case CLIENT_FINGERPRINT -> new PropertyProof("client-fingerprint=ja4", List.of(p256), (server) -> {
				server.connect("-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA");
				Awaitility.await()
					.atMost(Duration.ofSeconds(10))
					.until(() -> server.bean(TlsEngines.class)
						.running()
						.stream()
						.map((connector) -> (TlsHttp11NioProtocol) connector.getProtocolHandler())
						.anyMatch(
								(protocol) -> !protocol.handshakeCounters().failedClients().fingerprints().isEmpty()));
			});
			case HTTP_REDIRECT_PORT -> {
				int port = FreePorts.next();
				yield new PropertyProof("http-redirect-port=" + port, List.of(p256), (server) -> assertThat(Commands
					.run("", List.of("curl", "-sS", "-o", "/dev/null", "-w", "%{http_code} %{redirect_url}",
							"http://localhost:" + port + "/a?b"))
					.orFail()
					.output()).isEqualTo("308 https://localhost:" + server.port() + "/a?b"));
			}
			case PROXY_PROTOCOL_TRUSTED ->
				new PropertyProof("proxy-protocol.trusted=127.0.0.0/8,::1", List.of(p256), (server) -> {
					assertThat(server.connect().output()).contains("no peer certificate available");
					try (Socket proxy = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
						proxy.getOutputStream()
							.write("PROXY TCP4 192.0.2.1 192.0.2.2 1 443\r\n".getBytes(StandardCharsets.US_ASCII));
						assertThat(new JavaClient("p256.crt").connect(proxy).getSession().isValid()).isTrue();
					}
				});
			case FORWARDED_CLIENT_CERTIFICATE_HEADER, FORWARDED_CLIENT_CERTIFICATE_PROXY_CA_CERTIFICATE_FILE -> {
				String header = "forwarded-client-certificate.header=client-cert";
				String caFile = "forwarded-client-certificate.proxy-ca-certificate-file=" + file("proxy-ca.crt");
				boolean isHeader = property == ServerSslProperty.FORWARDED_CLIENT_CERTIFICATE_HEADER;
				yield new PropertyProof(isHeader ? header : caFile, with(clients, isHeader ? caFile : header),
						(server) -> {
							assertThat(server.statusOfForwarded("client")).isNotEqualTo("400");
							assertThat(server.statusOfForwarded("other-client")).isEqualTo("400");
						});
			}
			case OPENSSL_MODE -> new PropertyProof("openssl.mode=always", List.of(p256), Served::hasOpenSsl);
			// Which library they take, and what they do with its files,
			// LibrarySelectionTests shows with a JVM for each
			case OPENSSL_LIBRARY -> new PropertyProof("openssl.library=system", List.of(p256), Served::hasOpenSsl);
			case OPENSSL_WORK_DIR -> new PropertyProof("openssl.work-dir=" + certificates.file("ca.crt").getParent(),
					List.of(p256), Served::hasOpenSsl);
			case OPENSSL_LIBRARY_PATH -> new PropertyProof("openssl.library-path=" + Provided.tomcatNative(),
					List.of(p256), (server) -> assertThat(server.bean(TomcatNative.class).status().library())
						.hasToString(Provided.tomcatNative().toString()));
			// The library of the tests has no FIPS provider, which ends the start
			case OPENSSL_FIPS_MODE -> new PropertyProof("openssl.fips-mode=required", List.of(p256),
					(server) -> assertThat(server.port()).as("was started without FIPS").isNull());
		};
	}

	List<String> all() {
		return with(this.others, this.property);
	}

	private static Path directory() throws IOException {
		TestCertificates certificates = TestCertificates.get();
		Path folder = Files.createDirectories(certificates.folder().resolve("directory"));
		certificates.openssl("req", "-x509", "-key", "p256.key", "-subj", "/CN=directory", "-addext",
				"subjectAltName=DNS:directory.test", "-out", "directory.crt");
		Files.copy(certificates.join("directory.pem", "directory.crt", "p256.key"), folder.resolve("directory.pem"),
				StandardCopyOption.REPLACE_EXISTING);
		return folder;
	}

	private static PropertyProof development(String property, List<String> others, String name) throws IOException {
		Path folder = Files.createTempDirectory(TestCertificates.get().folder(), "development");
		List<String> all = new ArrayList<>(others);
		all.add("XDG_CACHE_HOME=" + folder);
		all.add("CAROOT=" + folder.resolve("none"));
		return new PropertyProof(property, all, (server) -> assertThat(server.names()).contains(name));
	}

	// The servers of the tests have no database, and StoreAutoConfigurationTests has one
	private static PropertyProof store(String property, List<String> others) {
		List<String> all = new ArrayList<>(others);
		all.add("acme.domains=localhost");
		all.add("test.acme=" + TestCertificates.get().join("p256-with-key.crt", "p256.crt", "p256.key"));
		return new PropertyProof(property, all, (server) -> assertThatThrownBy(() -> server.bean(SharedStore.class))
			.hasStackTraceContaining("the dependency that has access to databases is missing"));
	}

	private static String unanswered() {
		if (!Files.exists(TestCertificates.get().file("unanswered.crt"))) {
			TestCertificates.get()
				.issue("ca", "unanswered",
						"extendedKeyUsage=clientAuth\nauthorityInfoAccess=OCSP;URI:http://127.0.0.1:1",
						"20250101000000Z", "20980101000000Z");
		}
		return "unanswered";
	}

	private static void resumesAtReplica(Served server) throws Exception {
		String session = TestCertificates.get().file("table-session").toString();
		server.connect("-tls1_2", "-sess_out", session);
		try (Served replica = server.replica()) {
			assertThat(replica.connect("-tls1_2", "-sess_in", session).output()).contains("Reused, TLSv1.");
		}
	}

	private static Path ticketKey() throws IOException {
		byte[] content = new byte[80];
		new SecureRandom().nextBytes(content);
		return Files.write(Files.createTempFile(TestCertificates.get().folder(), "ticket", ".key",
				PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))), content);
	}

	private static List<String> with(List<String> properties, String more) {
		List<String> all = new ArrayList<>(properties);
		all.add(more);
		return all;
	}

	private static String file(String name) {
		return TestCertificates.get().file(name).toString();
	}

	/**
	 * Asserts that a property holds.
	 */
	interface Check {

		void on(Served server) throws Exception;

	}

	/**
	 * A server that has the property.
	 */
	interface Served extends AutoCloseable {

		int port();

		<T> T bean(Class<T> type);

		/**
		 * Start another server with the same properties.
		 * @return the other server
		 */
		Served replica();

		@Override
		void close();

		default Handshake connect(String... options) {
			return TlsClient.connect(port(), options);
		}

		default boolean accepts(String client) {
			return connect("-cert", file(client + ".crt"), "-key", file(client + ".key")).output().contains("HTTP/1.");
		}

		default String statusOfForwarded(String client) throws CertificateException {
			String certificate = Base64.getEncoder()
				.encodeToString(TestCertificates.get().certificate(client + ".crt").getEncoded());
			return Commands.run("",
					List.of("curl", "-sSk", "-o", "/dev/null", "-w", "%{http_code}", "--cert", file("proxy.crt"),
							"--key", file("proxy.key"), "-H", "Client-Cert: :" + certificate + ":",
							"https://localhost:" + port()))
				.orFail()
				.output();
		}

		default void verifies(String refused) {
			assertThat(accepts("client")).isTrue();
			assertThat(accepts(refused)).isFalse();
		}

		default void hasOpenSsl() {
			assertThat(bean(TomcatNative.class).isAvailable()).isTrue();
			assertThat(connect().subject()).isEqualTo("p256");
			assertThat(connectors()).containsOnly(TlsConnectors.OPENSSL);
		}

		/**
		 * Return the engines of the connectors.
		 * @return the names of the engines
		 */
		List<String> connectors();

		default List<String> names() throws CertificateException {
			X509Certificate certificate = (X509Certificate) CertificateFactory.getInstance("X.509")
				.generateCertificate(new ByteArrayInputStream(connect().output()
					.replaceFirst("(?s).*?(?=-----BEGIN)", "")
					.getBytes(StandardCharsets.US_ASCII)));
			return certificate.getSubjectAlternativeNames().stream().map((name) -> name.get(1).toString()).toList();
		}

	}

}
