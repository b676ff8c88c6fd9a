// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.tomcatopenssl.certificate.CertificateReloads;
import io.github.tomcatopenssl.certificate.CertificateReloads.Status;
import io.github.tomcatopenssl.certificate.ServerCertificateSource;
import io.github.tomcatopenssl.certificate.ServerCertificates;
import io.github.tomcatopenssl.internal.certificate.AddedCertificates;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.coyote.http11.Http11NioProtocol;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for hosts that come and go: {@link CertificateHosts}, filled from a folder and by
 * {@link ServerCertificates} ({@link AddedCertificates}).
 */
@Tag("jdk")
@ParameterizedClass
@EnumSource(names = { "SERVLET", "REACTIVE" })
@ExtendWith(OutputCaptureExtension.class)
class ManyNamesTests extends AbstractTlsServerTests {

	private static final Map<String, SslBundle> KNOWN = new ConcurrentHashMap<>();

	private static final List<String> ASKED = new CopyOnWriteArrayList<>();

	@TempDir
	private Path temporary;

	private Path folder;

	ManyNamesTests(WebApplicationType type) {
		super(type);
	}

	@BeforeEach
	void createFolder() throws IOException {
		this.folder = Files.createDirectory(this.temporary.resolve("certificates"));
	}

	@ParameterizedTest
	@EnumSource
	void whenFolderHasCertificatesThenEachServesItsNames(Engine engine) throws Exception {
		pem("shop.pem", "shop", "DNS:shop.test,DNS:*.shop.test");
		pair("intranet.crt", "intranet.key", "intranet", "DNS:intranet.test");
		Files.createDirectory(this.folder.resolve("mounted"));
		pair("mounted/tls.crt", "mounted/tls.key", "mounted", "DNS:mounted.test");
		pem("address.pem", "address", "IP:127.0.0.1");
		Files.writeString(this.folder.resolve("README.txt"), "Not a certificate");
		Files.writeString(this.folder.resolve(".next.pem"), "-----BEGIN");
		try (TestServer server = start(engine, "certificate-directory=" + this.folder)) {
			assertServed(server, "shop", "shop.test");
			assertServed(server, "shop", "www.shop.test");
			assertServed(server, "intranet", "intranet.test");
			assertServed(server, "mounted", "mounted.test");
			assertRefused(server, "other.test");
			assertRefused(server, "a.www.shop.test");
			assertRefused(server, "_default_");
			assertAddress(server);
			assertThat(status(server)).returns(null, Status::problem);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenCertificatesAreAddedReplacedAndRemovedThenNewConnectionsSeeIt(Engine engine, CapturedOutput output)
			throws Exception {
		pem("first.pem", "first", "DNS:first.test");
		Files.createDirectory(this.folder.resolve("..data_1"));
		pair("..data_1/tls.crt", "..data_1/tls.key", "secret", "DNS:secret.test");
		Files.createDirectory(this.folder.resolve("..data_2"));
		pair("..data_2/tls.crt", "..data_2/tls.key", "renewed-secret", "DNS:secret.test");
		Path data = Files.createSymbolicLink(this.folder.resolve("..data"), Path.of("..data_1"));
		Files.createSymbolicLink(this.folder.resolve("tls.crt"), Path.of("..data/tls.crt"));
		Files.createSymbolicLink(this.folder.resolve("tls.key"), Path.of("..data/tls.key"));
		try (TestServer server = start(engine, "certificate-directory=" + this.folder)) {
			assertServed(server, "first", "first.test");
			assertServed(server, "secret", "secret.test");
			pem("second.pem", "second", "DNS:second.test");
			pem("first.pem", "first-renewed", "DNS:first.test");
			Files.createSymbolicLink(this.folder.resolve("..data_tmp"), Path.of("..data_2"));
			Files.move(this.folder.resolve("..data_tmp"), data, StandardCopyOption.ATOMIC_MOVE);
			await(() -> assertServed(server, "second", "second.test"));
			await(() -> assertServed(server, "first-renewed", "first.test"));
			await(() -> assertServed(server, "renewed-secret", "secret.test"));
			Files.delete(this.folder.resolve("second.pem"));
			await(() -> assertRefused(server, "second.test"));
			assertServed(server, "first-renewed", "first.test");
			assertThat(output).contains("1 removed (second.pem). In all, 2 are in use, for 2 names and addresses");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenCertificateCannotBeUsedThenItIsRefusedAlone(Engine engine, CapturedOutput output) throws Exception {
		pem("good.pem", "good", "DNS:good.test");
		Files.writeString(this.folder.resolve("damaged.pem"), "-----BEGIN CERTIFICATE-----\n");
		pem("nameless.pem", "nameless", "email:someone@example.com");
		pair("mixed.crt", "other.key", "mixed", "DNS:mixed.test");
		pair("unused.crt", "mixed.key", "unused", "DNS:unused.test");
		Commands.run("", List.of("mkfifo", this.folder.resolve("pipe.pem").toString())).orFail();
		try (TestServer server = start(engine, "certificate-directory=" + this.folder)) {
			assertServed(server, "good", "good.test");
			assertRefused(server, "mixed.test");
			assertThat(status(server).problem()).contains("5 of 6 certificates are not used").contains("damaged.pem");
			assertThat(output).contains("There are 2 more warnings of this kind")
				.doesNotContain("Set 'server.ssl.certificate-directory'");
			pem("good.pem", "better", "DNS:good.test");
			Files.copy(this.folder.resolve("other.key"), this.folder.resolve("mixed.key"),
					StandardCopyOption.REPLACE_EXISTING);
			await(() -> assertServed(server, "better", "good.test"));
			await(() -> assertServed(server, "mixed", "mixed.test"));
			Files.writeString(this.folder.resolve("good.pem"), "-----BEGIN CERTIFICATE-----\n");
			await(() -> assertThat(status(server).problem()).contains("good.pem"));
			assertServed(server, "better", "good.test");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenSeveralCertificatesHaveNameThenOneRuleChooses(Engine engine, CapturedOutput output) throws Exception {
		pem("configured.pem", "configured", "DNS:*.exact.test");
		Path configured = Files.move(this.folder.resolve("configured.pem"), this.temporary.resolve("configured.pem"));
		pem("default.pem", "default", "DNS:default.test");
		Path defaults = Files.move(this.folder.resolve("default.pem"), this.temporary.resolve("default.pem"));
		pem("early.pem", "early", "DNS:twice.test,DNS:early.test", "-days", "10");
		pem("late.pem", "late", "DNS:twice.test", "-days", "20");
		pem("wildcard.pem", "wildcard", "DNS:*.exact.test");
		pem("exact.pem", "exact", "DNS:one.exact.test");
		try (TestServer server = start(engine, "certificate-directory=" + this.folder, "certificate-file=" + defaults,
				"server-name-certificates[0].server-name=*.exact.test",
				"server-name-certificates[0].certificate-file=" + configured)) {
			assertServed(server, "late", "twice.test");
			assertServed(server, "early", "early.test");
			assertServed(server, "exact", "one.exact.test");
			assertServed(server, "configured", "two.exact.test");
			assertServed(server, "default", "unknown.test");
			assertThat(output).contains("are both for 'twice.test', which 'certificate-directory/late.pem' serves");
			Files.delete(this.folder.resolve("late.pem"));
			await(() -> assertServed(server, "early", "twice.test"));
			assertThat(TlsClient.connect(server.port(), "-servername", "early.test").isServed()).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientsAreVerifiedThenTheFolderTakesNoNameOfAWildcard(Engine engine) throws Exception {
		pem("wildcard.pem", "wildcard", "DNS:*.secure.test");
		Path wildcard = Files.move(this.folder.resolve("wildcard.pem"), this.temporary.resolve("wildcard.pem"));
		pem("exact.pem", "exact", "DNS:one.secure.test,DNS:open.test");
		try (TestServer server = start(engine,
				with(pem("p256"), "certificate-directory=" + this.folder,
						"server-name-certificates[0].server-name=*.secure.test",
						"server-name-certificates[0].certificate-file=" + wildcard,
						"server-name-certificates[0].client-auth=need",
						"server-name-certificates[0].trust-certificate-file=" + file("ca.crt")))) {
			assertThat(TlsClient.connect(server.port(), "-servername", "one.secure.test"))
				.returns("wildcard", Handshake::subject)
				.returns(false, Handshake::isServed);
			assertServed(server, "exact", "open.test");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenUnknownNamesAreRejectedThenCertificatesOfAddressesAndExceptionsCount(Engine engine) throws Exception {
		pem("address.pem", "address", "IP:127.0.0.1");
		String[] settings = with(pem("p256"), "certificate-directory=" + this.folder, "unknown-server-name=reject");
		try (TestServer server = start(engine, settings)) {
			assertAddress(server);
			assertRefused(server, "other.test");
			assertThat(TlsClient.connect(server.port(), "-servername", "localhost").subject()).isEqualTo("p256");
		}
		pem("address.pem", "address", "IP:192.0.2.1");
		try (TestServer server = start(engine, settings)) {
			assertThat(TlsClient.connect(server.port(), "-noservername").output()).contains("unrecognized name");
		}
		try (TestServer server = start(engine, with(settings, "unknown-server-name-allowed=127.0.0.0/8,::1"))) {
			assertThat(TlsClient.connect(server.port(), "-noservername")).returns("p256", Handshake::subject)
				.returns(true, Handshake::isServed);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenServerVerifiesClientsThenSoDoTheHostsOfTheFolder(Engine engine) throws Exception {
		pem("shop.pem", "shop", "DNS:shop.test");
		try (TestServer server = start(engine, "certificate-directory=" + this.folder, "client-auth=need",
				"ca-certificate-file=" + file("ca.crt"))) {
			assertThat(TlsClient.connect(server.port(), "-servername", "shop.test").isServed()).isFalse();
			assertThat(TlsClient.connect(server.port(), "-servername", "shop.test", "-cert", file("client.crt"), "-key",
					file("client.key")))
				.returns("shop", Handshake::subject)
				.returns(true, Handshake::isServed);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenApplicationAddsCertificateThenItServes(Engine engine) throws Exception {
		SslBundle bundle = bundleOf("customer", "DNS:customer.test");
		create(this.temporary.resolve("other.crt"), this.temporary.resolve("other.key"), "other", "DNS:customer.test");
		SslBundle mismatched = bundleOf(this.temporary.resolve("customer.crt"), this.temporary.resolve("other.key"));
		try (TestServer server = start(engine, pem("p256"))) {
			ServerCertificates certificates = server.bean(ServerCertificates.class);
			assertThat(TlsClient.connect(server.port(), "-servername", "customer.test").subject()).isEqualTo("p256");
			certificates.put("customer-1", bundle);
			assertServed(server, "customer", "customer.test");
			assertThatIllegalArgumentException().isThrownBy(() -> certificates.put("customer-1", mismatched))
				.withMessageContaining("customer-1");
			assertServed(server, "customer", "customer.test");
			certificates.put("customer-1", bundleOf("renewed", "DNS:customer.test"));
			assertServed(server, "renewed", "customer.test");
			assertThat(certificates.remove("customer-1")).isTrue();
			assertThat(certificates.remove("customer-1")).isFalse();
			assertThat(TlsClient.connect(server.port(), "-servername", "customer.test").subject()).isEqualTo("p256");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenApplicationIsAskedForCertificateThenItServes(Engine engine) throws Exception {
		KNOWN.clear();
		ASKED.clear();
		KNOWN.put("www.asked.test", bundleOf("asked", "DNS:www.asked.test,DNS:asked.test"));
		KNOWN.put("mistaken.test", bundleOf("mistaken", "DNS:other.test"));
		try (TestServer server = start(AskedApplication.class, engine, "certificate-directory=" + this.folder)) {
			assertServed(server, "asked", "www.asked.test");
			assertServed(server, "asked", "www.asked.test");
			assertServed(server, "asked", "asked.test");
			assertRefused(server, "unknown.test");
			assertRefused(server, "unknown.test");
			assertRefused(server, "mistaken.test");
			assertThat(ASKED).containsExactly("www.asked.test", "unknown.test", "mistaken.test");
			assertThat(TlsClient.connect(server.port(), "-noservername").output()).contains("unrecognized name");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenThereAreTwoConnectorsThenBothServeAndOneCanStop(Engine engine) throws Exception {
		try (TestServer server = start(AdditionalConnector.class, engine,
				with(pem("p256"), "unknown-server-name=reject"))) {
			ServerCertificates certificates = server.bean(ServerCertificates.class);
			List<Connector> connectors = server.connectors();
			assertThat(connectors).hasSize(2);
			certificates.put("one", bundleOf("one", "DNS:one.test"));
			certificates.put("two", bundleOf("two", "DNS:two.test"));
			for (Connector connector : connectors) {
				assertServed(connector.getLocalPort(), "one", "one.test");
				assertServed(connector.getLocalPort(), "two", "two.test");
			}
			certificates.remove("two");
			connectors.forEach((connector) -> assertRefused(connector.getLocalPort(), "two.test"));
			for (Connector stopped : connectors) {
				Connector other = connectors.get(1 - connectors.indexOf(stopped));
				stopped.stop();
				assertServed(other.getLocalPort(), "one", "one.test");
				certificates.put("two", bundleOf("two", "DNS:two.test"));
				assertServed(other.getLocalPort(), "two", "two.test");
				stopped.start();
				assertServed(stopped.getLocalPort(), "one", "one.test");
				assertServed(stopped.getLocalPort(), "two", "two.test");
				certificates.remove("two");
				connectors.forEach((connector) -> assertRefused(connector.getLocalPort(), "two.test"));
			}
		}
	}

	// Each value of a tag takes memory for good
	@ParameterizedTest
	@EnumSource
	void whenRequestIsMisdirectedThenItCountsForTheDefaultHost(Engine engine) throws Exception {
		try (TestServer server = start(engine, with(pem("p256"), "server.test.actuator=true"))) {
			server.bean(ServerCertificates.class).put("customer-1", bundleOf("customer", "DNS:customer.test"));
			assertThat(request(server, "other.test", "-servername", "customer.test").output()).contains(" 421");
			assertThat(server.counter("tomcat.ssl.requests.misdirected", "host", "_default_")).isOne();
			assertThat(server.counter("tomcat.ssl.requests.misdirected")).isOne();
		}
	}

	@Test
	void whenConnectorHasAnotherProtocolThenCauseIsNamed() {
		String[] settings = with(pem("p256"), "spring.test.other-protocol=true");
		assertThatException().isThrownBy(() -> start(AskedConnector.class, Engine.JSSE, settings))
			.havingRootCause()
			.withMessageContaining("'server.ssl': the connector has the protocol")
			.withMessageContaining("which does not serve the certificates of the beans");
		assertThatException()
			.isThrownBy(() -> start(AdditionalConnector.class, Engine.JSSE,
					with(settings, "certificate-directory=" + this.folder)))
			.havingRootCause()
			.withMessageContaining("'server.ssl.certificate-directory': the connector has the protocol");
	}

	private SslBundle bundleOf(String name, String names) throws IOException {
		Path certificate = this.temporary.resolve(name + ".crt");
		Path key = this.temporary.resolve(name + ".key");
		create(certificate, key, name, names);
		return bundleOf(certificate, key);
	}

	private static SslBundle bundleOf(Path certificate, Path key) throws IOException {
		return SslBundle.of(new PemSslStoreBundle(
				PemSslStoreDetails.forCertificate(Files.readString(certificate)).withPrivateKey(Files.readString(key)),
				null));
	}

	private static Status status(TestServer server) {
		return server.bean(CertificateReloads.class)
			.status()
			.stream()
			.filter((status) -> status.name().equals("certificate-directory"))
			.findFirst()
			.orElseThrow();
	}

	private static void assertServed(TestServer server, String subject, String name) {
		assertServed(server.port(), subject, name);
	}

	private static void assertServed(int port, String subject, String name) {
		assertThat(TlsClient.connect(port, "-servername", name)).returns(subject, Handshake::subject)
			.returns(true, Handshake::isServed);
	}

	private static void assertAddress(TestServer server) {
		Handshake client = request(server, "127.0.0.1", "-noservername");
		assertThat(client).returns("address", Handshake::subject).returns(true, Handshake::isServed);
	}

	private static Handshake request(TestServer server, String host, String... options) {
		List<String> command = new ArrayList<>(
				List.of("openssl", "s_client", "-ign_eof", "-connect", "127.0.0.1:" + server.port()));
		command.addAll(List.of(options));
		return new Handshake(Commands.run("GET /hello HTTP/1.0\r\nHost: %s\r\n\r\n".formatted(host), command).output());
	}

	private static void assertRefused(TestServer server, String name) {
		assertRefused(server.port(), name);
	}

	private static void assertRefused(int port, String name) {
		assertThat(TlsClient.connect(port, "-servername", name).output()).contains("unrecognized name");
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(assertion);
	}

	private void pem(String file, String subject, String names, String... options) throws IOException {
		Path certificate = this.temporary.resolve("next.crt");
		Path key = this.temporary.resolve("next.key");
		create(certificate, key, subject, names, options);
		Path joined = Files.writeString(this.temporary.resolve("next.pem"),
				Files.readString(certificate) + Files.readString(key));
		Files.move(joined, this.folder.resolve(file), StandardCopyOption.ATOMIC_MOVE);
	}

	private void pair(String certificate, String key, String subject, String names) {
		create(this.folder.resolve(certificate), this.folder.resolve(key), subject, names);
	}

	private void create(Path certificate, Path key, String subject, String names, String... options) {
		List<String> command = new ArrayList<>(List.of("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
				"ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=" + subject, "-addext", "subjectAltName=" + names,
				"-keyout", key.toString(), "-out", certificate.toString()));
		command.addAll(List.of(options));
		Commands.run("", command).orFail();
	}

	@Configuration(proxyBeanMethods = false)
	static class AskedApplication {

		@Bean
		ServerCertificateSource serverCertificateSource() {
			return (serverName) -> {
				ASKED.add(serverName);
				return KNOWN.get(serverName);
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AdditionalConnector {

		@Bean
		WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> additionalConnectorCustomizer(
				Environment environment) {
			AbstractHttp11Protocol<?> protocol = environment.containsProperty("spring.test.other-protocol")
					? new Http11NioProtocol() : new TlsHttp11NioProtocol();
			return (factory) -> ((TomcatWebServerFactory) factory)
				.addAdditionalConnectors(TestServer.connector(protocol, (host) -> {
				}));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ AdditionalConnector.class, AskedApplication.class })
	static class AskedConnector {

	}

}
