// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.certificate.CertificateReloads;
import io.github.tomcatopenssl.internal.certificate.CertificateWatcher;
import io.github.tomcatopenssl.internal.certificate.ConfiguredFile;
import io.github.tomcatopenssl.test.TestCertificates;
import org.apache.commons.logging.LogFactory;
import org.assertj.core.api.AbstractStringAssert;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.ArgumentCaptor;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.context.servlet.AnnotationConfigServletWebApplicationContext;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link CertificateFileAutoConfiguration}: which {@link ConfiguredHosts} there
 * are, what {@link CertificateFileConflicts} rejects, and what
 * {@link CertificateFileWebServerFactoryCustomizer} configures.
 */
@ExtendWith(OutputCaptureExtension.class)
class CertificateFileAutoConfigurationTests {

	private static final AutoConfigurations AUTO_CONFIGURATIONS = AutoConfigurations
		.of(CertificateFileAutoConfiguration.class, SslAutoConfiguration.class);

	private TestCertificates certificates;

	private WebApplicationContextRunner runner;

	@BeforeEach
	void setUp() {
		this.certificates = TestCertificates.get();
		this.runner = new WebApplicationContextRunner(AnnotationConfigServletWebApplicationContext::new)
			.withConfiguration(AUTO_CONFIGURATIONS);
	}

	@Test
	void whenNothingIsSetThenBacksOff() {
		this.runner.run((context) -> assertThat(context.getBean(SslBundles.class).getBundleNames()).isEmpty());
	}

	@Test
	void whenTlsIsOffThenBacksOff() {
		this.runner.withPropertyValues("server.ssl.certificate-file=/nowhere", "server.ssl.enabled=false")
			.run((context) -> assertThat(context.getBean(SslBundles.class).getBundleNames()).isEmpty());
	}

	@Test
	void whenApplicationIsNotWebApplicationThenBacksOff() {
		new ApplicationContextRunner().withConfiguration(AUTO_CONFIGURATIONS)
			.withPropertyValues("server.ssl.certificate-file=/nowhere")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(CertificateWatcher.class));
	}

	@Test
	void whenCertificateIsSetThenRegistersBundleWithOptions() {
		pem("p256")
			.withPropertyValues("server.ssl.ciphers=TLS_AES_128_GCM_SHA256", "server.ssl.enabled-protocols=TLSv1.3",
					"server.ssl.ca-certificate-file=" + file("ca.crt"))
			.run((context) -> {
				SslBundle bundle = context.getBean(SslBundles.class).getBundle("server-ssl");
				assertThat(bundle.getOptions().getCiphers()).containsExactly("TLS_AES_128_GCM_SHA256");
				assertThat(bundle.getOptions().getEnabledProtocols()).containsExactly("TLSv1.3");
				assertThat(bundle.getStores().getKeyStore().isKeyEntry("server")).isTrue();
				assertThat(bundle.getStores().getTrustStore().size()).isOne();
			});
	}

	@ParameterizedTest
	@CsvSource({ "client-cert,,want,neither 'server.ssl.proxy-protocol.trusted' nor",
			"proxy-protocol,,want,but 'server.ssl.proxy-protocol.trusted' is not set",
			"proxy-protocol,forwarded-client-certificate.proxy-ca-certificate-file,want,but 'server.ssl.proxy-protocol.trusted' is not set",
			"client-cert,proxy-protocol.trusted,none,no client is verified",
			"x-forwarded-client-cert,forwarded-client-certificate.proxy-ca-certificate-file,none,no client is verified" })
	void whenForwardedCertificatesAreOfNobodyOrNotVerifiedThenFails(String header, String proxies, String clientAuth,
			String reason) {
		String proxy = "proxy-protocol.trusted".equals(proxies) ? proxies + "=10.0.0.1"
				: Objects.requireNonNullElse(proxies, "ca-certificate-file") + "=" + file("proxy-ca.crt");
		for (WebApplicationContextRunner certificate : List.of(pem("p256"),
				this.runner.withPropertyValues("server.ssl.bundle=mine"))) {
			certificate
				.withPropertyValues("server.ssl.forwarded-client-certificate.header=" + header, "server.ssl." + proxy,
						"server.ssl.client-auth=" + clientAuth)
				.run((context) -> fails(context.getStartupFailure(), "server.ssl.forwarded-client-certificate.header",
						reason, "Set '"));
		}
	}

	@Test
	void whenForwardedCertificatesStandBesideOcspThenFails() {
		pem("p256")
			.withPropertyValues("server.ssl.forwarded-client-certificate.header=client-cert",
					"server.ssl.proxy-protocol.trusted=10.0.0.1", "server.ssl.client-auth=want",
					"server.ssl.ca-certificate-file=" + file("ca.crt"), "server.ssl.ocsp-enabled=true")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.forwarded-client-certificate.header",
					"'server.ssl.ocsp-enabled' is set as well, and a slow OCSP responder would hold up",
					"Use 'server.ssl.certificate-revocation-list-file' instead"));
	}

	@Test
	void whenCasOfProxiesStandBesideABundleThenFails() {
		this.runner
			.withPropertyValues("server.ssl.bundle=mine", "server.ssl.client-auth=want",
					"server.ssl.forwarded-client-certificate.header=client-cert",
					"server.ssl.forwarded-client-certificate.proxy-ca-certificate-file=" + file("proxy-ca.crt"))
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.certificate-file",
					"'server.ssl.forwarded-client-certificate.proxy-ca-certificate-file' is, which depends on it",
					"Set 'server.ssl.certificate-file'"));
	}

	@ParameterizedTest
	@CsvSource({ "bundle,mine,Remove either 'server.ssl.certificate-file' or 'server.ssl.bundle'",
			"certificate,x.crt,Set either 'server.ssl.certificate-file' and 'server.ssl.certificate-key-file'",
			"certificate-private-key,x.key,or 'server.ssl.certificate' and 'server.ssl.certificate-private-key'",
			"key-store,x.p12,Remove either 'server.ssl.certificate-file' or 'server.ssl.key-store'",
			"key-password,secret,Remove either 'server.ssl.certificate-file' or 'server.ssl.key-password'" })
	void whenAnotherPropertyGivesTheCertificateThenFails(String property, String value, String action) {
		pem("p256").withPropertyValues("server.ssl." + property + "=" + value)
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.certificate-file",
					"'server.ssl." + property + "' is set as well", action)
				.doesNotContain("secret"));
	}

	@Test
	void whenABlockOfAFileIsNotUsedThenFailsWithTheRemedy() {
		this.certificates.openssl("x509", "-in", "ca.crt", "-trustout", "-out", "trusted.crt");
		pem("p256").withPropertyValues("server.ssl.ca-certificate-file=" + file("trusted.crt"))
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.ca-certificate-file",
					"it contains no certificate, only 'TRUSTED CERTIFICATE' at line 1",
					"Write a file in the standard format with 'openssl x509 -in %1$s -out %1$s.pem', and set 'server.ssl.ca-certificate-file' to that file"
						.formatted(file("trusted.crt"))));
		this.certificates.join("cas-trusted.crt", "other-ca.crt", "trusted.crt");
		pem("p256").withPropertyValues("server.ssl.ca-certificate-file=" + file("cas-trusted.crt"))
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.ca-certificate-file",
					"it contains the block 'TRUSTED CERTIFICATE' at line ",
					"Replace the block with what 'openssl x509 -in FILE -out FILE.pem' writes"));
	}

	@Test
	void whenKeyFileStandsBesideCertificateOfSpringBootThenNamesBoth() {
		this.runner.withPropertyValues("server.ssl.certificate=x.crt", "server.ssl.certificate-key-file=x.key")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.certificate-key-file",
					"'server.ssl.certificate' is set as well, and the two contradict each other",
					"Set either 'server.ssl.certificate-file' and 'server.ssl.certificate-key-file', or "));
	}

	@ParameterizedTest
	@ValueSource(strings = { "certificate-file", "certificate-key-file", "certificate-key-password",
			"certificate-chain-file", "certificates[0].certificate-file",
			"server-name-certificates[0].certificate-file", "bundle", "certificate", "certificate-private-key",
			"key-store", "key-password", "server-name-bundles[0].bundle" })
	void whenDevelopmentCertificateStandsBesideAnotherThenFails(String property, @TempDir Path folder) {
		development(folder).withPropertyValues("server.ssl." + property + "=x")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.development-certificate",
					"'server.ssl." + property.replaceAll("\\[.*", "")
							+ "' is set as well, and the two contradict each other",
					"Remove either 'server.ssl.development-certificate' or 'server.ssl."));
		assertThat(folder).isEmptyDirectory();
	}

	@Test
	void whenProfileIsForProductionThenDevelopmentCertificateFails(@TempDir Path folder) {
		development(folder).withPropertyValues("spring.profiles.active=prod")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.development-certificate",
					"the profile 'prod' is active, but the development certificate is not for production",
					"'server.ssl.development-certificate-in-production' to 'true' as well"));
		development(folder)
			.withPropertyValues("spring.profiles.active=prod", "server.ssl.development-certificate-in-production=true")
			.run((context) -> assertThat(context.getBean(SslBundles.class).getBundleNames())
				.containsExactly("server-ssl"));
	}

	@Test
	void whenClientsAreVerifiedThenDevelopmentCertificateStandsBesideTheirCas(@TempDir Path folder) {
		development(folder)
			.withPropertyValues("server.ssl.client-auth=need", "server.ssl.ca-certificate-file=" + file("ca.crt"))
			.run((context) -> assertThat(
					context.getBean(SslBundles.class).getBundle("server-ssl").getStores().getTrustStore().size())
				.isOne());
	}

	@Test
	void whenClientsHaveNoCaThenMakesNoDevelopmentCertificate(@TempDir Path folder) {
		development(folder).withPropertyValues("server.ssl.client-auth=need")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.ca-certificate-file", "it is not set",
					"Set 'server.ssl.ca-certificate-file' to the CAs of your clients"));
		assertThat(folder).isEmptyDirectory();
	}

	@Test
	void whenTlsIsOffThenMakesNoDevelopmentCertificate(@TempDir Path folder) {
		development(folder).withPropertyValues("server.ssl.enabled=false")
			.run((context) -> assertThat(context.getBean(SslBundles.class).getBundleNames()).isEmpty());
		development(folder).withPropertyValues("server.ssl.development-certificate=false")
			.run((context) -> assertThat(context.getBean(SslBundles.class).getBundleNames()).isEmpty());
		assertThat(folder).isEmptyDirectory();
	}

	private WebApplicationContextRunner development(Path folder) {
		return this.runner.withPropertyValues("server.ssl.development-certificate=true", "XDG_CACHE_HOME=" + folder,
				"CAROOT=" + folder.resolve("none"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "trust-certificate", "trust-store" })
	void whenAnotherPropertyGivesTheCasThenFails(String property) {
		pem("p256")
			.withPropertyValues("server.ssl.ca-certificate-file=" + file("ca.crt"), "server.ssl." + property + "=x")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.ca-certificate-file",
					"'server.ssl." + property + "' is set as well", "Remove either"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "trust-store-password", "trust-store-type", "trust-store-provider" })
	void whenTrustStoreIsMissingBesideItsCompanionsThenFails(String property) {
		pem("p256").withPropertyValues("server.ssl." + property + "=secret")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl." + property,
					"it has no effect without 'server.ssl.trust-store'",
					"Set 'server.ssl.trust-store' to the CAs of your clients, or remove 'server.ssl." + property + "'")
				.doesNotContain("secret"));
		pem("p256").withPropertyValues("server.ssl." + property + "=")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(strings = { "TLSv1.3", "TLSv1.2", "SSLv3" })
	void whenProtocolSeemsToLimitTheVersionsThenFails(String protocol) {
		pem("p256").withPropertyValues("server.ssl.protocol=" + protocol)
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.protocol",
					"'" + protocol + "' does not limit the versions of TLS",
					"Set 'server.ssl.enabled-protocols' to the versions that you want"));
		pem("p256").withPropertyValues("server.ssl.protocol=" + protocol, "server.ssl.enabled-protocols=TLSv1.3")
			.run((context) -> assertThat(context).hasNotFailed());
		pem("p256").withPropertyValues("server.ssl.protocol=TLS").run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(strings = { "certificate-key-file", "certificate-chain-file", "ca-certificate-file",
			"certificate-key-password" })
	void whenCertificateIsMissingBesideItsCompanionsThenFails(String property) {
		this.runner.withPropertyValues("server.ssl." + property + "=secret")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.certificate-file",
					"it is not set, but 'server.ssl." + property + "' is, which depends on it",
					"Set 'server.ssl.certificate-file'")
				.doesNotContain("secret"));
	}

	@Test
	void whenModuleOfAcmeIsMissingThenFails() {
		this.runner
			.withPropertyValues("server.ssl.acme.domains=example.com", "server.ssl.acme.terms-of-service-agreed=true",
					"server.ssl.acme.external-account.hmac-key=secret")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.acme",
					"the dependency that obtains certificates is missing",
					"Add the dependency 'io.github.tomcatopenssl:tomcat-openssl-acme', or remove the properties")
				.doesNotContain("secret"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "email", "key-types[0]", "external-account.key-id" })
	void whenPropertiesOfAcmeAreSetWithoutDomainsThenFails(String property) {
		this.runner.withPropertyValues("server.ssl.acme." + property + "=x")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.acme.domains", "it is not set",
					"or remove the properties of 'server.ssl.acme'"));
		this.runner.withPropertyValues("server.ssl.acme." + property + "=x", "server.ssl.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = { "CERTIFICATE_FILE", "CERTIFICATE_KEY_FILE", "CERTIFICATE_KEY_PASSWORD",
			"CERTIFICATE_CHAIN_FILE" })
	void whenManagementServerHasOurPropertiesThenFails(ServerSslProperty row) {
		String property = row.toString().substring("server.ssl.".length());
		for (String suffix : List.of("", "[0]", ".mode")) {
			pem("p256").withPropertyValues("management.server.ssl." + property + suffix + "=x")
				.run((context) -> fails(context.getStartupFailure(),
						"management.server.ssl." + property.replace("acme.certificates", "acme"),
						"the management server does not have this property",
						"from the main server's, set 'management.server.ssl.certificate-file' or 'management.server.ssl.bundle'"));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "GROUPS", "HANDSHAKETIMEOUT", "UNKNOWNSERVERNAME", "OPENSSL_MODE", "SESSIONTICKETKEYFILE",
			"CACERTIFICATEFILE" })
	void whenEnvironmentVariableIsForTheManagementServerThenFails(String name) {
		pem("p256")
			.withInitializer(
					(context) -> context.getEnvironment()
						.getPropertySources()
						.addFirst(new SystemEnvironmentPropertySource(
								StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
								Map.of("MANAGEMENT_SERVER_SSL_" + name, "x"))))
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(TlsSettingException.class)
				.hasMessageContaining("the management server does not have this property"));
	}

	@Test
	void whenOthersAreBlankThenTheyAreNotSet() {
		this.runner
			.withPropertyValues("server.ssl.certificate-file=", "server.ssl.certificate-key-file= ",
					"server.ssl.key-store=", "server.ssl.certificates[0].certificate-file=" + file("p256.crt"),
					"server.ssl.certificates[0].certificate-key-file=" + file("p256.key"))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void whenCertificateFileIsBlankThenDevelopmentCertificateMayBeSet(@TempDir Path folder) {
		this.runner
			.withPropertyValues("server.ssl.certificate-file=", "server.ssl.certificate-key-file=",
					"server.ssl.development-certificate=true", "XDG_CACHE_HOME=" + folder, "CAROOT=" + folder)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(strings = { "bundle", "certificate", "key-store", "key-store-type" })
	void whenOursAreBlankThenThatOfSpringBootIsUsed(String other) {
		String[] blank = { "certificate-file=", "certificate-key-file=", "certificate-key-password= ",
				"certificate-chain-file=", "ca-certificate-file=", "certificate-revocation-list-file=",
				"session-ticket-key-file=", "forwarded-client-certificate.proxy-ca-certificate-file=",
				"certificates[0].certificate-file=", "certificates[0].certificate-key-file=", "acme.domains=",
				"development-certificate-names[0]=", "unknown-server-name-allowed[0]=", "proxy-protocol.trusted[0]=",
				"http-redirect-port=", "openssl.library-path=" };
		for (WebApplicationContextRunner runner : List.of(
				this.runner.withPropertyValues(
						Stream.of(blank).map((property) -> "server.ssl." + property).toArray(String[]::new)),
				variables(blank))) {
			runner.withPropertyValues("server.ssl." + other + "=x")
				.run((context) -> assertThat(context).hasNotFailed()
					.getBean(CertificateWatcher.class)
					.returns(List.of(), CertificateWatcher::hosts));
		}
	}

	@Test
	void whenThoseOfSpringBootAreBlankThenOursAreUsed() {
		String[] blank = { "bundle=", "certificate=", "certificate-private-key=", "key-store= ", "key-store-password=",
				"key-store-type=", "key-store-provider=", "key-alias=", "key-password=", "trust-certificate=",
				"trust-store=", "trust-store-password=" };
		String[] properties = Stream.of(blank).map((property) -> "server.ssl." + property).toArray(String[]::new);
		pem("p256").withPropertyValues(properties)
			.withPropertyValues("server.ssl.client-auth=need", "server.ssl.ca-certificate-file=" + file("ca.crt"))
			.run((context) -> assertThat(context).hasNotFailed());
		pem("p256").withPropertyValues(properties)
			.withPropertyValues("server.ssl.client-auth=need")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.ca-certificate-file", "it is not set",
					"Set 'server.ssl.ca-certificate-file' to the CAs of your clients"));
		pem("p256")
			.withPropertyValues(
					Stream.of(properties).map((property) -> "management." + property).toArray(String[]::new))
			.withPropertyValues("management.server.port=0", "management.server.ssl.certificate-file=" + file("rsa.crt"),
					"management.server.ssl.certificate-key-file=" + file("rsa.key"),
					"management.server.ssl.certificate-chain-file=")
			.run((context) -> assertThat(context).hasNotFailed());
		this.runner
			.withPropertyValues("management.server.ssl.certificate-file=", "management.server.port=0",
					"management.server.ssl.certificate-key-file=", "management.server.ssl.bundle=x")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(strings = { "server.ssl.certificate-file", "server.ssl.certificates[0].certificate-file",
			"server.ssl.certificates", "server.ssl.acme.domains", "server.ssl.acme.domains[0]",
			"management.server.ssl.certificate-file" })
	void whenCertificateIsBlankAndNothingTakesItsPlaceThenFails(String property) {
		for (WebApplicationContextRunner runner : List.of(this.runner.withPropertyValues(property + "="),
				variables(property + "="))) {
			runner.withPropertyValues("management.server.port=0")
				.run((context) -> fails(context.getStartupFailure(), property.replace("domains[0]", "domains"),
						"it is empty, and no other certificate is set", "Set it"));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "certificate-revocation-list-file",
			"server-name-certificates[0].certificate-revocation-list-file",
			"server-name-certificates[0].trust-certificate-file" })
	void whenMoreClientsWouldBeAcceptedThenBlankFails(String property) {
		WebApplicationContextRunner clients = pem("p256").withPropertyValues("server.ssl.client-auth=need",
				"server.ssl.ca-certificate-file=" + file("ca.crt"),
				"server.ssl.server-name-certificates[0].server-name=a.example.com",
				"server.ssl.server-name-certificates[0].certificate-file=" + file("rsa.crt"),
				"server.ssl.server-name-certificates[0].certificate-key-file=" + file("rsa.key"));
		clients.withPropertyValues("server.ssl." + property + "= ")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl." + property, "it is empty",
					"Set it to a PEM file, or remove it"));
		if (property.contains("list")) {
			for (String value : List.of("=,", "[0]=")) {
				clients.withPropertyValues("server.ssl." + property + value)
					.run((context) -> fails(context.getStartupFailure(), "server.ssl." + property, "it is empty",
							"Set it to a PEM file, or remove it"));
			}
			String list = this.certificates.revocationList("ca", "ca.crl").toString();
			clients.withPropertyValues("server.ssl." + property + "=" + list + ",")
				.run((context) -> fails(context.getStartupFailure(), "server.ssl." + property + "[1]", "it is empty",
						"Set it to a PEM file, or remove it"));
			clients.withPropertyValues("server.ssl." + property + "=", "server.ssl.ocsp-enabled=true")
				.run((context) -> assertThat(context).hasNotFailed());
		}
	}

	private WebApplicationContextRunner variables(String... properties) {
		Map<String, Object> variables = new TreeMap<>();
		for (String property : properties) {
			String name = property.substring(0, property.indexOf('='));
			variables.put((name.contains("server.ssl.") ? name : "server.ssl." + name).replace("-", "")
				.replaceAll("[.\\[]", "_")
				.replace("]", "")
				.toUpperCase(Locale.ROOT), "");
		}
		return this.runner.withInitializer((context) -> context.getEnvironment()
			.getPropertySources()
			.addFirst(new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
					variables)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "management.server.port=8080" })
	void whenThereIsNoManagementServerThenWarnsOfItsSettings(String port, CapturedOutput output) {
		pem("p256").withPropertyValues("management.server.ssl.client-auth=need", port)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce(
				"'management.server.ssl' has no effect: the management server has no port of its own. Set 'management.server.port'");
		pem("p256").withPropertyValues("management.server.ssl.enabled=false", port)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("'management.server.ssl' has no effect");
	}

	@Test
	void whenUserHasBundleOfOurNameThenFails() {
		pem("p256")
			.withPropertyValues("spring.ssl.bundle.pem.server-ssl.keystore.certificate=" + file("p256.crt"),
					"spring.ssl.bundle.pem.server-ssl.keystore.private-key=" + file("p256.key"))
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.certificate-file",
					"there is already an SSL bundle with the name 'server-ssl'",
					"Give your bundle 'server-ssl' another name"));
	}

	@Test
	void whenBundlesOfTheApplicationAskNoRegistrarThenServersUseTheFilesAllTheSame() {
		SslBundle other = mock();
		pem("p256").withBean(SslBundles.class, () -> new DefaultSslBundleRegistry("server-ssl", other))
			.run((context) -> {
				ConfigurableWebServerFactory factory = mock();
				context.getBean(CertificateFileWebServerFactoryCustomizer.class).customize(factory);
				ArgumentCaptor<SslBundles> bundles = ArgumentCaptor.captor();
				then(factory).should().setSslBundles(bundles.capture());
				SslBundle served = bundles.getValue().getBundle("server-ssl");
				assertThat(served).isNotSameAs(other);
				assertThat(served.getStores().getKeyStore().isKeyEntry("server")).isTrue();
			});
	}

	@Test
	void whenParentHasBundlesOfAnotherNameThenTheChildFindsItsOwnAndTheParents() {
		SslBundle parents = mock();
		new ApplicationContextRunner()
			.withBean("parents", DefaultSslBundleRegistry.class,
					() -> new DefaultSslBundleRegistry("server-ssl", parents))
			.run((parent) -> pem("p256").withParent(parent).run((context) -> {
				SslBundleRegistry bundles = context.getBean(SslBundleRegistry.class);
				assertThat(context.getBean(SslBundles.class)).isSameAs(bundles);
				assertThat(parent.getBean(SslBundles.class).getBundle("server-ssl")).isSameAs(parents);
				assertThat(context.getBean(SslBundles.class).getBundle("server-ssl")).isNotSameAs(parents);
				context.getBean(CertificateFileWebServerFactoryCustomizer.class)
					.customize(mock(ConfigurableWebServerFactory.class));
				List<SslBundle> updates = new ArrayList<>();
				List<String> names = new ArrayList<>();
				SslBundles own = context.getBean(SslBundles.class);
				own.addBundleRegisterHandler((name, bundle) -> names.add(name));
				parent.getBean(SslBundleRegistry.class).registerBundle("late", mock());
				bundles.registerBundle("mine", mock());
				assertThat(names).containsExactly("late", "mine");
				assertThat(own.getBundleNames()).containsExactly("late", "mine", "server-ssl");
				own.addBundleUpdateHandler("late", updates::add);
				bundles.updateBundle("late", parents);
				assertThat(updates).containsExactly(parents);
				assertThatExceptionOfType(NoSuchSslBundleException.class).isThrownBy(() -> own.getBundle("none"));
			}));
	}

	@Test
	void whenCasAreSetButNoClientIsVerifiedThenWarns(CapturedOutput output) {
		pem("p256").withPropertyValues("server.ssl.ca-certificate-file=" + file("ca.crt")).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).contains("'server.ssl.ca-certificate-file' is set, but no client is verified");
		});
	}

	@ParameterizedTest
	@CsvSource({ "need,false", "want,false", "none,true" })
	void whenOnlyTheManagementServerVerifiesClientsThenDoesNotWarn(String clientAuth, boolean warns,
			CapturedOutput output) {
		this.certificates.revocationList("ca", "ca.crl");
		pem("p256")
			.withPropertyValues("server.ssl.ca-certificate-file=" + file("ca.crt"),
					"server.ssl.certificate-revocation-list-file=" + file("ca.crl"),
					"management.server.ssl.bundle=server-ssl", "management.server.ssl.client-auth=" + clientAuth)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output.toString().contains("no client is verified")).isEqualTo(warns);
			});
	}

	@ParameterizedTest
	@CsvSource({ "logging.level.root=info, PT2S", "spring.ssl.bundle.watch.file.quiet-period=5m, PT5M" })
	void whenQuietPeriodIsSetForSpringBootsBundlesThenIsThatOfTheFilesToo(String property, Duration quietPeriod) {
		pem("p256").withPropertyValues(property)
			.run((context) -> assertThat(context.getBean(CertificateWatcher.class)).extracting("quietPeriod")
				.isEqualTo(quietPeriod));
	}

	@Test
	void whenRevocationListRunsOutAndReloadIsOffThenSaysSo(CapturedOutput output) {
		this.certificates.revocationList("ca", "short.crl", "-crlsec", "3");
		pem("p256")
			.withPropertyValues("server.ssl.client-auth=need", "server.ssl.ca-certificate-file=" + file("ca.crt"),
					"server.ssl.certificate-revocation-list-file=" + file("short.crl"),
					"server.ssl.reload-on-update=false")
			.run((context) -> {
				CertificateReloads reloads = context.getBean(CertificateReloads.class);
				Awaitility.await()
					.atMost(Duration.ofSeconds(30))
					.untilAsserted(() -> assertThat(reloads.status().get(0).problem()).contains("is outdated",
							"Restart the application"));
				assertThat(output).containsOnlyOnce("short.crl'): the certificate revocation list of 'CN=Test CA'");
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "need", "want" })
	void whenClientsAreVerifiedAgainstNoCaThenFails(String clientAuth) {
		pem("p256").withPropertyValues("server.ssl.client-auth=" + clientAuth)
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.ca-certificate-file",
					"'server.ssl.client-auth' is '" + clientAuth + "'", "to the CAs of your clients"));
	}

	@Test
	void whenFileIsMissingThenAnalysisShowsPropertyValueAndFile() {
		this.runner.withPropertyValues("server.ssl.certificate-file=missing.crt")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.certificate-file", "it does not exist",
					"Create the file")
				.contains("    Value: missing.crt\n", "    File: " + Path.of("missing.crt").toAbsolutePath()));
	}

	@ParameterizedTest
	@ValueSource(strings = { "one-line", "base64" })
	void whenValueOrFileIsUnusualThenAnalysisDoesNotShowKey(String kind) {
		String key = this.certificates.read("other.key");
		String secret = key.lines().skip(1).findFirst().orElseThrow().substring(8, 20);
		String location = kind.equals("base64")
				? "base64:" + Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.US_ASCII))
				: this.certificates.write("one-line.key", key.replace('\n', ' ')).toString();
		this.runner
			.withPropertyValues("server.ssl.certificate-file=" + file("p256.crt"),
					"server.ssl.certificate-key-file=" + location)
			.run((context) -> {
				fails(context.getStartupFailure(), "server.ssl.certificate-key-file", "", "").doesNotContain(secret);
				assertThat(context.getStartupFailure()).hasStackTraceContaining("certificate-key-file");
				String encoded = location.substring(Math.max(0, location.length() - 60));
				for (Throwable cause = context.getStartupFailure(); cause != null; cause = cause.getCause()) {
					assertThat(String.valueOf(cause.getMessage())).doesNotContain(secret)
						.satisfies(
								(message) -> assertThat(kind.equals("base64") && message.contains(encoded)).isFalse());
				}
			});
	}

	@ParameterizedTest
	@ValueSource(ints = { 512, 1024 })
	void whenRsaKeyIsTooShortThenAnalysisShowsTheMinimum(int bits) {
		this.certificates.openssl("req", "-x509", "-newkey", "rsa:" + bits, "-nodes", "-subj", "/CN=short", "-keyout",
				"short.key", "-out", "short.crt");
		pem("short").run((context) -> fails(context.getStartupFailure(), "server.ssl.certificate-file",
				"the RSA key of the certificate 'CN=short' has " + bits + " bits, but the minimum is 2048",
				"Use a certificate with an RSA key of at least 2048 bits"));
	}

	@Test
	void whenPasswordIsWrongThenAnalysisDoesNotShowIt() {
		this.certificates.openssl("pkcs8", "-topk8", "-in", "p256.key", "-passout", "pass:" + TestCertificates.PASSWORD,
				"-out", "locked.key");
		this.runner
			.withPropertyValues("server.ssl.certificate-file=" + file("p256.crt"),
					"server.ssl.certificate-key-file=" + file("locked.key"),
					"server.ssl.certificate-key-password=battery staple")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.certificate-key-file",
					"cannot be decrypted", "Correct the password")
				.doesNotContain("battery staple"));
	}

	@ParameterizedTest
	@CsvSource({ "expired,expired on,Renew it", "not-yet-valid,is not valid before,correct the clock of this machine" })
	void whenCertificateIsOutOfItsPeriodThenStartsWithWarning(String name, String problem, String action,
			CapturedOutput output) {
		this.runner.withPropertyValues("server.ssl.certificate-file=" + file(name + ".crt")).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output.getAll().lines().filter((line) -> line.contains("WARN"))).singleElement()
				.asString()
				.contains("'server.ssl.certificate-file' ('" + file(name + ".crt") + "'): the certificate 'CN=" + name
						+ "' " + problem + " 20", action);
		});
	}

	@Test
	void whenAllUsersCanReadKeyThenWarns(CapturedOutput output) throws IOException {
		Path file = this.certificates.join("open.pem", "p256.crt", "p256.key");
		Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
		this.runner.withPropertyValues("server.ssl.certificate-file=" + file).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output.getAll().lines().filter((line) -> line.contains("WARN"))).singleElement()
				.asString()
				.contains(
						"'server.ssl.certificate-file' ('%s'): all users of this machine can read or write it, and it contains a private key. Remove these permissions with 'chmod o-rw %s'"
							.formatted(file, file));
		});
	}

	@Test
	void whenCertificateFileStandsBesideListThenFails() {
		pem("p256").withPropertyValues("server.ssl.certificates[0].certificate-file=" + file("p256.crt"))
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.certificate-file",
					"'server.ssl.certificates' is set as well", "Remove either"));
	}

	@Test
	void whenTwoCertificatesHaveTheSameKeyTypeThenFails() {
		list("p256", "p384")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.certificates[1].certificate-file",
					"its host already has a certificate with a key of the type 'EC'", "Remove one of the two"));
	}

	@Test
	void whenOneOfTwoCertificatesHasAnotherKeyTypeThenFails() {
		list("rsa", "ed25519")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.certificates[1].certificate-file",
					"the type of its key is 'EdDSA'", "Make it the only certificate of its host"));
	}

	@Test
	void whenElementOfListHasNoCertificateThenFails() {
		this.runner.withPropertyValues("server.ssl.certificates[0].certificate-key-file=" + file("p256.key"))
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.certificates[0].certificate-file",
					"it is not set", "Set it to a PEM file"));
	}

	@Test
	void whenServerNameIsMissingThenFails() {
		serverName("").run((context) -> fails(context.getStartupFailure(),
				"server.ssl.server-name-certificates[0].server-name", "it is not set", "Set it to the host name"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "partner.example.com:8443", "https://partner.example.com", "a.example.com,b.example.com",
			".wild.example.com", "x*.wild.example.com", "10.0.0.1" })
	void whenNoClientCanAskForServerNameThenFails(String name) {
		serverName(name).run((context) -> fails(context.getStartupFailure(),
				"server.ssl.server-name-certificates[0].server-name", "no client can ask for the name '" + name + "'",
				"Set it to a host name such as 'www.example.com'"));
	}

	@ParameterizedTest
	@CsvSource({ "Partner.example.com.,partner.example.com", "b\u00fccher.example.com,xn--bcher-kva.example.com" })
	void whenServerNameIsNotWhatClientsSendThenItIsConverted(String name, String converted) {
		serverName(name).run((context) -> assertThat(context.getBean(SslBundles.class).getBundleNames())
			.contains("server-ssl-" + converted));
	}

	@Test
	void whenAnyHeaderCouldNameAHostThatVerifiesClientsThenFails() {
		String header = "server.tomcat.remoteip.host-header";
		String[] name = { "server.ssl.server-name-certificates[0].client-auth=need",
				"server.ssl.server-name-certificates[0].trust-certificate-file=" + file("ca.crt") };
		serverName("a.example.com").withPropertyValues(name)
			.withPropertyValues(header + "=X-Host")
			.run((context) -> fails(context.getStartupFailure(), header,
					"the host in the header 'X-Host' is not checked", "Remove it"));
		for (String allowed : List.of("", "x-forwarded-host")) {
			serverName("a.example.com").withPropertyValues(name)
				.withPropertyValues(header + "=" + allowed)
				.run((context) -> assertThat(context).hasNotFailed());
		}
	}

	@Test
	void whenAnyHeaderCouldNameAHostWithOtherCasThenFails() {
		String header = "server.tomcat.remoteip.host-header";
		String[] verified = { header + "=X-Host", "server.ssl.client-auth=want",
				"server.ssl.ca-certificate-file=" + file("ca.crt") };
		serverName("a.example.com").withPropertyValues(verified).run((context) -> assertThat(context).hasNotFailed());
		serverName("a.example.com").withPropertyValues(verified)
			.withPropertyValues("server.ssl.server-name-certificates[0].trust-certificate-file=" + file("other-ca.crt"))
			.run((context) -> fails(context.getStartupFailure(), header, "in the header 'X-Host'", "Remove it"));
		String[] bundles = { "server.ssl.bundle=a", "server.ssl.server-name-bundles[0].server-name=a.example.com",
				"server.ssl.server-name-bundles[0].bundle=b", header + "=X-Host" };
		this.runner.withPropertyValues(bundles)
			.withPropertyValues("server.ssl.client-auth=need")
			.run((context) -> fails(context.getStartupFailure(), header, "in the header 'X-Host'", "Remove it"));
		this.runner.withPropertyValues(bundles).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void whenClientsOfServerNameHaveNoCaThenFails() {
		serverName("a.example.com").withPropertyValues("server.ssl.server-name-certificates[0].client-auth=need")
			.run((context) -> fails(context.getStartupFailure(),
					"server.ssl.server-name-certificates[0].trust-certificate-file",
					"it is not set, but 'server.ssl.server-name-certificates[0].client-auth' is 'need'",
					"Set 'server.ssl.server-name-certificates[0].trust-certificate-file' to the CAs of your clients"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "trust-certificate-file", "certificate-revocation-list-file" })
	void whenNoClientOfServerNameIsVerifiedThenFails(String property) {
		String name = "server.ssl.server-name-certificates[0].";
		serverName("a.example.com").withPropertyValues(name + property + "=" + file("ca.crt"))
			.run((context) -> fails(context.getStartupFailure(), name + property,
					"no client of the host name 'a.example.com' is verified",
					"Set '" + name + "client-auth' to 'need' or 'want', or remove '" + name + property + "'"));
	}

	@Test
	void whenCertificatesOfServerNameVerifyClientsDifferentlyThenFails() {
		String[] names = { "server.ssl.server-name-certificates[0].", "server.ssl.server-name-certificates[1]." };
		serverName("a.example.com")
			.withPropertyValues(names[0] + "client-auth=need", names[0] + "trust-certificate-file=" + file("ca.crt"),
					names[1] + "server-name=A.example.com", names[1] + "certificate-file=" + file("rsa.crt"),
					names[1] + "certificate-key-file=" + file("rsa.key"))
			.run((context) -> fails(context.getStartupFailure(), names[1] + "client-auth",
					"the certificates of the host name 'a.example.com' differ in 'client-auth'",
					"Set these properties to the same values"));
	}

	@Test
	void whenServerNameHasRevocationListBesideOcspThenFails() {
		String name = "server.ssl.server-name-certificates[0].";
		serverName("a.example.com")
			.withPropertyValues("server.ssl.ocsp-enabled=true", name + "certificate-revocation-list-file=x.crl")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.ocsp-enabled",
					"'" + name + "certificate-revocation-list-file' is set as well", "Remove either"));
	}

	@Test
	void whenServerNameHasBundleTooThenFails() {
		serverName("a.example.com")
			.withPropertyValues("server.ssl.server-name-bundles[0].server-name=A.example.com",
					"server.ssl.server-name-bundles[0].bundle=mine")
			.run((context) -> fails(context.getStartupFailure(),
					"server.ssl.server-name-certificates[0].certificate-file",
					"'server.ssl.server-name-bundles' has a bundle for the host name 'a.example.com' as well",
					"Remove one of the two"));
	}

	@Test
	void whenServerNameStandsAloneThenFails() {
		this.runner
			.withPropertyValues("server.ssl.server-name-certificates[0].server-name=a.example.com",
					"server.ssl.server-name-certificates[0].certificate-file=" + file("p256.crt"))
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.certificate-file", "it is not set",
					"to the certificate of the default host"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "server-name-certificates[0]." })
	void whenRevocationListsAreInSeveralFilesThenUsesAll(String entry, @TempDir Path folder) throws IOException {
		String first = this.certificates.revocationList("ca", "ca.crl").toString();
		String second = this.certificates.revocationList("other-ca", "other-ca.crl").toString();
		Path comma = folder.resolve("with,comma.crl");
		Files.copy(Path.of(second), comma);
		String property = "server.ssl." + entry + "certificate-revocation-list-file";
		for (String[] values : new String[][] { { property + "=" + first + ", " + second },
				{ property + "[0]=" + first, property + "[1]=" + comma } }) {
			serverName("a.example.com")
				.withPropertyValues("server.ssl.client-auth=need", "server.ssl.ca-certificate-file=" + file("ca.crt"))
				.withPropertyValues(values)
				.run((context) -> assertThat(context).hasNotFailed()
					.getBean(CertificateWatcher.class)
					.satisfies((watcher) -> assertThat(watcher.hosts()).last()
						.satisfies((host) -> assertThat(host.revocationLists()).extracting(ConfiguredFile::property)
							.containsExactly(property + "[0]", property + "[1]"))));
		}
	}

	@Test
	void whenCaHasNoRevocationListThenWarns(CapturedOutput output) {
		this.certificates.revocationList("other-ca", "other-ca.crl");
		pem("p256")
			.withPropertyValues("server.ssl.client-auth=need", "server.ssl.ca-certificate-file=" + file("ca.crt"),
					"server.ssl.certificate-revocation-list-file=" + file("other-ca.crl"))
			.run((context) -> assertThat(output)
				.contains("it has no list from the CA 'CN=Test CA', so all clients of that CA are refused"));
	}

	@ParameterizedTest
	@CsvSource({ "certificate-revocation-list-file,ca.crl", "ocsp-enabled," })
	void whenRevocationIsCheckedButNoClientIsVerifiedThenWarns(String property, String file, CapturedOutput output) {
		this.certificates.revocationList("ca", "ca.crl");
		pem("p256").withPropertyValues("server.ssl." + property + "=" + ((file != null) ? file(file) : "true"))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output).contains("'server.ssl." + property + "' is set, but no client is verified");
			});
	}

	@ParameterizedTest
	@CsvSource({ "certificate-revocation-list-file,ca.crl", "ocsp-enabled," })
	void whenServerIsNotTomcatThenRefusesToForgetRevocation(String property, String file) {
		this.certificates.revocationList("ca", "ca.crl");
		pem("p256")
			.withPropertyValues("server.ssl.client-auth=need", "server.ssl.ca-certificate-file=" + file("ca.crt"),
					"server.ssl." + property + "=" + ((file != null) ? file(file) : "true"))
			.run((context) -> assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
				.isThrownBy(() -> context.getBean(EnforcementCustomizer.class)
					.customize(mock(ConfigurableWebServerFactory.class)))
				.withMessageContaining("server.ssl." + property)
				.withMessageContaining("only Tomcat"));
	}

	@Test
	void whenOcspStandsBesideAnotherCertificateThenFails() {
		this.runner.withPropertyValues("server.ssl.bundle=mine", "server.ssl.ocsp-enabled=true")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.certificate-file",
					"it is not set, but 'server.ssl.ocsp-enabled' is, which depends on it",
					"Set 'server.ssl.certificate-file'"));
	}

	@Test
	void whenOcspStandsBesideRevocationListThenFails() {
		this.certificates.revocationList("ca", "ca.crl");
		pem("p256")
			.withPropertyValues("server.ssl.client-auth=need", "server.ssl.ca-certificate-file=" + file("ca.crt"),
					"server.ssl.certificate-revocation-list-file=" + file("ca.crl"), "server.ssl.ocsp-enabled=true")
			.run((context) -> fails(context.getStartupFailure(), "server.ssl.ocsp-enabled",
					"'server.ssl.certificate-revocation-list-file' is set as well", "Remove either"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "ca-certificate-file=x", "ocsp-enabled=true", "certificates[0].certificate-file=x",
			"development-certificate=true" })
	void whenOnlyManagementServerHasOurPropertiesThenFails(String property) {
		this.runner.withPropertyValues("server.ssl.enabled=false", "management.server.ssl." + property)
			.run((context) -> fails(context.getStartupFailure(), "management.server.ssl." + property.split("[\\[=]")[0],
					"the management server does not have this property", "or 'management.server.ssl.bundle'"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "bundle", "certificate", "certificate-private-key", "key-store", "key-password" })
	void whenManagementServerHasAnotherCertificateBesideItsFilesThenFails(String property) {
		for (WebApplicationContextRunner main : List.of(this.runner, pem("rsa"))) {
			management(main).withPropertyValues("management.server.ssl." + property + "=x")
				.run((context) -> fails(context.getStartupFailure(), "management.server.ssl.certificate-file",
						"'management.server.ssl." + property + "' is set as well, and the two contradict each other",
						"Remove either 'management.server.ssl.certificate-file' or 'management.server.ssl."));
		}
	}

	@Test
	void whenClientsOfManagementServerHaveNoCaThenFails() {
		management(this.runner).withPropertyValues("management.server.ssl.client-auth=need")
			.run((context) -> fails(context.getStartupFailure(), "management.server.ssl.trust-certificate",
					"there is no CA to verify client certificates against", "Set it to the CAs of your clients"));
	}

	@Test
	void whenFileOfManagementServerIsMissingThenFails() {
		management(this.runner).withPropertyValues("management.server.ssl.certificate-chain-file=/nowhere")
			.run((context) -> fails(context.getStartupFailure(), "management.server.ssl.certificate-chain-file",
					"does not exist", "Create the file or correct"));
	}

	@Test
	void whenManagementServerHasOnlyCompanionsOfItsCertificateThenFails() {
		this.runner.withPropertyValues("management.server.port=0", "management.server.ssl.certificate-key-file=x")
			.run((context) -> fails(context.getStartupFailure(), "management.server.ssl.certificate-file",
					"it is not set, but properties that need it are", "Set it to a PEM file, or remove"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "server.port=0", "management.server.port=8080",
			"server.port=9443 management.server.port=9443" })
	void whenManagementServerHasNoPortOfItsOwnThenFails(String ports) {
		this.runner.withPropertyValues(ports.split(" "))
			.withPropertyValues("management.server.ssl.certificate-file=" + file("p256.crt"))
			.run((context) -> fails(context.getStartupFailure(), "management.server.ssl.certificate-file",
					"the management server has no port of its own", "Set 'management.server.port' to a port"));
	}

	private WebApplicationContextRunner management(WebApplicationContextRunner main) {
		return main.withPropertyValues("management.server.port=0",
				"management.server.ssl.certificate-file=" + file("p256.crt"),
				"management.server.ssl.certificate-key-file=" + file("p256.key"));
	}

	private WebApplicationContextRunner list(String... names) {
		WebApplicationContextRunner list = this.runner;
		for (int i = 0; i < names.length; i++) {
			String prefix = "server.ssl.certificates[%d].".formatted(i);
			list = list.withPropertyValues(prefix + "certificate-file=" + file(names[i] + ".crt"),
					prefix + "certificate-key-file=" + file(names[i] + ".key"));
		}
		return list;
	}

	private WebApplicationContextRunner serverName(String name) {
		return pem("p256").withPropertyValues("server.ssl.server-name-certificates[0].server-name=" + name,
				"server.ssl.server-name-certificates[0].certificate-file=" + file("rsa.crt"),
				"server.ssl.server-name-certificates[0].certificate-key-file=" + file("rsa.key"));
	}

	private WebApplicationContextRunner pem(String name) {
		return this.runner.withPropertyValues("server.ssl.certificate-file=" + file(name + ".crt"),
				"server.ssl.certificate-key-file=" + file(name + ".key"));
	}

	private String file(String name) {
		return this.certificates.file(name).toString();
	}

	private static AbstractStringAssert<?> fails(Throwable failure, String property, String reason, String action) {
		assertThat(failure).hasStackTraceContaining(TlsSettingException.class.getName());
		FailureAnalysis analysis = analyze(failure);
		assertThat(analysis.getDescription()).contains("    Property: " + property + "\n", "    Reason: ")
			.contains(reason);
		return assertThat(analysis.getDescription() + analysis.getAction()).contains(action);
	}

	private static FailureAnalysis analyze(Throwable failure) {
		MockEnvironment environment = new MockEnvironment();
		environment.setProperty("server.ssl.certificate-file", "missing.crt");
		List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, SpringFactoriesLoader.ArgumentResolver.of(Environment.class, environment),
					SpringFactoriesLoader.FailureHandler
						.logging(LogFactory.getLog(CertificateFileAutoConfigurationTests.class)));
		return analyzers.stream()
			.map((analyzer) -> analyzer.analyze(failure))
			.filter((analysis) -> analysis != null)
			.findFirst()
			.orElseThrow();
	}

}
