/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.ServerNameCertificate;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.BeanWrapper;
import org.springframework.beans.BeanWrapperImpl;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Pins the properties, their metadata and the README to each other.
 */
class PropertiesDocumentationTests {

	private static final Map<String, String> DEFAULTS = new TreeMap<>(
			Map.of("server.ssl.openssl.mode", "when-available", "server.ssl.openssl.library", "auto",
					"server.ssl.ocsp-enabled", "false", "server.ssl.ocsp-soft-fail", "false",
					"server.ssl.reload-on-update", "true", "server.ssl.handshake-timeout", "10s"));

	@Test
	void metadataHasAllPropertiesWithDescriptionAndDefault() throws IOException {
		TomcatOpenSslProperties properties = new TomcatOpenSslProperties();
		Map<String, JsonNode> metadata = metadata();
		assertThat(metadata.keySet()).isEqualTo(properties(properties).keySet());
		metadata.forEach((name, property) -> {
			String description = property.path("description").asString();
			assertThat(description).as(name).isNotEmpty().endsWith(".").doesNotStartWith("The ");
			assertThat(property.path("defaultValue").asString(null)).as(name).isEqualTo(DEFAULTS.get(name));
		});
	}

	@Test
	void defaultsAreTheDocumentedOnes() {
		Map<String, Object> actual = properties(new TomcatOpenSslProperties());
		actual.values().removeIf((value) -> value == null || value instanceof List);
		assertThat(actual).hasSize(DEFAULTS.size())
			.allSatisfy((name, value) -> assertThat(text(value)).isEqualTo(DEFAULTS.get(name)));
	}

	@Test
	void readmeShowsAllPropertiesWithTheirDefaults() throws IOException {
		String readme = Files.readString(Path.of("../README.md"));
		Matcher block = Pattern.compile("```yaml\n# All properties\n(.*?)```", Pattern.DOTALL).matcher(readme);
		assertThat(block.find()).isTrue();
		Map<String, Object> documented = yaml(block.group(1));
		Map<String, Object> expected = properties(new TomcatOpenSslProperties());
		expected.remove("server.ssl.certificates");
		expected.remove("server.ssl.server-name-certificates");
		collect(expected, "server.ssl.certificates[0]", new CertificateFileProperties(), List.of());
		collect(expected, "server.ssl.server-name-certificates[0]", new ServerNameCertificate(), List.of());
		assertThat(new TreeSet<>(documented.keySet())).isEqualTo(new TreeSet<>(expected.keySet()));
		DEFAULTS.forEach((name, value) -> assertThat(documented.get(name)).as(name).hasToString(value));
	}

	private static String text(Object value) {
		return (value instanceof Duration duration) ? DurationStyle.SIMPLE.print(duration, ChronoUnit.SECONDS)
				: value.toString().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	private static Map<String, Object> yaml(String yaml) {
		var factory = new YamlPropertiesFactoryBean();
		factory.setResources(new ByteArrayResource(yaml.getBytes()));
		Map<String, Object> values = new TreeMap<>();
		Objects.requireNonNull(factory.getObject()).forEach((name, value) -> values.put(name.toString(), value));
		return values;
	}

	private static Map<String, JsonNode> metadata() throws IOException {
		try (InputStream in = Files
			.newInputStream(Path.of("target/classes/META-INF/spring-configuration-metadata.json"))) {
			Map<String, JsonNode> properties = new TreeMap<>();
			new JsonMapper().readTree(in)
				.path("properties")
				.forEach((property) -> properties.put(property.path("name").asString(), property));
			assertThat(properties.remove("management.health.tomcat-openssl.enabled")).isNotNull();
			assertThat(properties.remove("management.info.tomcat-openssl.enabled")).isNotNull();
			return properties;
		}
	}

	private static Map<String, Object> properties(TomcatOpenSslProperties properties) {
		Map<String, Object> values = new TreeMap<>();
		collect(values, "server.ssl", properties, List.of("openssl"));
		collect(values, "server.ssl.openssl", properties.getOpenssl(), List.of());
		return values;
	}

	private static void collect(Map<String, Object> values, String prefix, Object bean, List<String> nested) {
		BeanWrapper wrapper = new BeanWrapperImpl(bean);
		for (var descriptor : wrapper.getPropertyDescriptors()) {
			if (!descriptor.getName().equals("class") && !nested.contains(descriptor.getName())) {
				values.put(ConfigurationPropertyName.adapt(prefix + "." + kebab(descriptor.getName()), '.').toString(),
						wrapper.getPropertyValue(descriptor.getName()));
			}
		}
	}

	private static String kebab(String name) {
		return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
	}

}
