// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.autoconfigure.CertificateFileAutoConfiguration;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.context.servlet.AnnotationConfigServletWebApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.javapoet.ClassName;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests that {@link AcmeProperties}, their metadata and the documentation agree.
 */
class AcmePropertiesTests {

	private static final Path GUIDE = Path.of("../docs/properties.md");

	private static final Pattern ROW = Pattern
		.compile("^\\| <a id=\"((?:server\\.ssl|management\\.health)\\.acme\\.[a-z.-]+)\">.*$", Pattern.MULTILINE);

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner(
			AnnotationConfigServletWebApplicationContext::new)
		.withConfiguration(AutoConfigurations.of(AcmeAutoConfiguration.class, CertificateFileAutoConfiguration.class,
				SslAutoConfiguration.class));

	@Test
	void metadataHasAllPropertiesWithTheDescriptionsOfTheParameters() throws IOException {
		String source = Files.readString(Path.of("src/main/java/io/github/tomcatopenssl/acme/AcmeProperties.java"))
			.replaceAll("\\n\\s+\\* ?", " ")
			.replaceAll("\\s+", " ");
		Map<String, JsonNode> metadata = elements("properties");
		assertThat(metadata.remove("management.health.acme.enabled")).isNotNull();
		Set<String> names = new TreeSet<>();
		names("", AcmeProperties.class).filter((name) -> !Set.of("external-account", "dns-update").contains(name))
			.forEach(names::add);
		names("external-account.", AcmeProperties.ExternalAccount.class).forEach(names::add);
		names("dns-update.", AcmeProperties.DnsUpdate.class).forEach(names::add);
		assertThat(metadata.keySet()).containsExactlyElementsOf(
				names.stream().map((name) -> AcmeProperties.PREFIX + "." + name).sorted().toList());
		// Spring Boot's annotation processor takes '@param directoryUrl' for '@param
		// directory'
		metadata.forEach((name, property) -> {
			String parameter = name.substring(name.lastIndexOf('.') + 1).replace("-", "");
			assertThat(source).as(name)
				.containsPattern("(?i)@param %s %s".formatted(parameter,
						Pattern.quote(property.path("description").asString())));
		});
	}

	@Test
	void metadataHasTheDefaults() throws IOException {
		AcmeProperties properties = new Binder(List.of()).bindOrCreate(AcmeProperties.PREFIX, AcmeProperties.class);
		Map<String, JsonNode> metadata = elements("properties");
		metadata.values().removeIf((property) -> property.path("defaultValue").isMissingNode());
		metadata.remove("management.health.acme.enabled");
		assertThat(metadata.keySet()).containsExactlyInAnyOrder("server.ssl.acme.directory-url",
				"server.ssl.acme.dns-update.key-algorithm", "server.ssl.acme.key-types",
				"server.ssl.acme.orders-per-hour", "server.ssl.acme.terms-of-service-agreed");
		assertThat(metadata.get("server.ssl.acme.dns-update.key-algorithm").path("defaultValue").asString())
			.isEqualTo("hmac-sha256");
		assertThat(metadata.get("server.ssl.acme.directory-url").path("defaultValue").asString())
			.isEqualTo(properties.directoryUrl().toString());
		assertThat(metadata.get("server.ssl.acme.key-types").path("defaultValue").asString()).isEqualTo("ec");
		assertThat(properties.keyTypes()).containsExactly(AcmeKeyType.EC);
		assertThat(metadata.get("server.ssl.acme.orders-per-hour").path("defaultValue").asInt())
			.isEqualTo(properties.ordersPerHour());
		assertThat(metadata.get("server.ssl.acme.terms-of-service-agreed").path("defaultValue").asBoolean())
			.isEqualTo(properties.termsOfServiceAgreed())
			.isFalse();
	}

	@Test
	void metadataHintsAtValues() throws IOException {
		Map<String, JsonNode> hints = elements("hints");
		assertThat(hints).containsOnlyKeys("server.ssl.acme.directory", "server.ssl.acme.dns-update.key-algorithm",
				"server.ssl.acme.key-types");
		assertThat(hints.get("server.ssl.acme.dns-update.key-algorithm").path("values").valueStream())
			.extracting((value) -> value.path("value").asString().toUpperCase(Locale.ROOT).replace('-', '_'))
			.containsExactlyElementsOf(Stream.of(AcmeProperties.KeyAlgorithm.values()).map(Enum::name).toList());
		assertThat(hints.get("server.ssl.acme.directory").at("/providers/0/parameters/target").asString())
			.isEqualTo(File.class.getName());
		assertThat(hints.get("server.ssl.acme.key-types").path("values").valueStream())
			.extracting((value) -> value.path("value").asString().toUpperCase(Locale.ROOT))
			.containsExactlyElementsOf(Stream.of(AcmeKeyType.values()).map(Enum::name).toList());
	}

	@Test
	void guideHasARowForEachProperty() throws IOException {
		Map<String, String> expected = rows();
		String guide = Files.readString(GUIDE);
		if (Boolean.getBoolean("properties.write")) {
			guide = ROW.matcher(guide)
				.replaceAll((row) -> Matcher
					.quoteReplacement(Objects.requireNonNullElse(expected.get(row.group(1)), row.group())));
			Files.writeString(GUIDE, guide);
		}
		Map<String, String> actual = new TreeMap<>();
		ROW.matcher(guide)
			.results()
			.forEach((row) -> assertThat(actual.put(row.group(1), row.group())).as(row.group()).isNull());
		assertThat(actual).as("Add and remove rows by hand; '-Dproperties.write=true' rewrites those that are there")
			.containsExactlyEntriesOf(expected);
	}

	@Test
	void documentationSetsKnownValuesThatBind() throws IOException {
		Set<String> known = elements("properties").keySet();
		List<Map<String, Object>> blocks = documentedBlocks();
		assertThat(blocks).hasSizeGreaterThan(4).allSatisfy((values) -> {
			assertThat(values.keySet()).allMatch((name) -> known.contains(name.replaceFirst("\\[.*", "")));
			values.replaceAll((name, value) -> value.toString().startsWith("${") ? "placeholder" : value);
			assertThatNoException().isThrownBy(() -> new Binder(new MapConfigurationPropertySource(values))
				.bindOrCreate(AcmeProperties.PREFIX, AcmeProperties.class));
		});
	}

	@Test
	void toStringDoesNotShowTheKeyOfTheAccount() {
		Map<String, String> values = Map.of("server.ssl.acme.domains", "localhost",
				"server.ssl.acme.external-account.key-id", "id", "server.ssl.acme.external-account.hmac-key", "secret",
				"server.ssl.acme.dns-update.server", "ns", "server.ssl.acme.dns-update.key", "secret");
		AcmeProperties properties = new Binder(new MapConfigurationPropertySource(values))
			.bind(AcmeProperties.PREFIX, AcmeProperties.class)
			.get();
		assertThat(properties.externalAccount().hmacKey()).isEqualTo("secret");
		assertThat(properties.dnsUpdate().key()).isEqualTo("secret");
		assertThat(List.of(properties, properties.externalAccount(), properties.dnsUpdate()))
			.noneMatch((shown) -> shown.toString().contains("secret"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					email=a@example.com | 'server.ssl.acme.domains': it is not set
					domains= | 'server.ssl.acme.domains': it is empty
					domains=localhost,email=admin | 'server.ssl.acme.email': 'admin' is not an email address
					domains=192.168.1.256 | 'server.ssl.acme.domains': '192.168.1.256' is neither a host name nor an IP address
					domains={long} | 'server.ssl.acme.domains': a name has 254 characters, but host names have 253 at most
					domains=[::1] | 'server.ssl.acme.domains': '[::1]' is neither a host name nor an IP address
					domains=https://example.com | 'server.ssl.acme.domains': 'https://example.com' is neither a host name nor an IP address
					domains=*.example.com | 'server.ssl.acme.domains': '*.example.com' is a wildcard
					domains=localhost,dns-update.key=c2VjcmV0 | 'server.ssl.acme.dns-update.server': it is not the name or the address of a name server
					domains=localhost,terms-of-service-agreed=false | 'server.ssl.acme.terms-of-service-agreed': it is not 'true'
					domains=localhost,directory-url=http://localhost/dir | 'server.ssl.acme.directory-url': 'http://localhost/dir' is not an HTTPS address
					domains=localhost,directory=/proc/acme | 'server.ssl.acme.directory' ('/proc/acme'): the certificate cannot be stored
					domains=localhost,ssl-bundle=none | 'server.ssl.acme.ssl-bundle': there is no SSL bundle 'none'
					domains=localhost,external-account.key-id=kid-1 | 'server.ssl.acme.external-account': it needs both
					domains=localhost,external-account.key-id=kid-1,external-account.hmac-key=% | 'server.ssl.acme.external-account.hmac-key': the character at position 1
					domains=localhost,external-account.key-id=kid-1,external-account.hmac-key=c2VjcmV0 | 'server.ssl.acme.external-account.hmac-key': it has 6 bytes, but HS256 needs 32
					certificates[0].domains=one.test,certificates[1].domains=https://example.com | 'server.ssl.acme.certificates[1].domains': 'https://example.com' is neither
					certificates[0].domains=*.example.com | 'server.ssl.acme.certificates[0].domains': '*.example.com' is a wildcard
					certificates[0].domains= | 'server.ssl.acme.certificates[0].domains': it is not set
					certificates[0].domains=one.test,terms-of-service-agreed=false | 'server.ssl.acme.terms-of-service-agreed': it is not 'true'
					certificates[0].domains=one.test,../bundle=any | 'server.ssl.acme.certificates': 'server.ssl.bundle' is set as well
					certificates[0].domains=one.test,../openssl.fips-mode=required | 'server.ssl.acme.certificates': 'server.ssl.openssl.fips-mode' is
					domains=localhost,orders-per-hour=0 | 'server.ssl.acme.orders-per-hour': it is not between 1 and 1000000
					domains=localhost,key-types= | 'server.ssl.acme.key-types': it must have
					domains=localhost,../certificate-file=tls.crt | 'server.ssl.acme': 'server.ssl.certificate-file' is set as well
					domains=localhost,../bundle=any | 'server.ssl.acme': 'server.ssl.bundle' is set as well
					domains=localhost,../development-certificate=true | 'server.ssl.development-certificate': 'server.ssl.acme' is set as well
					domains=localhost,../reload-on-update=false | 'server.ssl.acme': 'server.ssl.reload-on-update' is 'false'
					domains=localhost,../openssl.fips-mode=required | 'server.ssl.acme': 'server.ssl.openssl.fips-mode' is 'required'
					""")
	void whenPropertiesAreWrongThenStartEndsAndSaysWhy(String properties, String expected, @TempDir Path folder) {
		this.runner
			.withPropertyValues("server.ssl.acme.directory-url=https://localhost:1/dir",
					"server.ssl.acme.directory=" + folder, "server.ssl.acme.terms-of-service-agreed=true")
			.withPropertyValues(Stream.of(properties.split(","))
				.map((property) -> ("server.ssl.acme." + property).replace("acme.../", "")
					.replace("{long}", "a.".repeat(125) + "comm"))
				.toArray(String[]::new))
			.run((context) -> assertThat(context.getStartupFailure())
				.hasStackTraceContaining(TlsSettingException.class.getName() + ": " + expected));
	}

	@Test
	void whenOnlyBeansNameDomainsThenTlsHasToBeTurnedOn(@TempDir Path folder) {
		WebApplicationContextRunner runner = this.runner
			.withPropertyValues("server.ssl.acme.directory-url=https://localhost:1/dir",
					"server.ssl.acme.directory=" + folder, "server.ssl.acme.terms-of-service-agreed=true")
			.withBean(AcmeOnDemandDomains.class, () -> (serverName) -> true);
		runner.run((context) -> assertThat(context.getStartupFailure()).rootCause()
			.hasMessage("'server.ssl.acme.domains': it is not set")
			.extracting((ex) -> ((TlsSettingException) ex).getAction(SettingName::toString))
			.asString()
			.contains("the beans of the application do not turn on TLS"));
		runner
			.withPropertyValues("server.ssl.certificate-file=" + TestCertificates.get().file("p256.crt"),
					"server.ssl.certificate-key-file=" + TestCertificates.get().file("p256.key"))
			.run((context) -> assertThat(context).hasNotFailed());
		runner
			.withPropertyValues("server.ssl.certificate-file=" + TestCertificates.get().file("p256.crt"),
					"server.ssl.certificate-key-file=" + TestCertificates.get().file("p256.key"),
					"server.ssl.acme.terms-of-service-agreed=false")
			.run((context) -> assertThat(context.getStartupFailure())
				.hasStackTraceContaining("'server.ssl.acme.terms-of-service-agreed': it is not 'true'"));
	}

	@Test
	void whenNameIsMisspeltThenStartEndsAndSaysWhichIsMeant() {
		this.runner.withPropertyValues("server.ssl.acme.external-account.hmackeys=secret")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining(
						"'server.ssl.acme.external-account.hmackeys': there is no property with this name")
				.hasMessageContaining("'server.ssl.acme.external-account.hmac-key'")
				.hasMessageNotContaining("secret"));
	}

	@Test
	void whenProcessedAheadOfTimeThenTheyCanBeBound() {
		try (AnnotationConfigServletWebApplicationContext context = new AnnotationConfigServletWebApplicationContext()) {
			context.register(AcmeAutoConfiguration.class);
			DefaultGenerationContext generation = new DefaultGenerationContext(
					new ClassNameGenerator(ClassName.get(AcmePropertiesTests.class)), new InMemoryGeneratedFiles());
			new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
			for (Class<?> type : List.of(AcmeProperties.class, AcmeProperties.ExternalAccount.class)) {
				assertThat(
						RuntimeHintsPredicates.reflection().onConstructorInvocation(type.getDeclaredConstructors()[0]))
					.accepts(generation.getRuntimeHints());
			}
		}
	}

	private static Stream<String> names(String parent, Class<?> type) {
		return Stream.of(type.getRecordComponents())
			.map(RecordComponent::getName)
			.map((name) -> parent + DataObjectPropertyName.toDashedForm(name));
	}

	private static List<Map<String, Object>> documentedBlocks() throws IOException {
		try (Stream<Path> pages = Files.list(Path.of("../docs"))) {
			StringBuilder all = new StringBuilder();
			for (Path page : pages.filter((file) -> file.toString().endsWith(".md")).toList()) {
				all.append(Files.readString(page));
			}
			return Pattern.compile("^ *```yaml\n(.*?)^ *```$", Pattern.DOTALL | Pattern.MULTILINE)
				.matcher(all)
				.results()
				.map((block) -> yaml(block.group(1).stripIndent()))
				.filter((values) -> !values.isEmpty())
				.toList();
		}
	}

	private static Map<String, Object> yaml(String yaml) {
		var factory = new YamlPropertiesFactoryBean();
		factory.setResources(new ByteArrayResource(yaml.getBytes()));
		Map<String, Object> values = new TreeMap<>();
		Objects.requireNonNull(factory.getObject()).forEach((name, value) -> {
			if (name.toString().startsWith(AcmeProperties.PREFIX + ".")) {
				values.put(name.toString(), value);
			}
		});
		return values;
	}

	private static Map<String, String> rows() throws IOException {
		Map<String, JsonNode> hints = elements("hints");
		Map<String, String> rows = new TreeMap<>();
		elements("properties").forEach((name, property) -> {
			JsonNode hint = hints.getOrDefault(name, MissingNode.getInstance());
			JsonNode value = property.path("defaultValue");
			String defaultValue = value.isMissingNode() ? ""
					: " `%s`".formatted((value.isArray() ? value.path(0) : value).asString());
			StringBuilder description = new StringBuilder(markdown(property.path("description")));
			hint.path("values")
				.forEach((constant) -> description.append("<br>`%s`: %s".formatted(constant.path("value").asString(),
						markdown(constant.path("description")))));
			rows.put(name, "| <a id=\"%1$s\"></a>`%1$s` | %2$s |%3$s | %4$s |".formatted(name,
					type(property.path("type").asString(), hint), defaultValue, description));
		});
		return rows;
	}

	private static String type(String type, JsonNode hint) {
		return switch (type) {
			case "java.lang.Boolean" -> "boolean";
			case "java.lang.Integer" -> "integer";
			case "java.net.URI" -> "URL";
			case "java.lang.String" -> hint.path("providers").isEmpty() ? "string" : "path";
			case "java.util.List<java.lang.String>" -> "list of strings";
			default -> type.startsWith("java.util.List") ? "list" : "enum";
		};
	}

	private static String markdown(JsonNode text) {
		return text.asString().replaceAll("(?<!\\w)'([^']+)'", "`$1`");
	}

	private static Map<String, JsonNode> elements(String kind) throws IOException {
		Map<String, JsonNode> elements = new TreeMap<>();
		new JsonMapper().readTree(Path.of("target/classes/META-INF/spring-configuration-metadata.json").toFile())
			.path(kind)
			.forEach((element) -> elements.put(element.path("name").asString(), element));
		return elements;
	}

}
