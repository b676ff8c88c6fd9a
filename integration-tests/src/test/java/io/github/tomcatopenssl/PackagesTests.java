// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the order of the packages: a package may use only those before it in
 * {@link #DEPENDENCIES}. Also tests that the tests of each class are found.
 */
class PackagesTests {

	private static final List<Path> MAIN = List.of(Path.of("../connector/src/main/java"),
			Path.of("../autoconfigure/src/main/java"), Path.of("../acme/src/main/java"),
			Path.of("../test-support/src/main/java"));

	private static final List<Path> TESTS = List.of(Path.of("../connector/src/test/java"),
			Path.of("../autoconfigure/src/test/java"), Path.of("../acme/src/test/java"), Path.of("src/test/java"));

	private static final String ROOT = "io.github.tomcatopenssl";

	/**
	 * The packages of this project that each package uses, besides the root.
	 */
	private static final Map<String, Set<String>> DEPENDENCIES = Map.ofEntries(Map.entry("", Set.of()),
			Map.entry(".internal.library", Set.of()), Map.entry(".internal.pem", Set.of()),
			Map.entry(".internal.event", Set.of()),
			Map.entry(".internal.host", Set.of(".internal.library", ".internal.pem")),
			Map.entry(".internal.engine", Set.of(".internal.host", ".internal.library")),
			Map.entry(".endpoint",
					Set.of(".internal.engine", ".internal.event", ".internal.host", ".internal.library")),
			Map.entry(".certificate", Set.of()),
			Map.entry(".internal.certificate",
					Set.of(".certificate", ".internal.event", ".internal.host", ".internal.pem")),
			Map.entry(".internal.store", Set.of(".internal.certificate")),
			Map.entry(".autoconfigure",
					Set.of(".endpoint", ".internal.engine", ".internal.host", ".certificate", ".internal.certificate",
							".internal.library", ".internal.pem", ".internal.store")),
			Map.entry(".autoconfigure.actuate",
					Set.of(".endpoint", ".internal.engine", ".internal.host", ".certificate", ".internal.certificate",
							".autoconfigure")),
			Map.entry(".autoconfigure.check",
					Set.of(".endpoint", ".internal.certificate", ".internal.store", ".autoconfigure",
							".autoconfigure.actuate")),
			Map.entry(".acme",
					Set.of(".internal.event", ".internal.host", ".internal.certificate", ".internal.store",
							".autoconfigure")),
			Map.entry(".test", Set.of(".test.tls")), Map.entry(".test.tls", Set.of(".test")));

	/**
	 * Classes with more lines are linked from the Javadoc of their tests.
	 */
	private static final int SHORT = 80;

	private static final Pattern LINK = Pattern.compile("\\{@link (\\w+)}");

	/**
	 * Public types outside the internal packages that Spring, JMX or other modules need.
	 */
	private static final Set<String> NOT_FOR_USERS = Set.of("AcmeAutoConfiguration", "CertificateFileAutoConfiguration",
			"TomcatOpenSslAutoConfiguration", "WarDeploymentAutoConfiguration",
			"TomcatOpenSslActuatorAutoConfiguration", "TomcatOpenSslProperties", "TlsEngines", "TlsEndpoint",
			"StoreAutoConfiguration", "TlsFormat", "HandshakeCounters", "KeyExchange", "TlsConnectors",
			"TlsNioEndpoint", "RequestTls", "SettingText", "TlsInventory", "TlsFailureAnalysis");

	private static final Pattern OURS = Pattern.compile("\\bio\\.github\\.tomcatopenssl((?:\\.[a-z]+)*)\\.[A-Z]");

	@Test
	void packagesUseThoseAboveThemOnly() throws IOException {
		List<String> wrong = new ArrayList<>();
		for (Path folder : MAIN) {
			for (Path file : files(folder)) {
				String name = packageOf(folder, file);
				assertThat(DEPENDENCIES).containsKey(name);
				Matcher used = OURS.matcher(Files.readString(file));
				while (used.find()) {
					String other = used.group(1);
					if (!other.isEmpty() && !other.equals(name) && !DEPENDENCIES.get(name).contains(other)) {
						wrong.add(file + " uses " + other);
					}
				}
			}
		}
		assertThat(wrong).isEmpty();
	}

	@Test
	void allModulesWithPackagesAreRead() throws IOException {
		try (Stream<Path> folders = Files.list(Path.of(".."))) {
			assertThat(folders.filter((folder) -> Files.exists(folder.resolve("pom.xml")))
				.filter((folder) -> !folder.endsWith("sample-app"))
				.map((folder) -> folder.resolve("src/main/java"))
				.filter(Files::isDirectory)
				.map(PackagesTests::canonical))
				.containsExactlyInAnyOrderElementsOf(MAIN.stream().map(PackagesTests::canonical).toList());
		}
	}

	private static Path canonical(Path path) {
		return path.toAbsolutePath().normalize();
	}

	@Test
	void connectorKnowsNoSpring() throws IOException {
		assertThat(files(MAIN.get(0))).isNotEmpty()
			.allSatisfy((file) -> assertThat(file).content()
				.doesNotContain("org.springframework", "server.ssl", "starter"));
	}

	/**
	 * So that {@code git grep '{@link PemFile}' '*Tests.java'} finds the tests of a
	 * class.
	 */
	@Test
	void eachLongClassIsLinkedFromTheJavadocOfItsTests() throws IOException {
		Set<String> linked = new HashSet<>();
		for (Path folder : TESTS) {
			for (Path file : files(folder)) {
				if (file.toString().endsWith("Tests.java")) {
					LINK.matcher(Files.readString(file).split("\n(public |abstract |final )*class ")[0])
						.results()
						.forEach((link) -> linked.add(link.group(1)));
				}
			}
		}
		List<String> missing = new ArrayList<>();
		for (Path folder : MAIN.subList(0, 3)) {
			for (Path file : files(folder)) {
				String name = file.getFileName().toString().replace(".java", "");
				if (Files.readAllLines(file).size() > SHORT && !linked.contains(name)) {
					missing.add(name);
				}
			}
		}
		assertThat(missing).isEmpty();
	}

	@Test
	void whenTypeIsPublicThenItIsInternalOrListedForUsers() throws IOException {
		Set<String> listed = new TreeSet<>();
		Matcher names = Pattern.compile("`(?:io\\.github\\.tomcatopenssl\\.(?:\\w+\\.)?)?([A-Z]\\w+)`")
			.matcher(Files.readString(Path.of("../docs/api.md")));
		while (names.find()) {
			listed.add(names.group(1));
		}
		for (Path folder : MAIN.subList(0, 3)) {
			for (Path file : files(folder)) {
				String type = file.getFileName().toString().replace(".java", "");
				if (!packageOf(folder, file).startsWith(".internal") && Files.readString(file).contains("\npublic ")) {
					assertThat(listed.contains(type) || NOT_FOR_USERS.contains(type)).as(file.toString()).isTrue();
				}
			}
		}
	}

	private static List<Path> files(Path folder) throws IOException {
		try (Stream<Path> files = Files.walk(folder)) {
			return files.filter((file) -> file.toString().endsWith(".java")).toList();
		}
	}

	private static String packageOf(Path folder, Path file) {
		return folder.relativize(file).getParent().toString().replace('/', '.').substring(ROOT.length());
	}

}
