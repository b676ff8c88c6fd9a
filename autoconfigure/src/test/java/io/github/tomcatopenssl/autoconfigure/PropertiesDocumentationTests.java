// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.tomcatopenssl.ClientFingerprint;
import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.ForwardedCertificateHeader;
import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.LibrarySource;
import io.github.tomcatopenssl.OpenSslMode;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SignatureScheme;
import io.github.tomcatopenssl.UnknownServerName;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.CertificateFiles;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.SchemaInitialization;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.ServerNameCertificate;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.StoreType;
import io.github.tomcatopenssl.endpoint.TlsHttp11NioProtocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.tomcat.autoconfigure.TomcatServerProperties;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests that {@link TomcatOpenSslProperties}, their metadata and the documentation agree.
 */
class PropertiesDocumentationTests {

	private static final Path GUIDE = Path.of("../docs/properties.md");

	private static final Pattern ROW = Pattern.compile("^\\| <a id=\"(.*?)\">.*$", Pattern.MULTILINE);

	private static final Map<String, String> DEFAULTS = new TreeMap<>(Map.ofEntries(
			Map.entry("server.ssl.openssl.mode", "when-available"), Map.entry("server.ssl.openssl.library", "auto"),
			Map.entry("server.ssl.openssl.fips-mode", "off"), Map.entry("server.ssl.ocsp-enabled", "false"),
			Map.entry("server.ssl.ocsp-soft-fail", "false"), Map.entry("server.ssl.development-certificate", "false"),
			Map.entry("server.ssl.development-certificate-in-production", "false"),
			Map.entry("server.ssl.reload-on-update", "true"), Map.entry("server.ssl.handshake-timeout", "10s"),
			Map.entry("server.ssl.store", "folder"), Map.entry("server.ssl.store-initialize-schema", "embedded"),
			Map.entry("server.ssl.unknown-server-name", "accept")));

	@Test
	void metadataHasAllPropertiesWithDescriptionAndDefault() throws IOException {
		Map<String, JsonNode> metadata = metadata();
		assertThat(metadata.keySet()).isEqualTo(properties().keySet());
		metadata.forEach((name, property) -> {
			String description = property.path("description").asString();
			assertThat(description).as(name).isNotEmpty().endsWith(".").doesNotStartWith("The ");
			assertThat(metadata.values().stream().map((other) -> other.path("description").asString())).as(name)
				.noneMatch((other) -> other.endsWith(" " + description));
			JsonNode defaultValue = property.path("defaultValue");
			assertThat((defaultValue.isArray() ? defaultValue.path(0) : defaultValue).asString(null)).as(name)
				.isEqualTo(DEFAULTS.get(name));
		});
	}

	// Spring Boot's annotation processor takes the first parameter whose name begins with
	// that of the property
	@Test
	void metadataHasTheDescriptionsOfTheParameters() throws IOException {
		String source = Files
			.readString(Path.of("src/main/java/io/github/tomcatopenssl/autoconfigure/TomcatOpenSslProperties.java"))
			.replaceAll("\\n\\s+\\* ?", " ")
			.replaceAll("\\s+", " ");
		Map<String, JsonNode> metadata = metadata();
		// The default of this one is in the hand-written metadata
		metadata.remove("server.ssl.handshake-timeout");
		metadata.forEach((name, property) -> {
			String[] words = name.substring(name.lastIndexOf('.') + 1).split("-");
			String parameter = Stream.of(words).map(StringUtils::capitalize).collect(Collectors.joining());
			assertThat(source).as(name)
				.contains("@param %s %s".formatted(StringUtils.uncapitalize(parameter),
						property.path("description").asString()));
		});
	}

	@Test
	void metadataHintsAtValues() throws IOException {
		Map<String, JsonNode> hints = elements("hints");
		Map<String, JsonNode> metadata = metadata();
		assertThat(hints.keySet().removeIf((name) -> name.startsWith("management.server.ssl."))).isTrue();
		assertThat(metadata.keySet()).containsAll(hints.keySet());
		// Of these nobody knows any
		metadata.keySet()
			.removeAll(Set.of("server.ssl.certificate-key-password", "server.ssl.development-certificate-names",
					"server.ssl.unknown-server-name-allowed", "server.ssl.proxy-protocol.trusted",
					"server.ssl.store-keys"));
		metadata.forEach((name, property) -> {
			String type = property.path("type").asString();
			Class<?> enumeration = Stream
				.of(OpenSslMode.class, LibrarySource.class, KeyExchangeGroup.class, UnknownServerName.class,
						SecurityPolicy.class, SignatureScheme.class, FipsMode.class, ForwardedCertificateHeader.class,
						ClientFingerprint.class, StoreType.class, SchemaInitialization.class)
				.filter((candidate) -> type.contains(candidate.getName()))
				.findFirst()
				.orElse(null);
			JsonNode hint = hints.get(name);
			if (enumeration != null) {
				assertThat(hint).as(name).isNotNull();
				assertThat(hint.path("values").valueStream().map((value) -> value.path("value").asString())).as(name)
					.containsExactlyInAnyOrderElementsOf(Stream.of(enumeration.getEnumConstants())
						.map(PropertiesDocumentationTests::value)
						.toList());
				assertThat(hint.path("values").valueStream()).allSatisfy((
						value) -> assertThat(value.path("description").asString()).as(name).isNotEmpty().endsWith("."));
			}
			else if (type.contains("String")) {
				assertThat(hint).as(name).isNotNull();
				assertThat(hint.path("providers").path(0).path("name").asString()).as(name).isEqualTo("handle-as");
				assertThat(hint.path("providers").path(0).path("parameters").path("target").asString()).as(name)
					.isIn(Resource.class.getName(), File.class.getName(),
							"java.util.List<%s>".formatted(Resource.class.getName()));
			}
		});
	}

	@Test
	void defaultsAreTheDocumentedOnes() {
		Map<String, Object> actual = properties();
		actual.put("server.ssl.handshake-timeout", TlsHttp11NioProtocol.DEFAULT_HANDSHAKE_TIMEOUT);
		actual.values().removeIf((value) -> value == null || value instanceof List);
		assertThat(actual).hasSize(DEFAULTS.size())
			.allSatisfy((name, value) -> assertThat(text(value)).isEqualTo(DEFAULTS.get(name)));
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
		// The module that obtains certificates has a test for its own
		ROW.matcher(guide)
			.results()
			.filter((row) -> !row.group(1).matches("(server\\.ssl|management\\.health)\\.acme\\..*"))
			.forEach((row) -> assertThat(actual.put(row.group(1), row.group())).as(row.group()).isNull());
		assertThat(actual).as("Add and remove rows by hand; '-Dproperties.write=true' rewrites those that are there")
			.containsExactlyEntriesOf(expected);
	}

	@Test
	void guideNamesThePropertiesOfEntries() {
		Map<String, Object> entry = new TreeMap<>();
		collect(entry, "server.ssl.certificates[0]", new CertificateFiles(null, null, null, null), List.of());
		collect(entry, "server.ssl.server-name-certificates[0]",
				new ServerNameCertificate(null, null, null, null, null, null, null, List.of()), List.of());
		assertThat(entry).hasSize(12);
		assertThat(GUIDE).content()
			.contains(entry.keySet()
				.stream()
				.map((name) -> "`" + name.replace("[0]", "[]") + "`")
				.toArray(String[]::new));
	}

	// YAML knows an 'off' without quotes as a boolean
	@ParameterizedTest
	@ValueSource(strings = { "off", "\"off\"", "required" })
	void fipsModeIsReadFromYaml(String mode) {
		TomcatOpenSslProperties properties = new Binder(
				new MapConfigurationPropertySource(yaml("server.ssl.openssl.fips-mode: " + mode)))
			.bind("server.ssl", TomcatOpenSslProperties.class)
			.get();
		assertThat(properties.openssl().fipsMode())
			.isEqualTo(mode.equals("required") ? FipsMode.REQUIRED : FipsMode.OFF);
	}

	@Test
	void documentationSetsKnownPropertiesOnly() throws IOException {
		Set<String> known = new TreeSet<>();
		for (URL metadata : Collections
			.list(getClass().getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
			try (InputStream in = metadata.openStream()) {
				new JsonMapper().readTree(in)
					.path("properties")
					.forEach((property) -> known.add(property.path("name").asString()));
			}
		}
		assertThat(known).contains("server.ssl.client-auth", "server.ssl.certificate-file", "server.http2.enabled");
		assertThat(documentedBlocks()).hasSizeGreaterThan(15)
			.allSatisfy((block, values) -> assertThat(values.keySet()).as(block)
				.allMatch((name) -> name.startsWith("management.endpoint.sbom.additional.")
						|| name.startsWith("management.endpoint.health.group.") || name.startsWith("internal.")
						|| name.startsWith("spring.ssl.bundle.pem.") || name.startsWith("server.ssl.acme.")
						|| known.contains(name.replaceFirst("\\[.*", ""))));
	}

	@Test
	void documentationSetsValuesThatBind() throws IOException {
		assertThat(documentedBlocks()).allSatisfy((block, values) -> {
			values.replaceAll((name, value) -> value.toString().startsWith("${") ? "placeholder" : value);
			Binder binder = new Binder(new MapConfigurationPropertySource(values));
			assertThatNoException().as(block)
				.isThrownBy(() -> binder.bindOrCreate("server.ssl", TomcatOpenSslProperties.class));
			assertThatNoException().as(block).isThrownBy(() -> binder.bindOrCreate("server", ServerProperties.class));
			assertThatNoException().as(block)
				.isThrownBy(() -> binder.bindOrCreate("server.tomcat", TomcatServerProperties.class));
		});
	}

	@Test
	void toStringDoesNotShowThePassword() {
		Map<String, String> values = Map.of("server.ssl.certificate-key-password", "secret",
				"server.ssl.certificates[0].certificate-key-password", "secret",
				"server.ssl.server-name-certificates[0].certificate-key-password", "secret");
		TomcatOpenSslProperties properties = new Binder(new MapConfigurationPropertySource(values))
			.bind("server.ssl", TomcatOpenSslProperties.class)
			.get();
		assertThat(properties.serverNameCertificates().get(0).certificateKeyPassword()).isEqualTo("secret");
		assertThat(
				List.of(properties, properties.files(), properties.certificates(), properties.serverNameCertificates()))
			.noneMatch((shown) -> shown.toString().contains("secret"));
	}

	// Groups and signature algorithms have the names of the TLS registry
	private static String value(Object constant) {
		return (constant instanceof KeyExchangeGroup || constant instanceof SignatureScheme) ? constant.toString()
				: text(constant);
	}

	private static String text(Object value) {
		return (value instanceof Duration duration) ? DurationStyle.SIMPLE.print(duration, ChronoUnit.SECONDS)
				: value.toString().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	private static Map<String, Map<String, Object>> documentedBlocks() throws IOException {
		Map<String, Map<String, Object>> blocks = new TreeMap<>();
		try (Stream<Path> pages = Files.walk(Path.of("../docs"))) {
			for (Path page : Stream.concat(pages, Stream.of(Path.of("../README.md")))
				.filter((file) -> file.toString().endsWith(".md"))
				.toList()) {
				Pattern.compile("^ *```yaml\n(.*?)^ *```$", Pattern.DOTALL | Pattern.MULTILINE)
					.matcher(Files.readString(page))
					.results()
					.forEach((block) -> blocks.put(page + ":" + block.start(), yaml(block.group(1).stripIndent())));
			}
		}
		return blocks;
	}

	private static Map<String, Object> yaml(String yaml) {
		var factory = new YamlPropertiesFactoryBean();
		factory.setResources(new ByteArrayResource(yaml.getBytes()));
		Map<String, Object> values = new TreeMap<>();
		Objects.requireNonNull(factory.getObject()).forEach((name, value) -> values.put(name.toString(), value));
		return values;
	}

	private static Map<String, JsonNode> metadata() throws IOException {
		Map<String, JsonNode> properties = elements("properties");
		// Those of Actuator are not below server.ssl
		assertThat(properties.keySet().removeIf((name) -> name.startsWith("management."))).isTrue();
		return properties;
	}

	private static Map<String, String> rows() throws IOException {
		Map<String, JsonNode> hints = elements("hints");
		Map<String, JsonNode> properties = elements("properties");
		Map<String, String> rows = new TreeMap<>();
		properties.forEach((name, property) -> {
			JsonNode hint = hints.getOrDefault(name, MissingNode.getInstance());
			String type = type(property.path("type").asString(), hint);
			JsonNode value = property.path("defaultValue");
			String defaultValue = value.isMissingNode() ? ""
					: " `%s`".formatted((value.isArray() ? value.path(0) : value).asString());
			StringBuilder description = new StringBuilder(markdown(property.path("description")));
			boolean few = hint.path("values").size() <= 3;
			hint.path("values").forEach((constant) -> {
				String text = constant.path("value").asString();
				String meaning = markdown(constant.path("description"));
				if (few) {
					description.append("<br>`%s`: %s".formatted(text, meaning));
				}
				// Those of the preview are those of the policy itself
				else if (!name.endsWith("-preview")) {
					rows.put(name + "." + text,
							"| <a id=\"%1$s.%2$s\"></a>`%2$s` | %3$s |".formatted(name, text, meaning));
				}
			});
			rows.put(name, "| <a id=\"%1$s\"></a>`%1$s` | %2$s |%3$s | %4$s |".formatted(name, type, defaultValue,
					description));
		});
		return rows;
	}

	private static String markdown(JsonNode text) {
		return text.asString().replaceAll("(?<!\\w)'([^']+)'", "`$1`");
	}

	private static String type(String type, JsonNode hint) {
		if (type.startsWith("java.util.List")) {
			return type.contains("String") ? "list of " + type("java.lang.String", hint) + "s" : "list";
		}
		if (!hint.path("values").isEmpty()) {
			return "enum";
		}
		String target = hint.at("/providers/0/parameters/target").asString("");
		return switch (type) {
			case "java.lang.Boolean" -> "boolean";
			case "java.lang.Integer" -> "integer";
			case "java.time.Duration" -> "duration";
			case "org.springframework.boot.actuate.endpoint.Access" -> "enum";
			case "java.lang.String" ->
				target.contains("Resource") ? "file" : target.endsWith("File") ? "path" : "string";
			default -> throw new IllegalArgumentException(type);
		};
	}

	private static Map<String, JsonNode> elements(String kind) throws IOException {
		try (InputStream in = Files
			.newInputStream(Path.of("target/classes/META-INF/spring-configuration-metadata.json"))) {
			Map<String, JsonNode> elements = new TreeMap<>();
			new JsonMapper().readTree(in)
				.path(kind)
				.forEach((element) -> elements.put(element.path("name").asString(), element));
			return elements;
		}
	}

	private static Map<String, Object> properties() {
		TomcatOpenSslProperties properties = new Binder(List.of()).bindOrCreate("server.ssl",
				TomcatOpenSslProperties.class);
		Map<String, Object> values = new TreeMap<>();
		collect(values, "server.ssl", properties,
				List.of("openssl", "acme", "proxyProtocol", "forwardedClientCertificate"));
		collect(values, "server.ssl.proxy-protocol", properties.proxyProtocol(), List.of());
		collect(values, "server.ssl.forwarded-client-certificate", properties.forwardedClientCertificate(), List.of());
		collect(values, "server.ssl.openssl", properties.openssl(), List.of());
		return values;
	}

	private static void collect(Map<String, Object> values, String prefix, Record properties, List<String> nested) {
		for (RecordComponent component : properties.getClass().getRecordComponents()) {
			if (!nested.contains(component.getName())) {
				values.put(ConfigurationPropertyName.adapt(prefix + "." + kebab(component.getName()), '.').toString(),
						ReflectionUtils.invokeMethod(component.getAccessor(), properties));
			}
		}
	}

	private static String kebab(String name) {
		return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
	}

}
