// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;

import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests that files that were refused are not used later, when Tomcat creates the contexts
 * of a virtual host again for another reason.
 */
@ExtendWith(OutputCaptureExtension.class)
class RefusedReloadTests extends AbstractTlsServerTests {

	/**
	 * Its own handler refuses a certificate where the registry fails.
	 */
	private static final String METRICS_OF_SPRING_BOOT = "org.springframework.boot.micrometer.metrics.autoconfigure.ssl.SslMetricsAutoConfiguration";

	@TempDir
	private Path folder;

	RefusedReloadTests() {
		super(WebApplicationType.SERVLET);
	}

	@ParameterizedTest
	@EnumSource
	void whenRevocationListIsRefusedThenTheOneBeforeStaysInUse(Engine engine) throws Exception {
		String client = "kept-" + engine;
		certificates().issue("ca", client, "extendedKeyUsage=clientAuth", "20250101000000Z", "20980101000000Z");
		Path list = this.folder.resolve("ca.crl");
		for (String reload : new String[] { "true", "false" }) {
			Files.copy(certificates().revocationList("ca", "valid.crl"), list, StandardCopyOption.REPLACE_EXISTING);
			try (TestServer server = start(engine,
					with(pem("p256"), "client-auth=need", "ca-certificate-file=" + file("ca.crt"),
							"certificate-revocation-list-file=" + list, "reload-on-update=" + reload))) {
				assertThat(connectAs(server, client, "-tls1_3").isServed()).isTrue();
				Files.copy(certificates().revocationList("ca", "outdated.crl", "-crl_lastupdate", "20250101000000Z",
						"-crl_nextupdate", "20250102000000Z"), list, StandardCopyOption.REPLACE_EXISTING);
				reload(server);
				assertThat(connectAs(server, client, "-tls1_3").isServed()).as("reload-on-update=" + reload).isTrue();
				Files.delete(list);
				reload(server);
				assertThat(connectAs(server, client, "-tls1_3").isServed()).as("reload-on-update=" + reload).isTrue();
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenBundleIsRefusedThenTheHostIsStillServedWithTheOneBefore(Engine engine) throws Exception {
		try (TestServer server = start(engine, with(bundle("mine", "p256"), "server.ssl.bundle=mine"))) {
			SslBundle refused = SslBundle.of(SslStoreBundle.of(emptyKeyStore(), null, null));
			assertThatException().isThrownBy(() -> server.bundles().updateBundle("mine", refused));
			assertThatException().isThrownBy(() -> reload(server))
				.havingRootCause()
				.withMessage(
						"'server.ssl': the key store of the virtual host '_default_' has no private key, only 0 certificates");
			assertThat(TlsClient.connect(server.port())).returns("p256", Handshake::subject)
				.returns(true, Handshake::isServed);
		}
	}

	private static void reload(TestServer server) {
		((AbstractHttp11Protocol<?>) server.connectors().get(0).getProtocolHandler()).reloadSslHostConfigs();
	}

	private static KeyStore emptyKeyStore() throws GeneralSecurityException, IOException {
		KeyStore keyStore = KeyStore.getInstance("PKCS12");
		keyStore.load(null, null);
		return keyStore;
	}

	@Test
	void whenMeterRegistryFailsThenCertificateIsUsedAllTheSame(CapturedOutput output) {
		try (TestServer server = start(FailingMetrics.class, Engine.JSSE,
				with(with(pem("rsa"), bundle("next", "other")), "server.test.actuator=true",
						"spring.autoconfigure.exclude=" + METRICS_OF_SPRING_BOOT))) {
			server.bean(FailingMetrics.class).failing = true;
			server.bundles().updateBundle("server-ssl", server.bean(SslBundles.class).getBundle("next"));
			assertThat(TlsClient.connect(server.port()).subject()).isEqualTo("other");
			assertThat(output).contains("The metric 'tomcat.ssl.certificate.expiry' of the SSL bundle 'server-ssl'");
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class FailingMetrics {

		private volatile boolean failing;

		@Bean
		MeterRegistry meterRegistry() {
			return new SimpleMeterRegistry() {

				@Override
				public Meter remove(Meter.Id id) {
					failIfAsked();
					return super.remove(id);
				}

			};
		}

		private void failIfAsked() {
			if (this.failing) {
				throw new IllegalStateException("The registry fails");
			}
		}

	}

}
