// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import io.github.tomcatopenssl.test.Provided;
import org.cyclonedx.Version;
import org.cyclonedx.exception.ParseException;
import org.cyclonedx.parsers.JsonParser;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the bill of materials and the licences of the bundled library.
 */
class BillOfMaterialsIT {

	private static final String LIBRARY = "META-INF/native/" + Provided.platform() + "/libtcnative-2.so";

	private static final String LOCATION = "META-INF/sbom/tomcat-openssl-natives-" + Provided.platform() + ".cdx.json";

	@BeforeEach
	void requireLibrary() {
		Provided.bundledLibrary(getClass());
	}

	@Test
	void whenBillsOfAllPlatformsAreValidatedThenTheyFitTheSchema() throws Exception {
		try (Stream<Path> files = Files.walk(Path.of("../natives/target"))) {
			assertThat(files.filter((file) -> file.toString().endsWith(".cdx.json"))).isNotEmpty()
				.allSatisfy((file) -> {
					String bill = Files.readString(file);
					assertThat(validate(bill)).isEmpty();
					assertThat(validate(bill.replace("code_not_present", "no_code"))).isNotEmpty();
				});
		}
	}

	@Test
	void whenApplicationWantsItThenActuatorShowsWhatIsRunning() throws Exception {
		try (RunningSample sample = RunningSample.start("--server.ssl.openssl.library=bundled",
				"--management.endpoints.web.exposure.include=sbom",
				"--management.endpoint.sbom.additional.natives.location=classpath:" + LOCATION)) {
			JsonNode bill = new JsonMapper().readTree(sample.get("/actuator/sbom/natives").body());
			assertThat(bill).isEqualTo(new JsonMapper().readTree(resource(LOCATION)));
			assertThat(sample.log()).contains("OpenSSL " + version(bill, "openssl") + " ",
					"Tomcat Native " + version(bill, "tomcat-native") + ",", "APR " + version(bill, "apr") + ",");
		}
	}

	@Test
	void whenLibraryIsComparedThenItIsTheOneOfTheBill() throws Exception {
		byte[] digest = MessageDigest.getInstance("SHA-256").digest(resource(LIBRARY));
		JsonNode bill = new JsonMapper().readTree(resource(LOCATION));
		assertThat(component(bill, LIBRARY).at("/hashes/0/content").asString())
			.isEqualTo(HexFormat.of().formatHex(digest));
	}

	@Test
	void whenVulnerabilityIsKnownThenItIsPatchedOrNotInTheBuild() throws Exception {
		JsonNode bill = new JsonMapper().readTree(resource(LOCATION));
		List<String> patched = values(component(bill, "openssl").at("/pedigree/patches")).stream()
			.flatMap((patch) -> values(patch.path("resolves")).stream())
			.map((issue) -> issue.path("id").asString())
			.toList();
		List<JsonNode> vulnerabilities = values(bill.path("vulnerabilities"));
		assertThat(vulnerabilities).hasSameSizeAs(Files.readAllLines(Path.of("../natives/vulnerabilities.csv")));
		assertThat(vulnerabilities).allSatisfy((vulnerability) -> {
			JsonNode analysis = vulnerability.path("analysis");
			if (analysis.path("state").asString().equals("not_affected")) {
				assertThat(analysis.path("justification").asString()).isIn("code_not_present", "code_not_reachable");
			}
			else {
				assertThat(analysis.path("state").asString()).isEqualTo("resolved_with_pedigree");
				assertThat(patched).contains(vulnerability.path("id").asString());
			}
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "openssl-LICENSE", "apr-LICENSE", "apr-NOTICE", "tomcat-native-LICENSE",
			"tomcat-native-NOTICE", "zig-LICENSE" })
	void whenPartIsLinkedThenItsLicenceIsThere(String name) throws Exception {
		assertThat(resource("META-INF/licenses/" + name + ".txt")).isNotEmpty();
	}

	private static List<ParseException> validate(String bill) throws IOException {
		return new JsonParser().validate(bill, Version.VERSION_16);
	}

	private static String version(JsonNode bill, String name) {
		return component(bill, name).path("version").asString();
	}

	private static JsonNode component(JsonNode bill, String name) {
		return values(bill.path("components")).stream()
			.filter((component) -> component.path("name").asString().equals(name))
			.findFirst()
			.orElseThrow();
	}

	private static List<JsonNode> values(JsonNode array) {
		return StreamSupport.stream(array.spliterator(), false).toList();
	}

	private static byte[] resource(String name) throws Exception {
		try (InputStream stream = BillOfMaterialsIT.class.getClassLoader().getResourceAsStream(name)) {
			assertThat(stream).as(name).isNotNull();
			return stream.readAllBytes();
		}
	}

}
