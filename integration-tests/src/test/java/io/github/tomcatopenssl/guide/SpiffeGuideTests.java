// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.guide;

import java.security.Principal;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.preauth.x509.X509PrincipalExtractor;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the snippets in docs/certificates.md.
 */
@Tag("servers")
class SpiffeGuideTests {

	private static final String START = "20250101000000Z";

	private static final String END = "20980101000000Z";

	private final TestCertificates certificates = TestCertificates.get();

	@BeforeEach
	void issueCertificates() {
		issue("spiffe-shop", "URI:spiffe://example.org/shop");
		issue("spiffe-app", "URI:spiffe://example.org/app,DNS:app.internal");
		issue("spiffe-other", "URI:spiffe://example.org.evil.test/shop");
		issue("spiffe-two", "URI:spiffe://example.org/shop,URI:spiffe://example.org/app");
		issue("spiffe-dns", "DNS:App.internal");
		issue("spiffe-names", "DNS:app.internal,DNS:shop.internal");
	}

	private void issue(String name, String alternativeNames) {
		this.certificates.issue("ca", name, "extendedKeyUsage=clientAuth\nsubjectAltName=" + alternativeNames, START,
				END);
	}

	@Test
	void whenCertificateHasSpiffeIdThenItIsThePrincipal() {
		try (TestServer server = start(SpiffeSecurity.class)) {
			assertThat(get(server, "/user", as("spiffe-shop"))).isEqualTo("spiffe://example.org/shop 200");
			assertThat(get(server, "/user", as("spiffe-app"))).isEqualTo("spiffe://example.org/app 200");
			assertThat(get(server, "/orders/1", as("spiffe-shop"))).isEqualTo("order 200");
			assertThat(get(server, "/orders/1", as("spiffe-app"))).endsWith(" 403");
			for (String name : List.of("spiffe-other", "spiffe-two", "spiffe-dns", "client")) {
				assertThat(get(server, "/user", as(name))).as(name).endsWith(" 403");
			}
		}
	}

	@Test
	void whenProxyForwardsSpiffeIdThenItIsThePrincipalOfEachRequest() throws CertificateEncodingException {
		try (TestServer server = start(SpiffeSecurity.class)) {
			assertThat(get(server, "/user", forwarding("spiffe-shop"))).isEqualTo("spiffe://example.org/shop 200");
			assertThat(get(server, "/user", forwarding("spiffe-two"))).endsWith(" 403");
			assertThat(get(server, "/orders/1", forwarding("spiffe-app"))).endsWith(" 403");
			// Both over one connection
			List<String> both = new ArrayList<>(forwarding("spiffe-shop"));
			both.addAll(List.of("-c", "-", "--next", "-sSk"));
			both.addAll(forwarding("spiffe-app"));
			both.add("https://localhost:%d/user".formatted(server.port()));
			assertThat(get(server, "/user", both)).contains("spiffe://example.org/shop 200")
				.contains("spiffe://example.org/app")
				.doesNotContain("JSESSIONID");
		}
	}

	@Test
	void whenCertificateHasOneDnsNameThenItIsThePrincipal() {
		try (TestServer server = start(DnsSecurity.class)) {
			assertThat(get(server, "/user", as("spiffe-dns"))).isEqualTo("app.internal 200");
			assertThat(get(server, "/user", as("spiffe-app"))).isEqualTo("app.internal 200");
			assertThat(get(server, "/user", as("spiffe-names"))).endsWith(" 403");
			assertThat(get(server, "/user", as("spiffe-shop"))).endsWith(" 403");
		}
	}

	private TestServer start(Class<?> configuration) {
		return TestServer.start(WebApplicationType.SERVLET, configuration,
				List.of("server.ssl.certificate-file=" + this.certificates.file("p256.crt"),
						"server.ssl.certificate-key-file=" + this.certificates.file("p256.key"),
						"server.ssl.openssl.library-path=" + Provided.tomcatNative(), "server.ssl.client-auth=need",
						"server.ssl.ca-certificate-file=" + this.certificates.file("ca.crt"),
						"server.ssl.forwarded-client-certificate.header=client-cert",
						"server.ssl.forwarded-client-certificate.proxy-ca-certificate-file="
								+ this.certificates.file("proxy-ca.crt")));
	}

	private List<String> as(String name) {
		return List.of("--cert", this.certificates.file(name + ".crt").toString(), "--key",
				this.certificates.file(name + ".key").toString());
	}

	private List<String> forwarding(String name) throws CertificateEncodingException {
		List<String> options = new ArrayList<>(as("proxy"));
		options.addAll(List.of("-H", "Client-Cert: :%s:"
			.formatted(Base64.getEncoder().encodeToString(this.certificates.certificate(name + ".crt").getEncoded()))));
		return options;
	}

	private static String get(TestServer server, String path, List<String> options) {
		List<String> command = new ArrayList<>(List.of("curl", "-sSk", "--max-time", "20", "-w", " %{http_code}",
				"https://localhost:%d%s".formatted(server.port(), path)));
		command.addAll(options);
		return Commands.run("", command).orFail().output();
	}

	static class SpiffeIdExtractor implements X509PrincipalExtractor {

		private static final int URI = 6;

		private final String trustDomain;

		SpiffeIdExtractor(String trustDomain) {
			this.trustDomain = "spiffe://" + trustDomain + "/";
		}

		@Override
		public @Nullable Object extractPrincipal(X509Certificate certificate) {
			List<String> uris = AlternativeNames.of(certificate, URI);
			return (uris.size() == 1 && uris.get(0).startsWith(this.trustDomain)) ? uris.get(0) : null;
		}

	}

	static class DnsNameExtractor implements X509PrincipalExtractor {

		private static final int DNS_NAME = 2;

		@Override
		public @Nullable Object extractPrincipal(X509Certificate certificate) {
			List<String> names = AlternativeNames.of(certificate, DNS_NAME);
			return (names.size() == 1) ? names.get(0).toLowerCase(Locale.ROOT) : null;
		}

	}

	static final class AlternativeNames {

		private AlternativeNames() {
		}

		static List<String> of(X509Certificate certificate, int type) {
			try {
				Collection<List<?>> names = certificate.getSubjectAlternativeNames();
				return (names != null) ? names.stream()
					.filter((name) -> name.get(0).equals(type))
					.map((name) -> name.get(1).toString())
					.toList() : List.of();
			}
			catch (CertificateParsingException ex) {
				return List.of();
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebSecurity
	@RestController
	static class SpiffeSecurity extends Users {

		@Bean
		SecurityFilterChain securityFilterChain(HttpSecurity http) throws Exception {
			return http
				.x509((x509) -> x509.x509PrincipalExtractor(new SpiffeIdExtractor("example.org"))
					.authenticationUserDetailsService((token) -> new User(token.getName(), "", List.of())))
				.sessionManagement((sessions) -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
				.authorizeHttpRequests((requests) -> requests.requestMatchers("/orders/**")
					.access((authentication, request) -> new AuthorizationDecision(
							"spiffe://example.org/shop".equals(authentication.get().getName())))
					.anyRequest()
					.authenticated())
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebSecurity
	@RestController
	static class DnsSecurity extends Users {

		@Bean
		SecurityFilterChain securityFilterChain(HttpSecurity http) throws Exception {
			return http
				.x509((x509) -> x509.x509PrincipalExtractor(new DnsNameExtractor())
					.authenticationUserDetailsService((token) -> new User(token.getName(), "", List.of())))
				.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.build();
		}

	}

	static class Users {

		@GetMapping("/user")
		String user(Principal principal) {
			return principal.getName();
		}

		@GetMapping("/orders/1")
		String order() {
			return "order";
		}

	}

}
