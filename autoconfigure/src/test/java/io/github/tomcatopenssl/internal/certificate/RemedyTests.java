// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.pem.PemSource.Content;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.TestCertificates;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.io.ApplicationResourceLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests that what a message advises helps, if it is followed to the letter: for each
 * thing that can be wrong with a file, at each property of {@link CertificateFiles} and
 * of other files.
 */
class RemedyTests {

	private static final TestCertificates certificates = TestCertificates.get();

	private static final Pattern COMMAND = Pattern
		.compile("'((?:\\(umask 077 && )?(?:openssl|iconv|base64) .*?\\)?)'[, ]");

	private static final Pattern PROPERTY = Pattern.compile("server\\.ssl\\.[a-z-]*-file");

	// With characters that a shell treats in a special way
	private static final String FOLDER = "tls of $HOME & `co`";

	private final Map<Place, String> locations = new EnumMap<>(Place.class);

	private @Nullable String password;

	private Path folder;

	@BeforeEach
	void writeUsableFiles(@TempDir Path parent) throws IOException {
		this.folder = Files.createDirectory(parent.resolve(FOLDER));
		certificates.revocationList("ca", "remedy.crl");
		for (Place place : Place.values()) {
			Files.write(good(place), Files.readAllBytes(certificates.file(place.source)));
			this.locations.put(place, good(place).toString());
		}
		assertThat(failure()).isNull();
	}

	static List<Arguments> table() {
		List<Arguments> rows = new ArrayList<>();
		for (Damage damage : Damage.values()) {
			damage.places.forEach((place) -> rows.add(Arguments.of(damage, place)));
		}
		return rows;
	}

	@ParameterizedTest
	@MethodSource("table")
	void whenFileCannotBeUsedThenTheRemedyOfTheMessageHelps(Damage damage, Place place) throws Exception {
		String location = damage.breaker.damage(this, place);
		this.locations.put(place, location);
		TlsSettingException failure = failure();
		assertThat(failure).as("failure").isNotNull();
		assertThat(failure.getReason(SettingName::toString)).contains(damage.reason);
		String action = failure.getAction(SettingName::toString);
		assertThat(failure.getSetting(SettingName::toString)).isEqualTo(place.property);
		assertThat(action).matches(damage.action).doesNotEndWith(".");
		follow(action, place, location);
		assertThat(failure()).as(action).isNull();
	}

	private void follow(String action, Place place, String location) throws IOException {
		Matcher command = COMMAND.matcher(action);
		Matcher property = PROPERTY.matcher(action);
		if (command.find()) {
			run(command.group(1));
			assertThat(action).containsIgnoringCase("set '%s' to that file".formatted(place.property));
			this.locations.put(place, location + ".pem");
		}
		else if (action.contains("password'")) {
			this.password = TestCertificates.PASSWORD;
		}
		else if (property.find() && !action.startsWith("Create") && !action.startsWith("Write")) {
			assertThat(property.group()).isEqualTo(place.property);
			this.locations.put(place, good(place).toString());
		}
		else {
			Path file = Path.of(location);
			Path written = (Files.isSymbolicLink(file) && action.startsWith("Create what the link points to"))
					? file.resolveSibling(Files.readSymbolicLink(file)) : file;
			Files.createDirectories(written.getParent());
			Files.deleteIfExists(written);
			Files.write(written, Files.readAllBytes(good(place)));
		}
	}

	// As a user types it, who is asked for passwords
	private static void run(String command) {
		String typed = command;
		if (command.contains("pkcs8 -topk8")) {
			typed = command.replace("-topk8",
					"-topk8 -passin 'pass:%1$s' -passout 'pass:%1$s'".formatted(TestCertificates.PASSWORD));
		}
		else if (command.contains("pkcs12 ")) {
			typed = command.replace("pkcs12 ", "pkcs12 -passin 'pass:%s' ".formatted(TestCertificates.PASSWORD));
		}
		Commands.run("", List.of("sh", "-c", typed)).orFail();
	}

	private @Nullable TlsSettingException failure() {
		CertificateFiles certificate = new CertificateFiles("server.ssl.", location(Place.CERTIFICATE),
				location(Place.KEY), this.password, location(Place.CHAIN));
		VirtualHostFiles host = new VirtualHostFiles(null, List.of(certificate),
				new ConfiguredFile(Place.CAS.property, location(Place.CAS), Content.CAS),
				List.of(new ConfiguredFile(Place.LISTS.property, location(Place.LISTS), Content.REVOCATION_LISTS)),
				null, null);
		return catchThrowableOfType(TlsSettingException.class, () -> {
			Map<String, FileContent> contents = FileContent.read(host.files(), Map.of(),
					ApplicationResourceLoader.get(), System.nanoTime());
			KeyMaterial.parse(certificate, contents);
			TrustMaterial.parse(host, contents);
		});
	}

	private String location(Place place) {
		return String.valueOf(this.locations.get(place));
	}

	private Path good(Place place) {
		return this.folder.resolve(place.source);
	}

	private Path bad(Place place) {
		return this.folder.resolve("bad-" + place.source);
	}

	private String write(Place place, byte[] content) throws IOException {
		return Files.write(bad(place), content).toString();
	}

	private String write(Place place, String content) throws IOException {
		return write(place, content.getBytes(StandardCharsets.US_ASCII));
	}

	private String convert(Place place, String... arguments) throws IOException {
		List<String> command = new ArrayList<>(Arrays.asList(arguments));
		command.addAll(List.of("-out", bad(place).toString()));
		certificates.openssl(command.toArray(String[]::new));
		return bad(place).toString();
	}

	private String read(Place place) throws IOException {
		return Files.readString(good(place));
	}

	private String encrypt(String cipher) throws IOException {
		return convert(Place.KEY, "pkey", "-in", good(Place.KEY).toString(), cipher, "-passout",
				"pass:" + TestCertificates.PASSWORD);
	}

	/**
	 * A property that names a file.
	 */
	enum Place {

		CERTIFICATE("certificate-file", "leaf.crt", "x509"),

		KEY("certificate-key-file", "leaf.key", "pkey"),

		CHAIN("certificate-chain-file", "intermediate.crt", "x509"),

		CAS("ca-certificate-file", "ca.crt", "x509"),

		LISTS("certificate-revocation-list-file", "remedy.crl", "crl");

		private final String property;

		private final String source;

		private final String command;

		Place(String name, String source, String command) {
			this.property = "server.ssl." + name;
			this.source = source;
			this.command = command;
		}

	}

	/**
	 * Damages a file.
	 */
	interface Breaker {

		String damage(RemedyTests test, Place place) throws Exception;

	}

	/**
	 * What can be wrong with a file.
	 */
	enum Damage {

		MISSING("it does not exist", "Create the file or correct 'PROPERTY'", (test, place) -> test.bad(place) + ""),

		WITHOUT_FOLDER("its folder '", "Create the folder and the file, or correct 'PROPERTY'",
				(test, place) -> test.folder + "/missing/" + place.source),

		FILE_AS_FOLDER("' is a file, not a folder", "Correct 'PROPERTY'",
				(test, place) -> test.good(place) + "/tls.crt"),

		DANGLING_LINK("it is a symbolic link to 'gone'",
				"Create what the link points to, or correct the link or 'PROPERTY'",
				(test, place) -> Files.createSymbolicLink(test.bad(place), Path.of("gone")).toString()),

		LOOP("its symbolic links form a loop", "Point the link to the file",
				(test, place) -> Files.createSymbolicLink(test.bad(place), test.bad(place).getFileName()).toString()),

		TOO_LONG_A_NAME("it cannot be read: File name too long",
				"Check the file and the file system that it is on, or correct 'PROPERTY'",
				(test, place) -> test.folder.resolve("a".repeat(300)).toString()),

		WHITE_SPACE("it does not exist: its name ends with white space", "Remove the white space in 'PROPERTY'",
				(test, place) -> test.good(place) + " "),

		URL("it is a URL, and files of other machines are not supported",
				"Copy the file to this machine, and set 'PROPERTY' to the copy",
				(test, place) -> "https://example.com/" + place.source),

		FOLDER("it is a folder", "Set 'PROPERTY' to a file in it", (test, place) -> test.folder.toString()),

		PIPE("it is not a regular file", "Set 'PROPERTY' to a PEM file", (test, place) -> {
			Commands.run("", List.of("mkfifo", test.bad(place).toString())).orFail();
			return test.bad(place).toString();
		}),

		DEVICE("it is not a regular file", "Set 'PROPERTY' to a PEM file", (test, place) -> "/dev/zero"),

		EMPTY("it is empty", "Write the PEM content to the file", (test, place) -> test.write(place, "")),

		TEXT("it is not in PEM format: it has no '-----BEGIN' line", "Set 'PROPERTY' to a PEM file",
				(test, place) -> test.write(place, "hello")),

		TRUNCATED("has no proper '-----END' line", "Write the file again", (test, place) -> {
			String content = test.read(place);
			return test.write(place, content.substring(0, content.lastIndexOf("-----END") - 10));
		}),

		// The commands of messages convert these
		DER("it is in DER format, not in PEM format",
				"Write a PEM file with '\\(umask 077 && openssl .*\\)' and set 'PROPERTY' to that file",
				(test, place) -> test.convert(place, place.command, "-in", test.good(place).toString(), "-outform",
						"DER")),

		BASE64("it is a PEM file encoded in Base64",
				"Decode it with '\\(umask 077 && base64 .*\\)' and set 'PROPERTY' to that file",
				(test, place) -> test.write(place,
						Base64.getMimeEncoder(76, new byte[] { 10 })
							.encodeToString(test.read(place).getBytes(StandardCharsets.US_ASCII)))),

		UTF_16("it is encoded in UTF-16", "Write it again in ASCII or UTF-8, .* and set 'PROPERTY' to that file",
				(test, place) -> test.write(place, test.read(place).getBytes(StandardCharsets.UTF_16LE))),

		TRUSTED("'TRUSTED CERTIFICATE' at line 1",
				"Write a file in the standard format with 'openssl .*', and set 'PROPERTY' to that file",
				EnumSet.of(Place.CERTIFICATE, Place.CHAIN, Place.CAS),
				(test, place) -> test.convert(place, "x509", "-in", test.good(place).toString(), "-trustout")),

		KEY_STORE("it is a PKCS #12 key store, not a PEM file",
				"Set 'server.ssl.key-store' to it instead, or write a PEM file with '.*' and set 'PROPERTY' to that file",
				EnumSet.of(Place.KEY),
				(test, place) -> test.convert(place, "pkcs12", "-export", "-in",
						test.good(Place.CERTIFICATE).toString(), "-inkey", test.good(Place.KEY).toString(), "-passout",
						"pass:" + TestCertificates.PASSWORD)),

		NO_PASSWORD("is encrypted, but no password is set", "Set 'server.ssl.certificate-key-password' to its password",
				EnumSet.of(Place.KEY), (test, place) -> test.encrypt("-aes256")),

		WRONG_PASSWORD("cannot be decrypted with the password in 'server.ssl.certificate-key-password'",
				"Correct the password in 'server.ssl.certificate-key-password'", EnumSet.of(Place.KEY),
				(test, place) -> {
					test.password = "wr\u00f6ng";
					return test.encrypt("-aes256");
				}),

		UNSUPPORTED_CIPHER("is encrypted in a way that Java does not support", "Convert it with '.*",
				EnumSet.of(Place.KEY), (test, place) -> {
					test.password = TestCertificates.PASSWORD;
					return test.encrypt("-camellia256");
				}),

		OTHER_KEY("the private key does not belong to the certificate",
				"Use the private key that the certificate was issued for", EnumSet.of(Place.KEY),
				(test, place) -> test.write(place, certificates.read("p256.key"))),

		WRONG_ORDER("do not form a chain", "Put the leaf certificate first, .*", EnumSet.of(Place.CHAIN), (test,
				place) -> test.write(place, certificates.read("ca.crt") + certificates.read("intermediate.crt")));

		private final String reason;

		private final String action;

		private final Set<Place> places;

		private final Breaker breaker;

		Damage(String reason, String action, Breaker breaker) {
			this(reason, action, EnumSet.allOf(Place.class), breaker);
		}

		Damage(String reason, String action, Set<Place> places, Breaker breaker) {
			this.reason = reason;
			this.action = action.replace("PROPERTY", "server\\.ssl\\.[a-z-]+");
			this.places = places;
			this.breaker = breaker;
		}

	}

}
