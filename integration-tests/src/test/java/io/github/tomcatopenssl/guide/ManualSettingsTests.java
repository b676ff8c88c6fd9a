// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.WebApplicationType;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Starts an application with each block of settings in the manual, and with each setting
 * that its text advises, and connects to it.
 */
@Tag("servers")
class ManualSettingsTests {

	/**
	 * Blocks and settings that are not started, by a text that they contain, with the
	 * reason. {@code PropertiesDocumentationTests} binds the blocks all the same.
	 */
	private static final Map<String, String> NOT_STARTED = Map.ofEntries(
			Map.entry("acme:", "needs a CA: the tests of 'acme' have one"),
			Map.entry("store-initialize-schema:", "needs a CA and a database: AcmeDatabaseTests"),
			Map.entry("session-ticket-keys: shared", "needs a database: AcmeBalancerTests"),
			Map.entry("include: readinessState, acme", "needs a certificate of ACME"),
			Map.entry("fips-mode: required", "needs the FIPS provider: FipsIT"),
			Map.entry("groups: X25519MLKEM768", "needs OpenSSL 3.5: GroupsTests with the bundled library"),
			Map.entry("ml-dsa-65.crt", "needs OpenSSL 3.5 and Java 24: MlDsaTests with the bundled library"),
			Map.entry("sbom.additional.natives", "is of the natives' jar: BillOfMaterialsIT"),
			Map.entry("internal:", "is for the connector beside it: ConnectorsGuideTests"),
			Map.entry("server.ssl.openssl: always", "is an example of a mistake"),
			Map.entry("server.ssl.openssl.library: bundled", "needs the bundled library: LibrarySelectionTests"),
			Map.entry("management.health.acme.enabled", "needs a certificate of ACME"));

	private static final Pattern BLOCK = Pattern.compile("^ *```(\\w*)\\n(.*?)^ *```$",
			Pattern.DOTALL | Pattern.MULTILINE);

	private static final Pattern SETTING = Pattern
		.compile("`((?:server|management|spring|logging)\\.[\\w.\\[\\]-]+):\\s+([^`]+)`");

	private static final List<String> TURN_TLS_ON = List.of("server.ssl.certificate-file",
			"server.ssl.certificates[0].certificate-file", "server.ssl.certificate", "server.ssl.key-store",
			"server.ssl.development-certificate");

	@TempDir
	private static Path folder;

	private static TestCertificates certificates;

	@BeforeAll
	static void createFiles() throws IOException {
		certificates = TestCertificates.get();
		for (String name : List.of("tls", "ecdsa", "example", "partner", "admin", "management")) {
			copy("p256.crt", name + ".crt");
			copy("p256.key", name + ".key");
		}
		copy("rsa.crt", "rsa.crt");
		copy("rsa.key", "rsa.key");
		copy("p256.crt", "svid.pem");
		copy("p256.key", "svid_key.pem");
		for (String name : List.of("ca.crt", "partner-cas.crt", "staff-cas.crt", "client-cas.crt", "root.crt",
				"svid_bundle.pem")) {
			copy("ca.crt", name);
		}
		copy("proxy-ca.crt", "proxy-ca.crt");
		Files.copy(certificates.revocationList("ca", "manual.crl"), folder.resolve("ca.crl"));
		Files.copy(certificates.revocationList("other-ca", "manual-partner.crl"), folder.resolve("partner-ca.crl"));
		for (String name : List.of("tls.pem", "site.pem")) {
			Files.writeString(folder.resolve(name),
					Files.readString(folder.resolve("tls.crt")) + Files.readString(folder.resolve("tls.key")));
		}
		certificates.openssl("req", "-x509", "-key", "p256.key", "-subj", "/CN=customer", "-addext",
				"subjectAltName=DNS:customer.example.com", "-out", "customer.crt");
		Files.copy(certificates.join("customer.pem", "customer.crt", "p256.key"),
				Files.createDirectory(folder.resolve("customers")).resolve("customer.pem"));
		Files.write(folder.resolve("ticket.key"), new byte[80]);
		Files.setPosixFilePermissions(folder.resolve("ticket.key"), PosixFilePermissions.fromString("rw-------"));
		certificates.openssl("pkcs12", "-export", "-in", "p256.crt", "-inkey", "p256.key", "-name", "server",
				"-passout", "pass:changeit", "-out", folder.resolve("keystore.p12").toString());
	}

	private static void copy(String from, String to) throws IOException {
		Files.copy(certificates.file(from), folder.resolve(to));
	}

	@ParameterizedTest
	@MethodSource("startedBlocks")
	void blockStarts(String block) {
		starts(yaml(block));
	}

	@ParameterizedTest
	@MethodSource("startedSettings")
	void settingStarts(String setting) {
		starts(yaml(setting));
	}

	@Test
	void eachReasonIsThatOfABlockOrSetting() throws IOException {
		List<String> all = Stream.concat(blocks().stream(), settings().stream()).toList();
		assertThat(NOT_STARTED.keySet()).allSatisfy((text) -> assertThat(all).anyMatch((each) -> each.contains(text)));
	}

	@Test
	void versionsAreThoseOfTheBuild() throws IOException {
		String version = Pattern.compile("<cyclonedx.version>(.*?)<")
			.matcher(Files.readString(Path.of("../pom.xml")))
			.results()
			.findFirst()
			.orElseThrow()
			.group(1);
		assertThat(Path.of("../docs/operations.md")).content()
			.contains("<artifactId>cyclonedx-core-java</artifactId>\n  <version>%s<".formatted(version));
	}

	private static void starts(Map<String, String> settings) {
		Map<String, String> properties = new TreeMap<>(Map.of("server.port", "0", "KEYSTORE_PASSWORD", "changeit",
				"XDG_CACHE_HOME", "target/development", "CAROOT", "target/none", "server.ssl.openssl.library-path",
				Provided.tomcatNative().toString()));
		// What is shown alone stands beside the certificate of the first steps
		if (TURN_TLS_ON.stream().noneMatch(settings::containsKey)) {
			properties.put("server.ssl.certificate-file", file("/etc/tls/tls.crt"));
			properties.put("server.ssl.certificate-key-file", file("/etc/tls/tls.key"));
		}
		if (settings.getOrDefault("management.server.ssl.client-auth", "").equals("none")) {
			properties.putAll(Map.of("server.ssl.client-auth", "need", "server.ssl.ca-certificate-file",
					file("/etc/tls/ca.crt")));
		}
		if (settings.containsKey("management.server.ssl.bundle")) {
			properties.put("management.server.port", "0");
		}
		settings.forEach((name, value) -> properties.put(name,
				name.matches(".*(server\\.port|http-redirect-port)") ? "0" : file(value)));
		try (TestServer server = TestServer.start(WebApplicationType.SERVLET, Object.class,
				properties.entrySet().stream().map((entry) -> entry.getKey() + "=" + entry.getValue()).toList())) {
			assertThat(connect(server.port()).isServed())
				.isEqualTo(!"reject".equals(properties.get("server.ssl.unknown-server-name")));
			if (properties.containsKey("management.server.port")) {
				assertThat(TlsClient.connect(Integer.parseInt(server.property("local.management.port"))).output())
					.contains("\nHTTP/1.1 ");
			}
		}
	}

	// With a client certificate, for those who ask for one
	private static Handshake connect(int port) {
		return TlsClient.connect(port, "-cert", certificates.file("client.crt").toString(), "-key",
				certificates.file("client.key").toString());
	}

	private static String file(String value) {
		return value.replaceAll("(file:)?/(etc|run)/\\w+/", Matcher.quoteReplacement(folder + "/"))
			.replace("classpath:", folder + "/");
	}

	static List<String> startedBlocks() throws IOException {
		return blocks().stream().filter(ManualSettingsTests::isStarted).toList();
	}

	static List<String> startedSettings() throws IOException {
		return settings().stream().filter(ManualSettingsTests::isStarted).toList();
	}

	private static boolean isStarted(String settings) {
		return NOT_STARTED.keySet().stream().noneMatch(settings::contains);
	}

	private static List<String> blocks() throws IOException {
		List<String> blocks = new ArrayList<>();
		for (Path page : pages()) {
			BLOCK.matcher(Files.readString(page))
				.results()
				.filter((block) -> block.group(1).equals("yaml"))
				.forEach((block) -> blocks.add("# %s\n%s".formatted(page.getFileName(), block.group(2).stripIndent())));
		}
		assertThat(blocks).hasSizeGreaterThan(40);
		return blocks;
	}

	private static List<String> settings() throws IOException {
		Map<String, String> settings = new LinkedHashMap<>();
		for (Path page : pages()) {
			SETTING.matcher(BLOCK.matcher(Files.readString(page)).replaceAll(""))
				.results()
				.forEach(
						(setting) -> settings.put(setting.group(1) + ": " + setting.group(2).strip(), page.toString()));
		}
		assertThat(settings).hasSizeGreaterThan(10);
		return List.copyOf(settings.keySet());
	}

	private static List<Path> pages() throws IOException {
		try (Stream<Path> pages = Files.list(Path.of("../docs"))) {
			return Stream.concat(Stream.of(Path.of("../README.md")), pages.sorted())
				.filter((page) -> page.toString().endsWith(".md"))
				.toList();
		}
	}

	private static Map<String, String> yaml(String yaml) {
		YamlPropertiesFactoryBean factory = new YamlPropertiesFactoryBean();
		factory.setResources(new ByteArrayResource(yaml.getBytes()));
		Map<String, String> values = new TreeMap<>();
		Objects.requireNonNull(factory.getObject())
			.forEach((name, value) -> values.put(name.toString(), value.toString()));
		return values;
	}

}
