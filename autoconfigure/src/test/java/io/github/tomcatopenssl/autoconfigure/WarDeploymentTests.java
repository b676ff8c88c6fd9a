// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.nio.file.Path;
import java.util.Set;

import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.modeler.Registry;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.support.SpringBootServletInitializer;
import org.springframework.web.SpringServletContainerInitializer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of applications in a Tomcat that they have not started.
 */
@ExtendWith(OutputCaptureExtension.class)
class WarDeploymentTests {

	private static final String LINE = "INFO.*WarDeploymentAutoConfiguration *: The properties of 'server\\.ssl' have no effect in a WAR: the container serves TLS";

	@TempDir
	private Path folder;

	@Test
	void whenTlsIsConfiguredThenSaysOnceThatTheContainerServesIt(CapturedOutput output) throws Exception {
		assertServes(Configured.class);
		assertThat(output.toString().lines().filter((line) -> line.matches(".*" + LINE))).hasSize(1);
	}

	@Test
	void whenTlsIsNotConfiguredThenSaysNothing(CapturedOutput output) throws Exception {
		assertServes(Initializer.class);
		assertThat(output).doesNotContain("the container serves TLS");
	}

	private void assertServes(Class<?> initializer) throws Exception {
		// As Spring Boot does for its servers, which warn where another has not done so
		// before them
		Registry.disableRegistry();
		Tomcat tomcat = new Tomcat();
		tomcat.setBaseDir(this.folder.toString());
		Connector connector = connector();
		tomcat.setConnector(connector);
		Context context = tomcat.addContext("", this.folder.toString());
		context.addServletContainerInitializer(new SpringServletContainerInitializer(), Set.of(initializer));
		tomcat.start();
		try {
			assertThat(context.getState()).isEqualTo(LifecycleState.STARTED);
			assertThat(TlsClient.connect(connector.getLocalPort())).returns(true, Handshake::isServed)
				.returns("p384", Handshake::subject);
		}
		finally {
			tomcat.stop();
			tomcat.destroy();
		}
	}

	private static Connector connector() {
		Connector connector = new Connector();
		connector.setPort(0);
		connector.setScheme("https");
		connector.setSecure(true);
		connector.setProperty("SSLEnabled", "true");
		SSLHostConfig host = new SSLHostConfig();
		SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(host, Type.UNDEFINED);
		certificate.setCertificateFile(TestCertificates.get().file("p384.crt").toString());
		certificate.setCertificateKeyFile(TestCertificates.get().file("p384.key").toString());
		host.addCertificate(certificate);
		connector.addSslHostConfig(host);
		return connector;
	}

	/**
	 * Starts the application without a server.
	 */
	public static class Initializer extends SpringBootServletInitializer {

		@Override
		protected SpringApplicationBuilder configure(SpringApplicationBuilder builder) {
			return builder.sources(TestServer.Application.class).properties("spring.jmx.enabled=false");
		}

	}

	/**
	 * Configures TLS as well.
	 */
	public static class Configured extends Initializer {

		@Override
		protected SpringApplicationBuilder configure(SpringApplicationBuilder builder) {
			return super.configure(builder).properties("server.ssl.bundle=mine", "server.ssl.openssl.mode=always");
		}

	}

}
