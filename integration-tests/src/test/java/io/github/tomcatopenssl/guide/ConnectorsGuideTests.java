// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.endpoint.TlsConnectors;
import io.github.tomcatopenssl.endpoint.TlsHttp11NioProtocol;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TlsClient;
import org.apache.catalina.connector.Connector;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of the snippets in docs/connectors.md.
 */
@Tag("servers")
@ExtendWith(OutputCaptureExtension.class)
class ConnectorsGuideTests {

	private final TestCertificates certificates = TestCertificates.get();

	@Test
	void whenCertificateOfSecondConnectorIsReplacedThenItIsServed() throws IOException {
		copy("p256");
		String bundle = "spring.ssl.bundle.pem.internal.keystore.";
		try (TestServer server = start(Second.class, "internal.port=0",
				bundle + "certificate=" + this.certificates.file("internal.crt"),
				bundle + "private-key=" + this.certificates.file("internal.key"))) {
			Connector second = server.connectors().get(1);
			assertThat(TlsConnectors.engines(second)).containsExactly(TlsConnectors.OPENSSL);
			assertThat(TlsClient.connect(second.getLocalPort()).subject()).isEqualTo("p256");
			copy("p384");
			server.bean(SslBundleRegistry.class)
				.updateBundle("internal", server.bean(SslBundles.class).getBundle("internal"));
			assertThat(TlsClient.connect(second.getLocalPort()).subject()).isEqualTo("p384");
			assertThat(TlsClient.connect(server.port()).subject()).isEqualTo("rsa");
		}
	}

	@Test
	void whenKeyOfSecondConnectorCannotBeReadThenFailureNamesIt(CapturedOutput output) throws IOException {
		copy("p256");
		this.certificates.openssl("pkcs8", "-topk8", "-scrypt", "-in", "p256.key", "-passout", "pass:secret", "-out",
				"internal.key");
		String bundle = "spring.ssl.bundle.pem.internal.keystore.";
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> start(Second.class, "internal.port=0",
				bundle + "certificate=" + this.certificates.file("p256.crt"),
				bundle + "private-key=" + this.certificates.file("p256.key")));
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: certificateKeyFile",
				"File: " + this.certificates.file("internal.key"), "is encrypted, but no password is set",
				"Set 'certificateKeyPassword' to its password.");
	}

	private TestServer start(Class<?> configuration, String... properties) {
		List<String> all = new ArrayList<>(List.of(properties));
		all.add("server.ssl.certificate-file=" + this.certificates.file("rsa.crt"));
		all.add("server.ssl.certificate-key-file=" + this.certificates.file("rsa.key"));
		all.add("server.ssl.openssl.library-path=" + Provided.tomcatNative());
		all.add("internal.certificate-file=" + this.certificates.file("internal.crt"));
		all.add("internal.key-file=" + this.certificates.file("internal.key"));
		return TestServer.start(WebApplicationType.SERVLET, configuration, all);
	}

	private void copy(String name) throws IOException {
		for (String extension : List.of(".crt", ".key")) {
			Files.copy(this.certificates.file(name + extension), this.certificates.file("internal" + extension),
					StandardCopyOption.REPLACE_EXISTING);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Second {

		@Bean
		WebServerFactoryCustomizer<TomcatServletWebServerFactory> internalConnector(SslBundles bundles,
				@Value("${internal.port:9443}") int port, @Value("${internal.certificate-file}") String certificateFile,
				@Value("${internal.key-file}") String keyFile) {
			return (factory) -> {
				SSLHostConfig host = new SSLHostConfig();
				SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(host, Type.UNDEFINED);
				certificate.setCertificateFile(certificateFile);
				certificate.setCertificateKeyFile(keyFile);
				host.addCertificate(certificate);
				TlsHttp11NioProtocol protocol = new TlsHttp11NioProtocol();
				protocol.setSSLEnabled(true);
				protocol.addSslHostConfig(host);
				Connector connector = new Connector(protocol);
				connector.setPort(port);
				connector.setScheme("https");
				connector.setSecure(true);
				factory.addAdditionalConnectors(connector);
				bundles.addBundleUpdateHandler("internal", (bundle) -> protocol.reloadSslHostConfigs());
			};
		}

	}

}
