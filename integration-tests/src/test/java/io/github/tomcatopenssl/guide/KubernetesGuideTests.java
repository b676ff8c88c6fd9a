// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TestServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the snippet in docs/kubernetes-mtls.md.
 */
@Tag("servers")
class KubernetesGuideTests {

	private final TestCertificates certificates = TestCertificates.get();

	@TempDir
	private Path folder;

	@Test
	void clientsAreAuthenticatedAndProbesNeedNoCertificate() throws IOException {
		issue("ca", "orders", "/CN=orders");
		issue("ca", "billing", "/CN=billing");
		issue("ca", "pretender", "/CN=billing/O=CN=orders,x");
		issue("other-ca", "renewed", "/CN=orders");
		Path ca = this.folder.resolve("ca.crt");
		Files.copy(this.certificates.file("ca.crt"), ca);
		try (TestServer server = start(ca)) {
			int port = server.port();
			assertThat(get(port, "/user", as("orders"))).isEqualTo("orders 200");
			assertThat(get(port, "/orders/1", as("orders"))).isEqualTo("order 200");
			assertThat(get(port, "/orders/1",
					Stream.concat(Stream.of(as("orders")), Stream.of("-X", "POST")).toArray(String[]::new)))
				.isEqualTo("order 200");
			for (String other : List.of("billing", "pretender")) {
				assertThat(get(port, "/user", as(other))).isEqualTo("billing 200");
				assertThat(get(port, "/orders/1", as(other))).endsWith(" 403");
			}
			int management = Integer.parseInt(server.property("local.management.port"));
			assertThat(get(management, "/actuator/health/liveness")).endsWith(" 200");
			assertThat(get(management, "/actuator/prometheus")).endsWith(" 404");
			assertThat(get(management, "/actuator/tls")).endsWith(" 403");
			Path next = this.folder.resolve("next.crt");
			Files.copy(this.certificates.file("other-ca.crt"), next);
			Files.move(next, ca, StandardCopyOption.ATOMIC_MOVE);
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> run(port, "/orders/1", as("renewed")).equals("order 200"));
			assertThat(run(port, "/orders/1", as("orders"))).endsWith(" 000");
		}
	}

	private void issue(String ca, String name, String subject) {
		this.certificates.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
				subject, "-keyout", name + ".key", "-out", name + ".csr");
		this.certificates.write(name + ".ext", "extendedKeyUsage=clientAuth\n");
		this.certificates.openssl("x509", "-req", "-in", name + ".csr", "-CA", ca + ".crt", "-CAkey", ca + ".key",
				"-CAcreateserial", "-days", "30", "-extfile", name + ".ext", "-out", name + ".crt");
	}

	private TestServer start(Path ca) {
		return TestServer.start(WebApplicationType.SERVLET, Application.class,
				List.of("server.ssl.certificate-file=" + this.certificates.file("p256.crt"),
						"server.ssl.certificate-key-file=" + this.certificates.file("p256.key"),
						"server.ssl.openssl.library-path=" + Provided.tomcatNative(), "server.ssl.client-auth=need",
						"server.ssl.ca-certificate-file=" + ca, "management.server.port=0",
						"management.server.ssl.client-auth=none", "management.endpoint.health.probes.enabled=true",
						"management.endpoints.web.exposure.include=health,tls"));
	}

	private String[] as(String name) {
		return new String[] { "--cert", this.certificates.file(name + ".crt").toString(), "--key",
				this.certificates.file(name + ".key").toString() };
	}

	private static String get(int port, String path, String... options) {
		String answer = run(port, path, options);
		assertThat(answer).doesNotEndWith(" 000");
		return answer;
	}

	private static String run(int port, String path, String... options) {
		List<String> command = Stream.concat(Stream.of("curl", "-sk", "--max-time", "20", "-w", " %{http_code}",
				"https://localhost:%d%s".formatted(port, path)), Stream.of(options))
			.toList();
		return Commands.run("", command).output();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebSecurity
	static class ClientSecurity {

		@Bean
		SecurityFilterChain securityFilterChain(HttpSecurity http) throws Exception {
			return http
				.x509((x509) -> x509.authenticationUserDetailsService((token) -> new User(token.getName(), "",
						AuthorityUtils.createAuthorityList("CLIENT_" + token.getName()))))
				.csrf((csrf) -> csrf.disable())
				.sessionManagement((sessions) -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
				.authorizeHttpRequests(
						(requests) -> requests.requestMatchers("/actuator/health/**", "/actuator/prometheus")
							.permitAll()
							.requestMatchers("/orders/**")
							.hasAuthority("CLIENT_orders")
							.anyRequest()
							.authenticated())
				.build();
		}

	}

	@RestController
	@Import(ClientSecurity.class)
	static class Application {

		@GetMapping("/user")
		String user(Principal principal) {
			return principal.getName();
		}

		@RequestMapping("/orders/1")
		String order() {
			return "order";
		}

	}

}
