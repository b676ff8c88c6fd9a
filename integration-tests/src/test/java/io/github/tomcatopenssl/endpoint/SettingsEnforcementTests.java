// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.List;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.jsse.JSSEImplementation;
import org.apache.tomcat.util.net.openssl.OpenSSLConf;
import org.apache.tomcat.util.net.openssl.OpenSSLConfCmd;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that the settings hold whatever other beans of an application do to them, or else
 * the application does not start.
 */
@Tag("jdk")
@ExtendWith(OutputCaptureExtension.class)
class SettingsEnforcementTests extends AbstractTlsServerTests {

	SettingsEnforcementTests() {
		super(WebApplicationType.SERVLET);
	}

	@ParameterizedTest
	@EnumSource
	void whenProtocolCustomizersAreReplacedThenSettingsHold(Engine engine) {
		try (TestServer server = start(Interference.class, engine,
				withRevocation("interference=protocol-customizers"))) {
			assertThat(connectAs(server, "other-client", "-tls1_3").isServed()).isFalse();
			assertThat(connectAs(server, "revoked", "-tls1_3").isServed()).isFalse();
			assertThat(connectAs(server, "client", "-tls1_3").isServed()).isTrue();
			assertThat(TlsClient.connect(server.port(), "-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA").cipher())
				.isEqualTo("(NONE)");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenContextCustomizersAreReplacedThenFails(Engine engine) {
		assertFails(engine, with(pem("p256"), "spring.interference=context-customizers"))
			.isInstanceOf(TlsSettingException.class)
			.withMessageContaining("did not receive its TLS settings");
	}

	@Test
	void whenProtocolIsReplacedThenDoesNotDropRevocation() {
		assertFails(Engine.JSSE, withRevocation("interference=protocol")).isInstanceOf(TlsSettingException.class)
			.withMessageContaining("the connector has the protocol 'org.apache.coyote.http11.Http11NioProtocol'");
	}

	@Test
	void whenProtocolIsReplacedThenDoesNotDropHandshakeTimeout() {
		assertFails(Engine.JSSE, with(pem("p256"), "spring.interference=protocol", "handshake-timeout=3s"))
			.isInstanceOf(TlsSettingException.class)
			.withMessageContaining("'server.ssl.handshake-timeout': the connector has the protocol");
	}

	@Test
	void whenProtocolIsReplacedThenDoesNotDropUnknownServerNames() {
		assertFails(Engine.JSSE, with(pem("p256"), "spring.interference=protocol", "unknown-server-name=reject"))
			.isInstanceOf(TlsSettingException.class)
			.withMessageContaining("'server.ssl.unknown-server-name': the connector has the protocol");
	}

	@Test
	void whenProtocolIsReplacedThenDoesNotDropTrustedProxies() {
		assertFails(Engine.JSSE, with(pem("p256"), "spring.interference=protocol", "proxy-protocol.trusted=10.0.0.0/8"))
			.isInstanceOf(TlsSettingException.class)
			.withMessageContaining("'server.ssl.proxy-protocol.trusted': the connector has the protocol");
	}

	@Test
	void whenProtocolIsReplacedThenJsseServes(CapturedOutput output) {
		try (TestServer server = TestServer.start(type(), Interference.class,
				List.of("server.ssl.certificate-file=" + file("p256.crt"),
						"server.ssl.certificate-key-file=" + file("p256.key"),
						"server.ssl.openssl.library-path=" + Provided.tomcatNative(),
						"spring.interference=protocol"))) {
			assertThat(TlsClient.connect(server.port()).isServed()).isTrue();
			assertThat(output).contains("WARN")
				.contains("OpenSSL is not active on port %d (https), JSSE serves TLS: the protocol of the connector is"
					.formatted(server.port()));
		}
	}

	@Test
	void whenProtocolIsReplacedAndOpenSslIsRequiredThenFails() {
		assertFails(Engine.OPENSSL, with(pem("p256"), "spring.interference=protocol"))
			.isInstanceOf(TlsSettingException.class)
			.withMessageContaining("the protocol of the connector is 'org.apache.coyote.http11.Http11NioProtocol'");
	}

	@ParameterizedTest
	@EnumSource
	void whenTlsIsTurnedOnByACustomizerThenDefaultsHoldOverAReload(Engine engine) {
		try (TestServer server = start(Interference.class, engine,
				with(with(bundle("mine", "p256"), bundle("next", "p384")), "spring.interference=ssl"))) {
			assertThat(TlsClient.connect(server.port(), "-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA").cipher())
				.isEqualTo("(NONE)");
			server.bundles().updateBundle("mine", server.bean(SslBundles.class).getBundle("next"));
			assertThat(TlsClient.connect(server.port())).returns("p384", Handshake::subject)
				.returns(true, Handshake::isServed);
			assertThat(TlsClient.connect(server.port(), "-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA").cipher())
				.isEqualTo("(NONE)");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenTrustManagerIsReplacedThenDoesNotDropRevocation(Engine engine) {
		assertFails(engine, withRevocation("interference=trust-manager")).isInstanceOf(TlsSettingException.class)
			.withMessageContaining("has its own trust manager");
	}

	@ParameterizedTest
	@EnumSource
	void whenTrustManagersCheckNoRevocationThenFails(Engine engine) {
		assertFails(engine, withRevocation("interference=trust-algorithm")).isInstanceOf(TlsSettingException.class)
			.withMessageContaining("has the trust manager algorithm 'SunX509'");
	}

	@ParameterizedTest
	@EnumSource
	void whenContextIsProvidedThenDoesNotDropRevocation(Engine engine) {
		assertFails(engine, withRevocation("interference=context"));
	}

	@ParameterizedTest
	@EnumSource
	void whenConnectorHasAFileOfAuthoritiesThenClientsAreVerifiedAgainstIt(Engine engine) {
		try (TestServer server = start(Interference.class, engine, with(pem("p256"), "spring.interference=ca-file"))) {
			assertThat(TlsClient.connect(server.port()).isServed()).isFalse();
			assertThat(TlsClient
				.connect(server.port(), "-cert", file("client.crt").toString(), "-key", file("client.key").toString())
				.isServed()).isTrue();
		}
	}

	@ParameterizedTest
	@CsvSource({ "groups,P-256", "Curves,P-256", "CipherString,kRSA", "Protocol,ALL", "MinProtocol,TLSv1.2",
			"maxprotocol,TLSv1.2", "Options,AllowNoDHEKEX" })
	void whenConfigurationOfOpenSslUndoesTheGroupsThenFails(String command, String value) {
		assertFails(Engine.OPENSSL,
				with(pem("rsa"), "groups=x25519", "spring.interference=openssl-conf", "spring.command=" + command,
						"spring.value=" + value))
			.isInstanceOf(TlsSettingException.class)
			.withMessageContaining("'%s' of the OpenSSL configuration".formatted(command));
	}

	@ParameterizedTest
	@EnumSource
	void whenNameOrSuiteCannotServeThenFails(Engine engine) {
		for (String protocols : List.of("tlsv1.3", "TLSv1.4", "Unknown,TLSv1.2", "TLSv1", "SSLv3")) {
			assertFails(engine, with(pem("p256"), "enabled-protocols=" + protocols))
				.withMessageContaining("'server.ssl.enabled-protocols': ")
				.withMessageContaining("does not support '" + protocols.split(",")[0] + "'");
		}
		for (String ciphers : List.of("FOO", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,FOO")) {
			assertFails(engine, with(pem("p256"), "ciphers=" + ciphers))
				.withMessageContaining("'server.ssl.ciphers': there is no cipher suite with the name 'FOO'");
		}
		assertFails(engine, with(pem("p256"), "ciphers=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"))
			.withMessageContaining("none of its TLS 1.2 cipher suites fits the EC key");
	}

	private String[] withRevocation(String interference) {
		if (!certificates().file("revoked.crt").toFile().exists()) {
			certificates().issue("ca", "revoked", "extendedKeyUsage=clientAuth", "20250101000000Z", "20980101000000Z");
			certificates().revoke("ca", "revoked");
		}
		return with(pem("p256"), "client-auth=need", "ca-certificate-file=" + file("ca.crt"),
				"certificate-revocation-list-file=" + certificates().revocationList("ca", "enforced.crl"),
				"spring." + interference);
	}

	private ThrowableAssertAlternative<?> assertFails(Engine engine, String... properties) {
		return assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> start(Interference.class, engine, properties).close())
			.havingRootCause();
	}

	@Configuration(proxyBeanMethods = false)
	static class Interference {

		@Bean
		@Order(1000)
		WebServerFactoryCustomizer<TomcatWebServerFactory> interferingCustomizer(
				@Value("${spring.interference:none}") String kind, Environment environment) {
			return (factory) -> {
				switch (kind) {
					case "ssl" -> factory.setSsl(Ssl.forBundle("mine"));
					case "trust-manager" ->
						factory.addConnectorCustomizers((connector) -> connector.findSslHostConfigs()[0]
							.setTrustManagerClassName("com.example.TrustsAll"));
					case "trust-algorithm" -> factory.addConnectorCustomizers(
							(connector) -> connector.findSslHostConfigs()[0].setTruststoreAlgorithm("SunX509"));
					case "context" -> factory.addConnectorCustomizers(Interference::provideContext);
					case "ca-file" -> factory.addConnectorCustomizers((connector) -> {
						SSLHostConfig host = connector.findSslHostConfigs()[0];
						host.setCertificateVerification("required");
						host.setCaCertificateFile(TestCertificates.get().file("ca.crt").toString());
					});
					case "openssl-conf" -> factory.addConnectorCustomizers((connector) -> {
						OpenSSLConf conf = new OpenSSLConf();
						conf.addCmd(new OpenSSLConfCmd(environment.getProperty("spring.command"),
								environment.getProperty("spring.value")));
						connector.findSslHostConfigs()[0].setOpenSslConf(conf);
					});
					default -> change(factory, kind);
				}
			};
		}

		private static void provideContext(Connector connector) {
			try {
				SSLContext context = new JSSEImplementation().getSSLUtil(certificate(connector))
					.createSSLContext(List.of());
				certificate(connector).setSslContext(context);
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

		private static SSLHostConfigCertificate certificate(Connector connector) {
			return connector.findSslHostConfigs()[0].getCertificates().iterator().next();
		}

		// Comes after all customizers
		@Bean
		static BeanPostProcessor interferingPostProcessor(Environment environment) {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String beanName) {
					if (bean instanceof TomcatWebServerFactory factory) {
						change(factory, environment.getProperty("spring.interference", "none"));
					}
					return bean;
				}

			};
		}

		private static void change(TomcatWebServerFactory factory, String kind) {
			switch (kind) {
				case "protocol-customizers" -> factory.setProtocolHandlerCustomizers(List.of());
				case "context-customizers" -> factory.setContextCustomizers(List.of());
				case "protocol" -> factory.setProtocol(Http11NioProtocol.class.getName());
				default -> {
				}
			}
		}

	}

}
