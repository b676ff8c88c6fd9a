// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.nio.file.Path;
import java.util.Set;

import io.github.tomcatopenssl.test.CatalinaHome;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.modeler.Registry;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.support.SpringBootServletInitializer;
import org.springframework.web.SpringServletContainerInitializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of applications that are deployed as a WAR to a Tomcat.
 */
@Tag("jdk")
@ExtendWith(OutputCaptureExtension.class)
@Tag("servers")
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

	@Test
	void whenContainerWouldDropASettingThenApplicationDoesNotStart(CapturedOutput output) throws Exception {
		Tomcat tomcat = new Tomcat();
		try {
			assertThatExceptionOfType(LifecycleException.class)
				.isThrownBy(() -> start(tomcat, connector(), Requiring.class));
			assertThat(output).contains("server.ssl.openssl.mode", "the container that runs the WAR serves TLS");
		}
		finally {
			tomcat.stop();
			tomcat.destroy();
		}
	}

	private Context start(Tomcat tomcat, Connector connector, Class<?> initializer) throws Exception {
		// As Spring Boot does for its servers, which warn where another has not done so
		// before them
		Registry.disableRegistry();
		CatalinaHome.forget();
		tomcat.setBaseDir(this.folder.toString());
		tomcat.setConnector(connector);
		Context context = tomcat.addContext("", this.folder.toString());
		context.addServletContainerInitializer(new SpringServletContainerInitializer(), Set.of(initializer));
		tomcat.start();
		return context;
	}

	private void assertServes(Class<?> initializer) throws Exception {
		Tomcat tomcat = new Tomcat();
		Connector connector = connector();
		Context context = start(tomcat, connector, initializer);
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
			return super.configure(builder).properties("server.ssl.bundle=mine",
					"server.ssl.openssl.mode=when-available");
		}

	}

	/**
	 * Requires what the container does not enforce.
	 */
	public static class Requiring extends Initializer {

		@Override
		protected SpringApplicationBuilder configure(SpringApplicationBuilder builder) {
			return super.configure(builder).properties("server.ssl.bundle=mine", "server.ssl.openssl.mode=always");
		}

	}

}
