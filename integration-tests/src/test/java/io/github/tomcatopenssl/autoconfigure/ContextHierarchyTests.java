// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;

import io.github.tomcatopenssl.certificate.CertificateReloads;
import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.tomcat.reactive.TomcatReactiveWebServerFactory;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.server.reactive.HttpHandler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of applications whose context has a parent, with certificate files that are
 * replaced while they run.
 */
@ParameterizedClass
@EnumSource(names = { "SERVLET", "REACTIVE" })
class ContextHierarchyTests extends AbstractTlsServerTests {

	@TempDir
	private Path folder;

	ContextHierarchyTests(WebApplicationType type) {
		super(type);
	}

	@ParameterizedTest
	@EnumSource
	void whenParentHasNoServerThenChildServesItsFiles(Engine engine) throws Exception {
		put("p256", "tls");
		try (TestServer parent = parent(); TestServer child = startChild(parent, Object.class, engine, files("tls"))) {
			assertServes(child, "p256");
			put("p384", "tls");
			awaitServes(child, "p384");
		}
	}

	@Test
	void whenChildrenHaveFilesOfTheirOwnThenEachServesItsOwn() throws Exception {
		put("p256", "first");
		put("rsa", "second");
		try (TestServer parent = parent();
				TestServer second = startChild(parent, Object.class, Engine.OPENSSL, files("second"))) {
			try (TestServer first = startChild(parent, Object.class, Engine.OPENSSL, files("first"))) {
				assertServes(first, "p256");
				assertServes(second, "rsa");
				put("p384", "first");
				awaitServes(first, "p384");
				assertServes(second, "rsa");
				put("other", "second");
				awaitServes(second, "other");
				assertServes(first, "p384");
			}
			put("p256", "second");
			awaitServes(second, "p256");
			try (TestServer again = startChild(parent, Object.class, Engine.OPENSSL, files("first"))) {
				assertServes(again, "p384");
				put("rsa", "first");
				awaitServes(again, "rsa");
				assertServes(second, "p256");
			}
			second.restart();
			assertServes(second, "p256");
			put("p384", "second");
			awaitServes(second, "p384");
			assertThat(second.bean(CertificateReloads.class).status()).singleElement()
				.returns(3L, CertificateReloads.Status::succeeded)
				.returns(null, CertificateReloads.Status::problem);
		}
	}

	@Test
	void whenParentServesTooThenEachServesItsOwn() throws Exception {
		put("p256", "parent");
		put("rsa", "child");
		try (TestServer parent = start(Engine.OPENSSL, with(files("parent"), bundle("mine", "p384")))) {
			try (TestServer child = startChild(parent, ChildApplication.class, Engine.OPENSSL, with(files("child"),
					"server-name-bundles[0].server-name=mine.example.com", "server-name-bundles[0].bundle=mine"))) {
				assertServes(parent, "p256");
				assertServes(child, "rsa");
				assertThat(TlsClient.connect(child.port(), "-servername", "mine.example.com").subject())
					.isEqualTo("p384");
				assertThat(child.bean(SslBundles.class).getBundleNames()).containsExactly("mine", "server-ssl");
				put("other", "child");
				awaitServes(child, "other");
				assertServes(parent, "p256");
				put("p384", "parent");
				awaitServes(parent, "p384");
				assertServes(child, "other");
			}
			put("rsa", "parent");
			awaitServes(parent, "rsa");
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { Object.class, BundlesConfiguration.class })
	void whenSpringCloudHasBootstrapContextThenServesFiles(Class<?> bootstrap) throws Exception {
		put("p256", "tls");
		try (TestServer server = start(Engine.OPENSSL, with(files("tls"), "server.test.cloud=true",
				"spring.cloud.bootstrap.enabled=true", "spring.cloud.bootstrap.sources=" + bootstrap.getName()))) {
			assertThat(server.hasParent()).isTrue();
			assertServes(server, "p256");
			put("p384", "tls");
			awaitServes(server, "p384");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "mine" })
	void whenChildHasManagementServerThenItServesToo(String bundle) throws Exception {
		put("p256", "tls");
		String[] management = { "management.server.port=0", "management.server.ssl.bundle=mine" };
		try (TestServer parent = TestServer.start(WebApplicationType.NONE, Object.class,
				List.of(bundle("mine", "rsa")));
				TestServer child = startChild(parent, Object.class, Engine.OPENSSL,
						with(files("tls"), bundle.isEmpty() ? new String[] { management[0] } : management))) {
			int port = Integer.parseInt(child.property("local.management.port"));
			assertThat(TlsClient.connect(port).subject()).isEqualTo(bundle.isEmpty() ? "p256" : "rsa");
			put("p384", "tls");
			awaitServes(child, "p384");
			Awaitility.await()
				.untilAsserted(() -> assertThat(TlsClient.connect(port).subject())
					.isEqualTo(bundle.isEmpty() ? "p384" : "rsa"));
		}
	}

	private static TestServer parent() {
		return TestServer.start(WebApplicationType.NONE, Object.class, List.of());
	}

	private static void assertServes(TestServer server, String subject) {
		assertThat(TlsClient.connect(server.port())).returns(subject, Handshake::subject)
			.returns(true, Handshake::isServed);
	}

	private static void awaitServes(TestServer server, String subject) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.pollInterval(Duration.ofMillis(100))
			.untilAsserted(() -> assertServes(server, subject));
	}

	private void put(String name, String target) throws IOException {
		Path files = Files.createDirectories(this.folder.resolve(target));
		for (String type : List.of("crt", "key")) {
			Files.copy(certificates().file(name + "." + type), files.resolve("tls." + type),
					StandardCopyOption.REPLACE_EXISTING);
		}
	}

	private String[] files(String name) {
		return new String[] { "certificate-file=" + this.folder.resolve(name).resolve("tls.crt"),
				"certificate-key-file=" + this.folder.resolve(name).resolve("tls.key") };
	}

	/**
	 * The server and what it serves, which Spring Boot takes from the parent if that is a
	 * web application.
	 */
	@Configuration(proxyBeanMethods = false)
	static class ChildApplication {

		@Bean
		@ConditionalOnWebApplication(type = Type.SERVLET)
		ServletRegistrationBean<HttpServlet> hello() {
			return new ServletRegistrationBean<>(new HttpServlet() {

				@Override
				protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
					response.getWriter().print("hello");
				}

			}, "/hello");
		}

		@Bean
		@ConditionalOnWebApplication(type = Type.REACTIVE)
		TomcatReactiveWebServerFactory server() {
			return new TomcatReactiveWebServerFactory();
		}

		@Bean
		@ConditionalOnWebApplication(type = Type.REACTIVE)
		HttpHandler handler() {
			return (request, response) -> response.writeWith(Mono
				.fromSupplier(() -> response.bufferFactory().wrap("hello".getBytes(StandardCharsets.US_ASCII))));
		}

	}

	/**
	 * What a bootstrap context has that calls something with TLS.
	 */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(SslAutoConfiguration.class)
	static class BundlesConfiguration {

	}

}
