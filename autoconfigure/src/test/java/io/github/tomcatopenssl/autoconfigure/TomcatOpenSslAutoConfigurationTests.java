// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.LibrarySource;
import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint;
import io.github.tomcatopenssl.autoconfigure.actuate.TomcatOpenSslActuatorAutoConfiguration;
import io.github.tomcatopenssl.internal.library.TomcatNativeLoader;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.autoconfigure.context.properties.ConfigurationPropertiesReportEndpointAutoConfiguration;
import org.springframework.boot.actuate.context.properties.ConfigurationPropertiesReportEndpoint;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport.ConditionAndOutcomes;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.context.servlet.AnnotationConfigServletWebApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TomcatOpenSslAutoConfiguration} and
 * {@link TomcatOpenSslActuatorAutoConfiguration}, and of what
 * {@link TomcatOpenSslWebServerFactoryCustomizer} does with {@link ConnectorSettings}.
 */
class TomcatOpenSslAutoConfigurationTests {

	private static final AutoConfigurations AUTO_CONFIGURATIONS = AutoConfigurations
		.of(TomcatOpenSslAutoConfiguration.class);

	private static final AutoConfigurations ALL = AutoConfigurations.of(SslAutoConfiguration.class,
			CertificateFileAutoConfiguration.class, TomcatOpenSslAutoConfiguration.class,
			TomcatOpenSslActuatorAutoConfiguration.class);

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner(
			AnnotationConfigServletWebApplicationContext::new)
		.withConfiguration(AUTO_CONFIGURATIONS);

	@Test
	void whenApplicationIsWebApplicationThenConfigures() {
		assertThat(this.runner).satisfies(TomcatOpenSslAutoConfigurationTests::configures);
		configures(new ReactiveWebApplicationContextRunner().withConfiguration(AUTO_CONFIGURATIONS));
	}

	@Test
	void whenApplicationIsNotWebApplicationThenBacksOff() {
		backsOff(new ApplicationContextRunner().withConfiguration(AUTO_CONFIGURATIONS));
	}

	@Test
	void whenThereIsNoTomcatThenBacksOff() {
		backsOff(this.runner.withClassLoader(new FilteredClassLoader(Tomcat.class)));
		backsOff(this.runner.withClassLoader(new FilteredClassLoader("org.apache.catalina", "org.apache.tomcat",
				"org.apache.coyote", "org.springframework.boot.tomcat")));
	}

	@Test
	void whenSpringBootDoesNotKnowTomcatThenBacksOff() {
		backsOff(this.runner.withClassLoader(new FilteredClassLoader(TomcatWebServerFactory.class)));
	}

	@Test
	void whenDeployedAsWarThenBacksOff() {
		backsOff(new WebApplicationContextRunner().withConfiguration(AUTO_CONFIGURATIONS));
	}

	@Test
	void whenUserDefinesTomcatNativeThenUsesIt() {
		TomcatNative mine = new TomcatNativeLoader(LibrarySource.SYSTEM, null, null, FipsMode.OFF);
		this.runner.withBean(TomcatNative.class, () -> mine)
			.run((context) -> assertThat(context).getBean(TomcatNative.class).isSameAs(mine));
	}

	@Test
	void whenPathIsSetThenItIsTheOnlyOneThatIsTried(@TempDir Path folder) {
		this.runner.withPropertyValues("server.ssl.openssl.library-path=" + folder).run((context) -> {
			TomcatNative tomcatNative = context.getBean(TomcatNative.class);
			assertThat(tomcatNative.isAvailable()).isFalse();
			assertThat(tomcatNative.status().attempts()).singleElement()
				.satisfies((attempt) -> assertThat(attempt.location()).isEqualTo(folder.toString()));
			assertThat(tomcatNative.unavailabilityCause()).hasMessageContaining("'" + folder + "'");
		});
	}

	@Test
	void whenServerHasNoTlsThenCustomizerLeavesItAlone() {
		this.runner.run((context) -> {
			TomcatServletWebServerFactory factory = new TomcatServletWebServerFactory(0);
			context.getBean(TomcatOpenSslWebServerFactoryCustomizer.class).customize(factory);
			assertThat(factory.getProtocol()).isEqualTo(TomcatWebServerFactory.DEFAULT_PROTOCOL);
			assertThat(factory.getProtocolHandlerCustomizers()).isEmpty();
		});
	}

	@ParameterizedTest
	@CsvSource({ "proxy-protocol.trusted, 10.0.0.0/33", "proxy-protocol.trusted, balancer.internal",
			"unknown-server-name-allowed, 10.0.0.0/33" })
	void whenOneOfTheAddressesIsNoneThenFailsWithIt(String property, String value) {
		this.runner.withPropertyValues("server.ssl." + property + "=10.0.0.0/8," + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class,
						(failure) -> assertThat(failure)
							.returns("server.ssl." + property, InvalidConfigurationPropertyValueException::getName)
							.hasMessageContaining("'%s'".formatted(value))));
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "0s", "-1s", "999ms" })
	void whenHandshakeTimeoutIsLessThanASecondThenFails(String timeout) {
		this.runner.withPropertyValues("server.ssl.handshake-timeout=" + timeout)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageContaining("server.ssl.handshake-timeout"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "-1", "65536" })
	void whenRedirectPortIsNoPortThenFails(String port) {
		this.runner.withPropertyValues("server.ssl.http-redirect-port=" + port)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageContaining("server.ssl.http-redirect-port"));
	}

	@Test
	void whenHandshakeTimeoutHasNoUnitThenItIsInSeconds() {
		this.runner.withPropertyValues("server.ssl.handshake-timeout=10")
			.run((context) -> assertThat(context.getBean(TomcatOpenSslProperties.class).handshakeTimeout())
				.isEqualTo(Duration.ofSeconds(10)));
	}

	@Test
	void whenActuatorAndMicrometerArePresentThenTheyShowTls() {
		new WebApplicationContextRunner(AnnotationConfigServletWebApplicationContext::new).withConfiguration(ALL)
			.withBean(SimpleMeterRegistry.class)
			.withPropertyValues("management.endpoints.web.exposure.include=tls")
			.run((context) -> assertThat(context).hasSingleBean(TlsEndpoint.class)
				.hasBean("tomcatOpenSslHealthIndicator")
				.hasBean("tlsConnectorMetrics")
				.hasBean("certificateMetrics"));
	}

	@ParameterizedTest
	@CsvSource({ "org.springframework.boot.actuate,Endpoint", "org.springframework.boot.health,HealthIndicator",
			"io.micrometer,Metrics" })
	void whenActuatorOrMicrometerIsAbsentThenNothingOfItAppears(String absent, String name) {
		new WebApplicationContextRunner(AnnotationConfigServletWebApplicationContext::new).withConfiguration(ALL)
			.withClassLoader(new FilteredClassLoader(absent))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBeanDefinitionNames()).noneMatch((bean) -> bean.endsWith(name));
			});
	}

	@Test
	void whenActuatorReportsThePropertiesThenDoesNotShowTheirValues() {
		this.runner
			.withConfiguration(AutoConfigurations.of(ConfigurationPropertiesReportEndpointAutoConfiguration.class))
			.withPropertyValues("management.endpoints.web.exposure.include=configprops",
					"server.ssl.certificate-key-password=secret",
					"server.ssl.certificates[0].certificate-key-password=secret",
					"server.ssl.server-name-certificates[0].certificate-key-password=secret")
			.run((context) -> assertThat(context.getBean(ConfigurationPropertiesReportEndpoint.class)
				.configurationPropertiesWithPrefix("server.ssl")
				.getContexts()
				.values()).flatExtracting((descriptor) -> descriptor.getBeans().values())
				.singleElement()
				.satisfies((bean) -> assertThat(bean.getProperties().keySet()).contains("certificateKeyPassword",
						"certificates", "serverNameCertificates", "openssl"))
				.satisfies((bean) -> assertThat(bean.getProperties().toString()).doesNotContain("secret")));
	}

	@Test
	void whenThereIsNoMeterRegistryThenThereAreNoMetrics() {
		new WebApplicationContextRunner(AnnotationConfigServletWebApplicationContext::new).withConfiguration(ALL)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("tlsConnectorMetrics"));
	}

	@Test
	void whenThereIsNoTomcatThenThereAreNoMetricsOfConnectors() {
		new WebApplicationContextRunner(AnnotationConfigServletWebApplicationContext::new).withConfiguration(ALL)
			.withBean(SimpleMeterRegistry.class)
			.withClassLoader(new FilteredClassLoader("org.apache.catalina", "org.apache.tomcat", "org.apache.coyote",
					"org.springframework.boot.tomcat"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean("tlsConnectorMetrics")
				.hasBean("certificateMetrics"));
	}

	@Test
	void whenApplicationHasNoWebServerThenReportSaysWhy() {
		new ApplicationContextRunner().withConfiguration(ALL)
			.run((context) -> assertThat(
					List.of(CertificateFileAutoConfiguration.class, TomcatOpenSslAutoConfiguration.class))
				.allSatisfy((type) -> assertThat(reasons(context, type.getName()))
					.contains("@ConditionalOnWebApplication (required) not a servlet web application")));
	}

	@Test
	void whenTomcatIsMissingThenReportSaysWhy() {
		new WebApplicationContextRunner().withConfiguration(ALL)
			.withClassLoader(new FilteredClassLoader(TomcatWebServerFactory.class))
			.run((context) -> assertThat(reasons(context, TomcatOpenSslAutoConfiguration.class.getName()))
				.contains("did not find required class 'org.springframework.boot.tomcat.TomcatWebServerFactory'"));
	}

	@Test
	void whenActuatorShowsValuesThenItDoesNotShowPasswordsAndKeys() {
		new WebApplicationContextRunner(AnnotationConfigServletWebApplicationContext::new).withConfiguration(ALL)
			.run((context) -> {
				SanitizingFunction function = context.getBean(SanitizingFunction.class);
				assertThat(function
					.apply(new SanitizableData(null, "SERVER_SSL_CERTIFICATES_0_CERTIFICATEKEYPASSWORD", "1"))
					.getValue()).isEqualTo(SanitizableData.SANITIZED_VALUE);
				for (String name : List.of("server.ssl.store-keys", "server.ssl.storeKeys[1]", "SERVER_SSL_STORE_KEYS",
						"SERVER_SSL_STOREKEYS_0")) {
					assertThat(function.apply(new SanitizableData(null, name, "1")).getValue()).as(name)
						.isEqualTo(SanitizableData.SANITIZED_VALUE);
				}
				assertThat(function.apply(new SanitizableData(null, "server.ssl.certificate-key-file", "1")).getValue())
					.isEqualTo("1");
				for (String name : List.of("server.ssl.certificate-key-file",
						"SERVER_SSL_CERTIFICATES_0_CERTIFICATEFILE", "server.ssl.certificate-private-key",
						"server.ssl.session-ticket-key-file", "spring.ssl.bundle.pem.mine.keystore.private-key")) {
					for (String content : List.of("base64:TUlJ", "-----BEGIN PRIVATE KEY-----\nTUlJ")) {
						assertThat(function.apply(new SanitizableData(null, name, content)).getValue()).as(name)
							.isEqualTo(SanitizableData.SANITIZED_VALUE);
					}
				}
			});
	}

	private static void configures(AbstractApplicationContextRunner<?, ?, ?> runner) {
		runner.run((context) -> assertThat(context.getBeanNamesForType(TomcatNative.class)).hasSize(1));
		runner.run((context) -> assertThat(context.getBeanNamesForType(TomcatOpenSslWebServerFactoryCustomizer.class))
			.hasSize(1));
	}

	private static void backsOff(AbstractApplicationContextRunner<?, ?, ?> runner) {
		runner.withPropertyValues("server.ssl.openssl.mode=always").run((context) -> {
			assertThat(context.getStartupFailure()).isNull();
			assertThat(context.getBeanDefinitionNames())
				.noneMatch((name) -> name.toLowerCase(Locale.ROOT).contains("openssl"));
		});
	}

	private static String reasons(ConfigurableApplicationContext context, String source) {
		ConditionAndOutcomes outcomes = ConditionEvaluationReport.get(context.getBeanFactory())
			.getConditionAndOutcomesBySource()
			.get(source);
		assertThat(outcomes).as(source).isNotNull();
		assertThat(outcomes.isFullMatch()).isFalse();
		StringBuilder reasons = new StringBuilder();
		outcomes.forEach((outcome) -> reasons.append(outcome.getOutcome().getMessage()).append('\n'));
		return reasons.toString();
	}

}
