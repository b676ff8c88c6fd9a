// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.autoconfigure.PropertyProof.Served;
import io.github.tomcatopenssl.autoconfigure.ServerSslProperty.Effect;
import io.github.tomcatopenssl.endpoint.TlsConnectors;
import io.github.tomcatopenssl.endpoint.TlsHttp11NioProtocol;
import io.github.tomcatopenssl.internal.engine.TlsEngine;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.ForkedApplication;
import io.github.tomcatopenssl.test.NativeImageApplication;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TestServer;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.coyote.http11.Http11NioProtocol;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Walks all cells of the table, {@link ServerSslProperty}.
 */
@Tag("jdk")
@Tag("servers")
@ExtendWith(OutputCaptureExtension.class)
class ServerSslPropertyTests {

	/**
	 * The words of a message about the place that refuses.
	 */
	private static final Map<TableColumn, String> NAMES = Map.of(TableColumn.JSSE, "server.tomcat.use-apr is 'never'",
			TableColumn.NATIVE_IMAGE, "a GraalVM native image cannot load Tomcat Native", TableColumn.NETTY,
			"Reactor Netty serves TLS", TableColumn.OTHER_SERVER, "a web server other than Tomcat serves TLS",
			TableColumn.WAR, "the container that runs the WAR serves TLS");

	/**
	 * The places that are tried without a start of the server: a refusal comes before it.
	 */
	private static final Map<TableColumn, UnstartedServer> DECIDED_BEFORE = Map.of(TableColumn.NATIVE_IMAGE,
			UnstartedServer.TOMCAT, TableColumn.NETTY, UnstartedServer.NETTY, TableColumn.OTHER_SERVER,
			UnstartedServer.JETTY);

	/**
	 * Properties that one server shows, as none is in the way of another's proof. The
	 * main server with OpenSSL is started for each property alone.
	 */
	private static final List<Set<ServerSslProperty>> TOGETHER = List.of(
			EnumSet.of(ServerSslProperty.CERTIFICATE_FILE, ServerSslProperty.CERTIFICATE_KEY_FILE),
			EnumSet.of(ServerSslProperty.DEVELOPMENT_CERTIFICATE_NAMES,
					ServerSslProperty.DEVELOPMENT_CERTIFICATE_IN_PRODUCTION),
			EnumSet.of(ServerSslProperty.CA_CERTIFICATE_FILE, ServerSslProperty.CERTIFICATE_REVOCATION_LIST_FILE),
			EnumSet.of(ServerSslProperty.FORWARDED_CLIENT_CERTIFICATE_HEADER,
					ServerSslProperty.FORWARDED_CLIENT_CERTIFICATE_PROXY_CA_CERTIFICATE_FILE),
			EnumSet.of(ServerSslProperty.STORE, ServerSslProperty.STORE_KEYS,
					ServerSslProperty.STORE_INITIALIZE_SCHEMA),
			EnumSet.of(ServerSslProperty.UNKNOWN_SERVER_NAME, ServerSslProperty.UNKNOWN_SERVER_NAME_ALLOWED),
			EnumSet.of(ServerSslProperty.SERVER_NAME_CERTIFICATES, ServerSslProperty.HANDSHAKE_TIMEOUT,
					ServerSslProperty.CLIENT_FINGERPRINT, ServerSslProperty.GROUPS,
					ServerSslProperty.SESSION_TICKET_KEY_FILE, ServerSslProperty.OPENSSL_MODE,
					ServerSslProperty.OPENSSL_LIBRARY_PATH, ServerSslProperty.OPENSSL_WORK_DIR));

	@ParameterizedTest
	@MethodSource
	void whenServerHasPropertiesThenItDoesWhatTheTableSays(List<ServerSslProperty> properties, TableColumn place,
			CapturedOutput output) throws Exception {
		assertServer(properties, place, output::toString);
	}

	static Stream<Arguments> whenServerHasPropertiesThenItDoesWhatTheTableSays() {
		return EnumSet
			.complementOf(EnumSet.of(TableColumn.NATIVE_IMAGE, TableColumn.WAR, TableColumn.WITHOUT_TLS,
					TableColumn.MISSPELT))
			.stream()
			.flatMap((place) -> servers(place).stream().map((properties) -> Arguments.of(properties, place)));
	}

	/**
	 * Return for which properties a server is started: for each that holds, and for one
	 * of those with another effect if it is decided before.
	 * @param place the place
	 * @return the properties of each server
	 */
	static Collection<List<ServerSslProperty>> servers(TableColumn place) {
		Map<Object, List<ServerSslProperty>> servers = new LinkedHashMap<>();
		for (ServerSslProperty property : ServerSslProperty.values()) {
			Effect effect = effect(property, place);
			if (effect != Effect.HOLDS && DECIDED_BEFORE.containsKey(place)) {
				servers.putIfAbsent(effect, List.of(property));
			}
			else {
				boolean alone = place == TableColumn.TOMCAT || effect == Effect.REFUSED || effect == Effect.WARNED;
				Object together = TOGETHER.stream()
					.filter((any) -> !alone && any.contains(property))
					.findFirst()
					.orElse(Set.of(property));
				servers.computeIfAbsent(List.of(effect, together), (any) -> new ArrayList<>()).add(property);
			}
		}
		return servers.values();
	}

	@ParameterizedTest
	@MethodSource
	void whenServerIsNotStartedThenPropertyDoesWhatTheTableSays(ServerSslProperty property, TableColumn place,
			CapturedOutput output) throws Exception {
		assertDecided(property, place, output::toString);
	}

	static Stream<Arguments> whenServerIsNotStartedThenPropertyDoesWhatTheTableSays() {
		return Stream.of(TableColumn.NETTY, TableColumn.OTHER_SERVER)
			.flatMap((place) -> properties().map((property) -> Arguments.of(property, place)));
	}

	@Test
	void whenPropertyIsSetInNativeImageThenItDoesWhatTheTableSays() {
		Commands.Result result = ForkedApplication.run(NativeImageColumn.class, List.of(NativeImageApplication.OPTION));
		assertThat(result.output()).doesNotContain("FAILED ").contains("was walked");
	}

	@ParameterizedTest
	@MethodSource("properties")
	void whenPropertyIsSetInWarThenItDoesWhatTheTableSays(ServerSslProperty property, CapturedOutput output)
			throws Exception {
		MockEnvironment environment = new MockEnvironment();
		TestPropertyValues.of("server.ssl." + PropertyProof.of(property).property()).applyTo(environment);
		Throwable failure = catchThrowable(() -> new WarDeploymentAutoConfiguration(
				Binder.get(environment).bindOrCreate("server.ssl", TomcatOpenSslProperties.class), environment));
		if (TableColumn.WAR.of(property) == Effect.REFUSED) {
			assertRefused(failure, property, TableColumn.WAR);
		}
		else {
			assertThat(TableColumn.WAR.of(property)).isEqualTo(Effect.NO_MEANING);
			assertThat(failure).isNull();
			assertThat(output).contains("The properties of 'server.ssl' have no effect in a WAR");
		}
	}

	static Stream<ServerSslProperty> properties() {
		return Stream.of(ServerSslProperty.values());
	}

	@ParameterizedTest
	@MethodSource("properties")
	void whenOnlyPropertyIsSetThenItDoesWhatTheTableSays(ServerSslProperty property, CapturedOutput output)
			throws Exception {
		PropertyProof proof = PropertyProof.of(property);
		if (TableColumn.WITHOUT_TLS.of(property) == Effect.HOLDS) {
			try (Served server = start(TableColumn.TOMCAT, proof.all())) {
				proof.check().on(server);
			}
			return;
		}
		// Tomcat's connectors are only known when it is made
		assertDecidedAlone(property, UnstartedServer.JETTY.failure(qualified(List.of(proof.property()))), output);
	}

	@ParameterizedTest
	@EnumSource(names = { "GROUPS", "OPENSSL_LIBRARY", "RELOAD_ON_UPDATE" })
	void whenOnlyPropertyIsSetThenTomcatDoesWhatTheTableSays(ServerSslProperty property, CapturedOutput output)
			throws Exception {
		List<String> alone = qualified(List.of(PropertyProof.of(property).property()));
		assertDecidedAlone(property, failureOfServer(alone), output);
	}

	private static void assertDecidedAlone(ServerSslProperty property, Throwable failure, CapturedOutput output) {
		switch (TableColumn.WITHOUT_TLS.of(property)) {
			case REFUSED -> assertThat(message(failure)).contains(property.toString())
				.containsAnyOf(
						"the web server serves no TLS, because it has no certificate. Set 'server.ssl.certificate-file'",
						"'server.ssl.certificate-file': it is not set, but '" + property + "' is",
						"It has no effect unless 'server.ssl."
								+ String.join("' or 'server.ssl.", property.requirements()).replace("=", "' is '")
								+ "'");
			case WARNED -> {
				assertThat(failure).isNull();
				assertThat(output).contains("'" + property
						+ "' has no effect: the web server serves no TLS, because it has no certificate. Set ");
			}
			case NO_MEANING -> assertThat(failure).isNull();
			default -> throw new IllegalArgumentException();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "enabled=true", "ciphers=TLS_AES_128_GCM_SHA256", "client-auth=need" })
	void whenOnlyPropertyOfSpringBootIsSetThenCertificateIsMissing(String property) {
		assertThat(message(qualified(List.of(property)))).startsWith(
				"'server.ssl.certificate-file': it is not set, and neither is another certificate, but other properties");
	}

	// Tomcat refuses settings only when it is made
	@ParameterizedTest
	@MethodSource("properties")
	void whenPropertyIsSetAndTlsIsTurnedOffThenNothingRefusesIt(ServerSslProperty property) throws Exception {
		assertThat(UnstartedServer.JETTY
			.failure(qualified(List.of(PropertyProof.of(property).property(), "enabled=false")))).isNull();
	}

	@Test
	void whenTlsIsTurnedOffThenServerStartsWithAllProperties() throws Exception {
		Set<String> all = new LinkedHashSet<>(List.of("enabled=false"));
		for (ServerSslProperty property : ServerSslProperty.values()) {
			all.add(PropertyProof.of(property).property());
		}
		TestServer.start(WebApplicationType.SERVLET, Object.class, qualified(List.copyOf(all))).close();
	}

	@ParameterizedTest
	@MethodSource("properties")
	void whenPropertyIsMisspeltThenItIsRefused(ServerSslProperty property) throws Exception {
		assertThat(TableColumn.MISSPELT.of(property)).isEqualTo(Effect.REFUSED);
		PropertyProof proof = PropertyProof.of(property);
		String name = proof.property().substring(0, proof.property().indexOf('='));
		StringBuilder misspelt = new StringBuilder(proof.property()).deleteCharAt(name.length() - 2);
		List<String> all = new ArrayList<>(proof.others());
		all.add(misspelt.toString());
		String wrong = "server.ssl." + misspelt.substring(0, name.length() - 1);
		if (property == ServerSslProperty.ACME_CERTIFICATES) {
			// Spring Boot finds nothing else in the element of the list
			assertThat(message(qualified(all))).contains("The elements [" + wrong + "] were left unbound");
		}
		else {
			assertThat(message(qualified(all))).contains("'" + wrong + "'").contains("'server.ssl." + name + "'");
		}
	}

	@ParameterizedTest
	@MethodSource
	void whenPropertiesContradictEachOtherThenTheyAreRefused(ServerSslProperty property, String other)
			throws Exception {
		String name = other.replaceFirst("=.*", "");
		PropertyProof proof = PropertyProof.of(property);
		List<String> one = (name.equals(other) && property.requirements().isEmpty()) ? List.of(proof.property())
				: proof.all();
		List<String> all = Stream.concat(one.stream(), Stream.of(name.equals(other) ? ofSpringBoot(name) : other))
			.toList();
		// The engine is chosen when Tomcat is made
		assertThat(
				other.equals("openssl.mode=never") ? message(failureOfServer(qualified(all))) : message(qualified(all)))
			.contains(property.toString())
			.contains("'server.ssl." + name + "'");
	}

	static Stream<Arguments> whenPropertiesContradictEachOtherThenTheyAreRefused() {
		return properties()
			.flatMap((property) -> property.contradictions().stream().map((other) -> Arguments.of(property, other)));
	}

	@ParameterizedTest
	@MethodSource
	void whenPropertyIsSetWithoutWhatItNeedsThenItIsRefused(ServerSslProperty property) throws Exception {
		String[] needed = property.requirements().get(0).split("=");
		String remedy = (needed.length == 1)
				? "It has no effect unless 'server.ssl.%1$s' is set. Set 'server.ssl.%1$s', or remove '%2$s'."
					.formatted(String.join("' or 'server.ssl.", property.requirements()), property)
				: "It has no effect unless 'server.ssl.%1$s' is '%2$s'. Set 'server.ssl.%1$s' to '%2$s', or remove '%3$s'."
					.formatted(needed[0], needed[1], property);
		for (String certificate : List.of("certificate-file=" + certificate(), "bundle=server-ssl")) {
			assertThat(message(qualified(List.of(certificate, PropertyProof.of(property).property()))))
				.contains("Property " + property + " ")
				.contains(remedy);
		}
	}

	static Stream<ServerSslProperty> whenPropertyIsSetWithoutWhatItNeedsThenItIsRefused() {
		List<ServerSslProperty> needy = properties().filter((property) -> !property.requirements().isEmpty()).toList();
		assertThat(needy).hasSize(9);
		return needy.stream();
	}

	private static String ofSpringBoot(String name) throws IOException {
		return switch (name) {
			case "bundle", "certificate", "certificate-private-key", "key-store", "key-store-password",
					"key-store-type", "key-store-provider", "key-alias", "key-password", "trust-certificate",
					"trust-store" ->
				name + "=mine";
			case "server-name-bundles" -> "server-name-bundles[0].server-name=a.test";
			default -> PropertyProof.of(ServerSslProperty.of(name)).property();
		};
	}

	private static String message(List<String> properties) {
		return message(UnstartedServer.TOMCAT.failure(properties));
	}

	private static Throwable failureOfServer(List<String> properties) {
		return catchThrowable(() -> TestServer.start(WebApplicationType.SERVLET, Object.class, properties).close());
	}

	private static String message(Throwable failure) {
		assertThat(failure).as("nothing refuses it").isNotNull();
		return String.valueOf(NestedExceptionUtils.getMostSpecificCause(failure).getMessage());
	}

	// The messages of all parts that decide reach the user who starts the application
	@ParameterizedTest
	@ValueSource(strings = { "group=x25519", "bundle=mine", "ocsp-soft-fail=true" })
	void whenPropertiesAreRefusedThenServerDoesNotStart(String property) {
		List<String> properties = qualified(List.of("certificate-file=" + certificate(), property));
		assertThat(message(failureOfServer(properties)).replace("commandLineArgs", "test"))
			.isEqualTo(message(properties));
	}

	@ParameterizedTest
	@ValueSource(strings = { "groups=x25519", "openssl.mode=always", "ocsp-enabled=true", "unknown-server-name=reject",
			"proxy-protocol.trusted=10.0.0.0/8" })
	void whenAutoConfigurationIsMissingThenNothingIsDropped(String property) {
		assertMissing(property, UnstartedServer.TOMCAT
			.failureWithoutTomcatOpenSsl(qualified(List.of("certificate-file=" + certificate(), property))));
	}

	@Test
	void whenAutoConfigurationIsExcludedThenNothingIsDropped() {
		List<String> properties = qualified(List.of("certificate-file=" + certificate(), "groups=x25519",
				"spring.autoconfigure.exclude=" + TomcatOpenSslAutoConfiguration.class.getName()));
		assertMissing("groups=x25519", failureOfServer(properties));
	}

	private static void assertMissing(String property, Throwable failure) {
		assertThat(message(failure)).contains("server.ssl." + property.substring(0, property.indexOf('=')),
				"'TomcatOpenSslAutoConfiguration' is missing");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "handshake-timeout=3s", "unknown-server-name=reject", "proxy-protocol.trusted=10.0.0.0/8" })
	void whenConnectorOfTheApplicationHasAnotherProtocolThenNothingIsDropped(String property) {
		assertThatExceptionOfType(Exception.class)
			.isThrownBy(
					() -> TestServer
						.start(WebApplicationType.SERVLET, AdditionalConnector.class,
								qualified(List.of("certificate-file=" + certificate(), property,
										"test.other-protocol=true")))
						.close())
			.havingRootCause()
			.withMessageContaining("the connector has the protocol 'org.apache.coyote.http11.Http11NioProtocol'");
	}

	@Test
	void everyPropertyHasItsRow() {
		assertThat(Stream.of(ServerSslProperty.values()).map(ServerSslProperty::toString))
			.containsExactlyInAnyOrder(Stream
				.of(names("server.ssl.", TomcatOpenSslProperties.class), Stream.of("server.ssl.acme.certificates"),
						names("server.ssl.proxy-protocol.", TomcatOpenSslProperties.ProxyProtocol.class),
						names("server.ssl.forwarded-client-certificate.",
								TomcatOpenSslProperties.ForwardedClientCertificate.class),
						names("server.ssl.openssl.", TomcatOpenSslProperties.Openssl.class))
				.flatMap(Function.identity())
				.filter((name) -> !List
					.of("server.ssl.openssl", "server.ssl.proxy-protocol", "server.ssl.forwarded-client-certificate")
					.contains(name))
				.toArray(String[]::new));
	}

	@Test
	void everyRowHasAllCells() {
		for (ServerSslProperty property : ServerSslProperty.values()) {
			assertThat(Stream.of(TableColumn.values()).map((column) -> column.of(property))).as(property.toString())
				.doesNotContainNull();
		}
	}

	@Test
	void guideShowsTheTable() {
		Map<Effect, String> words = Map.of(Effect.HOLDS, "applies", Effect.REFUSED, "**prevents startup**",
				Effect.WARNED, "WARN", Effect.NO_MEANING, "");
		StringBuilder places = new StringBuilder(
				"| `server.ssl.` | Tomcat | management | connectors | JSSE | native image | Netty | Jetty, others | WAR |\n"
						+ "|---|---|---|---|---|---|---|---|---|\n");
		StringBuilder mistakes = new StringBuilder(
				"| `server.ssl.` | without TLS | misspelt | not together with |\n|---|---|---|---|\n");
		for (ServerSslProperty property : ServerSslProperty.values()) {
			String name = "| `%s` |".formatted(property.toString().substring("server.ssl.".length()));
			places.append(name);
			EnumSet.complementOf(EnumSet.of(TableColumn.WITHOUT_TLS, TableColumn.MISSPELT))
				.forEach(
						(column) -> places.append((" " + words.get(column.of(property))).stripTrailing()).append(" |"));
			places.append('\n');
			boolean turnsOn = TableColumn.WITHOUT_TLS.of(property) == Effect.HOLDS;
			mistakes.append(name)
				.append((" " + (turnsOn ? "turns TLS on" : words.get(TableColumn.WITHOUT_TLS.of(property))))
					.stripTrailing())
				.append(" | %s | ".formatted(words.get(TableColumn.MISSPELT.of(property))))
				.append(property.contradictions()
					.stream()
					.map((other) -> "`%s`".formatted(other.replace("=", ": ")))
					.collect(Collectors.joining(", ")))
				.append(property.contradictions().isEmpty() ? "|\n" : " |\n");
		}
		assertThat(Path.of("../docs/properties.md")).content().contains(places).contains(mistakes);
	}

	@Test
	void settingsOfTheConnectorHaveNamesOfTheTableOrOfSpringBoot() {
		List<String> known = new ArrayList<>(
				Stream.of(ServerSslProperty.values()).map(ServerSslProperty::toString).toList());
		known.addAll(List.of("server.ssl", "server.ssl.ciphers", "server.ssl.client-auth",
				"server.ssl.enabled-protocols", "server.ssl.key-alias", "server.ssl.key-password",
				"server.ssl.key-store-password", "server.ssl.server-name-bundles"));
		assertThat(Stream.of(SettingName.values()).map(ServerSslProperty::nameOf)).isSubsetOf(known);
	}

	static void assertServer(List<ServerSslProperty> properties, TableColumn place, Supplier<String> output)
			throws Exception {
		List<PropertyProof> proofs = new ArrayList<>();
		Set<String> all = new LinkedHashSet<>();
		for (ServerSslProperty property : properties) {
			PropertyProof proof = PropertyProof.of(property);
			proofs.add(proof);
			all.addAll(proof.all());
		}
		ServerSslProperty first = properties.get(0);
		switch (effect(first, place)) {
			case HOLDS -> {
				if (first == ServerSslProperty.OPENSSL_FIPS_MODE) {
					assertThat(catchThrowable(() -> start(place, List.copyOf(all)))).hasStackTraceContaining("FIPS");
					return;
				}
				try (Served server = start(place, List.copyOf(all))) {
					for (PropertyProof proof : proofs) {
						assertThat(catchThrowable(() -> proof.check().on(server))).as(proof.property()).isNull();
					}
				}
			}
			case REFUSED -> assertRefused(catchThrowable(() -> start(place, List.copyOf(all)).close()), first, place);
			case WARNED -> {
				try (Served server = start(place, List.copyOf(all))) {
					assertThat(server.connect().subject()).isEqualTo("p256");
					assertWarned(output, first);
				}
			}
			case NO_MEANING -> {
				if (!first.requirements().isEmpty()) {
					properties.forEach((property) -> assertNeedsWhatHasNoEffect(property, place));
					return;
				}
				try (Served server = start(place,
						(place != TableColumn.CONNECTORS) ? withCertificate(proofs) : List.copyOf(all))) {
					assertThat(server.connect().subject()).isEqualTo("p256");
				}
			}
		}
	}

	static void assertDecided(ServerSslProperty property, TableColumn place, Supplier<String> output) throws Exception {
		PropertyProof proof = PropertyProof.of(property);
		UnstartedServer server = DECIDED_BEFORE.get(place);
		switch (effect(property, place)) {
			case HOLDS -> assertThat(server.failure(qualified(proof.all()))).isNull();
			case REFUSED -> assertRefused(server.failure(qualified(proof.all())), property, place);
			case WARNED -> {
				assertThat(server.failure(qualified(proof.all()))).isNull();
				assertWarned(output, property);
			}
			case NO_MEANING -> {
				if (!property.requirements().isEmpty()) {
					assertNeedsWhatHasNoEffect(property, place);
					return;
				}
				assertThat(server.failure(qualified(withCertificate(List.of(proof))))).isNull();
			}
		}
	}

	private static void assertWarned(Supplier<String> output, ServerSslProperty property) {
		assertThat(output.get()).contains("'" + property + "' has no effect");
	}

	private static void assertNeedsWhatHasNoEffect(ServerSslProperty property, TableColumn place) {
		ServerSslProperty needed = ServerSslProperty.of(property.requirements().get(0).replaceFirst("=.*", ""));
		assertThat(place.of(needed)).isIn(Effect.REFUSED, Effect.NO_MEANING);
	}

	private static List<String> withCertificate(List<PropertyProof> proofs) {
		return Stream
			.concat(Stream.of("certificate-file=" + certificate()), proofs.stream().map(PropertyProof::property))
			.toList();
	}

	// The groups of JSSE cannot be set before Java 20
	private static Effect effect(ServerSslProperty property, TableColumn place) {
		boolean refused = property == ServerSslProperty.GROUPS && place == TableColumn.JSSE
				&& TlsEngine.jsse().capabilities().groups().isEmpty();
		return refused ? Effect.REFUSED : place.of(property);
	}

	private static void assertRefused(Throwable failure, ServerSslProperty property, TableColumn place) {
		assertThat(failure).as("nothing refuses '%s'", property).isNotNull();
		Throwable cause = failure;
		while (cause.getCause() != null && !String.valueOf(cause.getMessage()).contains(property.toString())) {
			cause = cause.getCause();
		}
		assertThat(cause).hasMessageContaining(property.toString());
		boolean groups = property == ServerSslProperty.GROUPS && place == TableColumn.JSSE;
		assertThat(cause).hasMessageContaining(groups ? "JSSE in Java" : NAMES.get(place));
	}

	private static Served start(TableColumn place, List<String> properties) {
		List<String> all = qualified(properties);
		if (place == TableColumn.NATIVE_IMAGE) {
			return nativeImage(all);
		}
		// With netty-tcnative, which other tests need, Netty serves one of two key types
		System.setProperty("io.netty.handler.ssl.noOpenSsl", "true");
		List<String> more = switch (place) {
			case MANAGEMENT -> List.of("management.server.port=0");
			case JSSE -> List.of("server.tomcat.use-apr=never");
			// Netty would wait two seconds for others when it stops
			case NETTY ->
				List.of("server.test.web-server=reactor.netty", "spring.reactor.netty.shutdown-quiet-period=0s");
			case OTHER_SERVER -> List.of("server.test.web-server=jetty");
			default -> List.of();
		};
		all.addAll(more);
		if (properties.stream().noneMatch((property) -> property.startsWith("openssl.library"))) {
			all.add("server.ssl.openssl.library-path=" + Provided.tomcatNative());
		}
		return new RunningServer(TestServer.start(
				(place != TableColumn.NETTY) ? WebApplicationType.SERVLET : WebApplicationType.REACTIVE,
				(place != TableColumn.CONNECTORS) ? TestServer.Application.class : AdditionalConnector.class, all),
				place, properties);
	}

	private static Served nativeImage(List<String> properties) {
		var context = new AnnotationConfigServletWebServerApplicationContext();
		context.getEnvironment()
			.getPropertySources()
			.addFirst(new SimpleCommandLinePropertySource(Stream
				.concat(Stream.of("server.port=0", "spring.ssl.bundle.watch.file.quiet-period=200ms"),
						properties.stream())
				.map((property) -> "--" + property)
				.toArray(String[]::new)));
		context.register(TestServer.Application.class);
		context.refresh();
		return new NativeServer(context);
	}

	private static List<String> qualified(List<String> properties) {
		return new ArrayList<>(properties.stream()
			.map((property) -> property.matches("(spring|test|XDG_CACHE_HOME|CAROOT)\\b.*") ? property
					: "server.ssl." + property)
			.toList());
	}

	private static String certificate() {
		return TestCertificates.get().join("p256-with-key.crt", "p256.crt", "p256.key").toString();
	}

	private static Stream<String> names(String prefix, Class<?> type) {
		return Arrays.stream(type.getRecordComponents())
			.map(RecordComponent::getName)
			.map((name) -> prefix + name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT));
	}

	/**
	 * A server in this JVM.
	 */
	private record RunningServer(TestServer server, TableColumn place, List<String> properties) implements Served {

		@Override
		public int port() {
			return switch (this.place) {
				case MANAGEMENT -> Integer.parseInt(this.server.property("local.management.port"));
				case CONNECTORS -> this.server.connectors().get(1).getLocalPort();
				default -> this.server.port();
			};
		}

		@Override
		public <T> T bean(Class<T> type) {
			return this.server.bean(type);
		}

		@Override
		public List<String> connectors() {
			return this.server.connectors()
				.stream()
				.flatMap((connector) -> TlsConnectors.engines(connector).stream())
				.toList();
		}

		@Override
		public Served replica() {
			return start(this.place, this.properties);
		}

		@Override
		public void close() {
			this.server.close();
		}

	}

	/**
	 * A server in a JVM that takes itself for a native image.
	 */
	private record NativeServer(AnnotationConfigServletWebServerApplicationContext context) implements Served {

		@Override
		public int port() {
			return ((WebServerApplicationContext) this.context).getWebServer().getPort();
		}

		@Override
		public <T> T bean(Class<T> type) {
			return this.context.getBean(type);
		}

		@Override
		public List<String> connectors() {
			return List.of();
		}

		@Override
		public Served replica() {
			throw new UnsupportedOperationException();
		}

		@Override
		public void close() {
			this.context.close();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AdditionalConnector {

		@Bean
		WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> additionalConnectorCustomizer(
				Environment environment) {
			AbstractHttp11Protocol<?> protocol = environment.containsProperty("test.other-protocol")
					? new Http11NioProtocol() : new TlsHttp11NioProtocol();
			return (factory) -> ((TomcatWebServerFactory) factory).addAdditionalConnectors(
					connector(protocol, environment.getProperty("server.ssl.client-auth", "none")));
		}

		private static Connector connector(AbstractHttp11Protocol<?> protocol, String clientAuth) {
			return TestServer.connector(protocol, (host) -> {
				host.setCertificateVerification(clientAuth.equals("none") ? "none" : "required");
				host.setCaCertificateFile(TestCertificates.get().file("ca.crt").toString());
			});
		}

	}

}
