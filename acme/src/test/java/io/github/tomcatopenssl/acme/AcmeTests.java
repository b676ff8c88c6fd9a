// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.test.FreePorts;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TlsClient;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests that {@link AcmeClient} obtains certificates from a real ACME server, for
 * applications with {@link AcmeAutoConfiguration}.
 */
class AcmeTests extends AbstractAcmeTests {

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenServerStartsThenItObtainsTheCertificateAndKeepsItForLater(boolean openSsl, CapturedOutput output)
			throws Exception {
		String[] properties = with(openSsl, "server.ssl.acme.domains=localhost,www.example.com,LOCALHOST");
		AcmeApplication server = start(this.port, Object.class, properties);
		X509Certificate issued = awaitIssued(server, this.port);
		assertThat(issued.getSubjectAlternativeNames()).extracting((name) -> name.get(1).toString())
			.containsExactlyInAnyOrder("localhost", "www.example.com");
		assertThat(health(server)).isEqualTo("UP");
		assertThat(output)
			.contains("A certificate for localhost, www.example.com is requested from 'https://localhost:")
			.contains("OpenSSL is %s on port %d (https)".formatted(openSsl ? "active" : "not active", this.port));
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> output.toString()
				.contains("'server-ssl' was reloaded: the certificate 'localhost, www.example.com' in '"));
		assertPrivate();
		server.close();
		start(this.port, Object.class, properties);
		assertThat(certificate(this.port)).isEqualTo(issued);
		assertThat(output.toString().split("is requested from", -1)).hasSize(2);
	}

	// Not every machine has IPv6
	static List<Object> enginesAndAddresses() throws IOException {
		List<Object> arguments = new ArrayList<>(
				List.of(Arguments.of(true, "127.0.0.1", "127.0.0.1"), Arguments.of(false, "127.0.0.1", "127.0.0.1")));
		if (NetworkInterface.getByInetAddress(InetAddress.getByName("::1")) != null) {
			arguments.add(Arguments.of(false, "0:0::1", "[::1]"));
		}
		return arguments;
	}

	@ParameterizedTest
	@MethodSource("enginesAndAddresses")
	void whenDomainIsAnAddressThenItsCertificateIsShortLived(boolean openSsl, String address, String host)
			throws Exception {
		AcmeApplication server = start(this.port, Object.class, with(openSsl, "server.ssl.acme.domains=" + address,
				"server.ssl.unknown-server-name=reject", "server.ssl.unknown-server-name-allowed=127.0.0.1,::1"));
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> health(server).equals("UP") && !Placeholder.is(certificate(this.port, "-noservername")));
		X509Certificate issued = certificate(this.port, "-noservername");
		assertThat(issued.getSubjectAlternativeNames()).hasSize(1);
		assertThat(Duration.between(Instant.now(), issued.getNotAfter().toInstant())).isLessThan(Duration.ofDays(7));
		assertThat(get(URI.create("https://%s:%d/hello".formatted(host, this.port)))).isEqualTo("hello");
		server.close();
		start(this.port, Object.class, with(openSsl, "server.ssl.acme.domains=" + address));
		assertThat(certificate(this.port)).isEqualTo(issued);
	}

	@Test
	void whenNothingIsIssuedThenPlaceholderIsServed(CapturedOutput output) throws Exception {
		AcmeApplication server = start(this.port, Object.class, "server.ssl.acme.domains=blocked.example.com");
		Awaitility.await().atMost(PATIENCE).until(() -> output.toString().contains("No certificate could be obtained"));
		assertThat(health(server)).isEqualTo("OUT_OF_SERVICE");
		assertThat(output)
			.containsPattern("WARN.*No certificate could be obtained for blocked.example.com. The next attempt is at ")
			.contains("The CA refuses: ");
		assertThat(TlsClient.connect(this.port).subject()).isEqualTo("Waiting for the CA");
	}

	@Test
	void whenReplicasShareTheFolderThenOneOrdersAndAllAnswer(CapturedOutput output) throws Exception {
		// It orders, and the CA looks at the other one
		int other = FreePorts.next();
		AcmeApplication replica = start(this.port, Object.class, "server.ssl.acme.domains=localhost");
		replica.bean(AcmeRenewal.class).stop();
		AcmeApplication server = start(other, Object.class, "server.ssl.acme.domains=localhost");
		X509Certificate issued = awaitIssued(server, other);
		Awaitility.await().atMost(PATIENCE).until(() -> certificate(this.port).equals(issued));
		assertThat(output.toString().split("The CA has issued a certificate", -1)).hasSize(2);
		assertThat(health(replica)).isEqualTo("UP");
	}

	@Test
	void whenBothKeyTypesAreWantedThenClientsChoose() throws Exception {
		AcmeApplication server = start(this.port, Object.class, "server.ssl.acme.domains=localhost",
				"server.ssl.acme.key-types=ec,rsa");
		awaitIssued(server, this.port);
		assertThat(TlsClient.connect(this.port, "-tls1_2", "-cipher", "aRSA").isServed()).isTrue();
		assertThat(TlsClient.connect(this.port, "-tls1_2", "-cipher", "aECDSA").isServed()).isTrue();
	}

	@Test
	void whenThereIsADnsChallengeProviderThenWildcardIsIssued() throws Exception {
		AcmeApplication server = start(this.port, DnsConfiguration.class,
				"server.ssl.acme.domains=*.example.com,localhost", "test.dns=" + this.pebble.dnsUrl());
		assertThat(awaitIssued(server, this.port).getSubjectAlternativeNames())
			.extracting((name) -> name.get(1).toString())
			.contains("*.example.com");
	}

	@Test
	void whenDnsRecordCannotBeRemovedThenCertificateIsIssued(CapturedOutput output) throws Exception {
		AcmeApplication server = start(this.port, DnsConfiguration.class, "server.ssl.acme.domains=localhost",
				"test.dns=" + this.pebble.dnsUrl(), "test.dns-fails=true");
		awaitIssued(server, this.port);
		assertThat(output).contains("The DNS record '_acme-challenge.localhost.' could not be removed");
	}

	@Test
	void whenCaRequiresAnAccountThenItIsUsed(CapturedOutput output) throws Exception {
		this.pebble.close();
		// So long that HS512 would be possible, and encoded twice in the property
		String key = "c2VjcmV0".repeat(11) + "c2Vjcg==";
		this.pebble = new Pebble(this.port, key.replace("=", ""), Duration.ofDays(6));
		AcmeApplication server = start(this.port, Object.class, "server.ssl.acme.domains=localhost",
				"server.ssl.acme.external-account.key-id=" + Pebble.KEY_ID,
				"server.ssl.acme.external-account.hmac-key=" + Base64.getEncoder().encodeToString(key.getBytes()),
				"server.ssl.acme.email=");
		awaitIssued(server, this.port);
		assertThat(output).doesNotContain("c2VjcmV0", "YzJWamNtVjB");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					                                 | Set 'server.ssl.acme.external-account.key-id' and 'server.ssl.acme.external-account.hmac-key' to what the CA gives its customers
					another key of thirty-two bytes. | Check that 'server.ssl.acme.external-account.key-id' and 'server.ssl.acme.external-account.hmac-key' belong to the same account
					letters-digits-hyphens-and-no-others | 'server.ssl.acme.external-account.hmac-key' may be encoded twice
					""")
	void whenAccountIsMissingOrWrongThenThePropertiesAreNamed(@Nullable String key, String expected) throws Exception {
		this.pebble.close();
		this.pebble = new Pebble(this.port, "c2VjcmV0".repeat(12), Duration.ofDays(6));
		AcmeProperties.ExternalAccount account = (key != null) ? new AcmeProperties.ExternalAccount(Pebble.KEY_ID,
				Base64.getUrlEncoder().encodeToString(key.getBytes())) : null;
		List<String> domains = List.of("localhost");
		AcmeSettings settings = new AcmeSettings(new AcmeProperties(domains, List.of(), 100, true, null,
				URI.create(this.pebble.directoryUrl()), null, List.of(AcmeKeyType.EC), null, null, null, account, null),
				domains, this.folder);
		AcmeStore store = new AcmeStore(this.folder, settings.properties().directoryUrl(), domains);
		store.create();
		AcmeClient client = new AcmeClient(settings, store, session(), new DomainVerifier(domains, store, null),
				new CaClock(Clock.systemUTC()), AcmeSchedule.DEFAULT);
		assertThatExceptionOfType(AcmeRefusedException.class).isThrownBy(() -> client.obtain(AcmeKeyType.EC, null))
			.satisfies((ex) -> assertThat(ex.getMessage() + ". " + ex.action()).contains(expected));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					https://localhost:1/dir | The ACME server 'https://localhost:1/dir' of 'server.ssl.acme.directory-url' cannot be reached: java.net.ConnectException
					https://localhost:{port}/hello | cannot be reached: javax.net.ssl.SSLHandshakeException
					https://localhost:{ca}/nothing | does not answer as it should: HTTP 404
					""")
	void whenThereIsNoAcmeServerThenWarningSaysIt(String url, String expected, CapturedOutput output) throws Exception {
		start(this.port, Object.class, "server.ssl.acme.domains=localhost", "server.ssl.acme.directory-url="
				+ url.replace("{port}", "" + this.port).replace("{ca}", this.pebble.directoryUrl().split("[:/]")[4]));
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> output.toString().contains("No certificate could be obtained for localhost"));
		assertThat(output).contains(expected);
	}

	@Test
	void whenPropertiesAreWrongThenServerDoesNotStart() {
		assertThat(catchThrowable(() -> start(this.port, Object.class, "server.ssl.acme.domains=")))
			.hasStackTraceContaining(TlsSettingException.class.getName() + ": 'server.ssl.acme.domains': it is empty");
	}

	static String[] with(boolean openSsl, String... properties) {
		Stream<String> engine = !openSsl ? Stream.of("server.ssl.openssl.mode=never") : Stream
			.of("server.ssl.openssl.mode=always", "server.ssl.openssl.library-path=" + Provided.tomcatNative());
		return Stream.concat(engine, Stream.of(properties)).toArray(String[]::new);
	}

	private void assertPrivate() throws IOException {
		try (Stream<Path> files = Files.walk(this.folder).skip(1)) {
			assertThat(files.toList()).isNotEmpty()
				.allSatisfy((file) -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
					.isEqualTo(Files.isDirectory(file) ? "rwx------" : "rw-------"));
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class DnsConfiguration {

		@Bean
		DnsChallengeProvider dnsChallengeProvider(@Value("${test.dns}") String url,
				@Value("${test.dns-fails:false}") boolean fails) {
			DnsChallengeProvider dns = Pebble.dns(url);
			return !fails ? dns : new DnsChallengeProvider() {

				@Override
				public void publish(String name, String value) throws IOException, InterruptedException {
					dns.publish(name, value);
				}

				@Override
				public void remove(String name, String value) throws IOException {
					throw new IOException("The name server is down");
				}

			};
		}

	}

}
