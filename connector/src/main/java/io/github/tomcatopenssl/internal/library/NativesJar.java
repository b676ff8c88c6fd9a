// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor.Version;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.Checksum;

import org.jspecify.annotations.Nullable;

/**
 * A jar of {@code tomcat-openssl-natives}, for one platform. It has a version of its own,
 * so that an application can raise OpenSSL alone.
 *
 * @param description the file that says what the jar contains, beside the library
 * @param version the version of the jar
 */
record NativesJar(URL description, String version) {

	/**
	 * The first version that this connector works with. It works with all later ones up
	 * to the next major version (natives/README.md).
	 */
	static final String FIRST = "1.0.0";

	/**
	 * The first version that this connector does not work with any more.
	 */
	static final String END = "2.0.0";

	// A snapshot counts as its release
	private static final Pattern VERSION = Pattern.compile("(\\d+\\.\\d+\\.\\d+)(-.*)?");

	/**
	 * Find the newest jar that this connector works with.
	 * @param platform the platform that the jar is for
	 * @param classLoader the class loader that has the jar
	 * @return the jar, one that this connector does not work with if there is no other,
	 * or {@code null} if there is none at all
	 * @throws IOException if the class path cannot be searched
	 */
	static @Nullable NativesJar find(Platform platform, ClassLoader classLoader) throws IOException {
		List<NativesJar> jars = new ArrayList<>();
		for (URL description : Collections.list(classLoader.getResources(platform.folder() + "natives.properties"))) {
			jars.add(new NativesJar(description, version(description)));
		}
		return jars.stream()
			.max(Comparator.comparing(NativesJar::isAccepted).thenComparing(NativesJar::number))
			.orElse(null);
	}

	// A jar that cannot be read must not hide another one
	private static String version(URL description) {
		Properties properties = new Properties();
		try (InputStream content = connect(description).getInputStream()) {
			properties.load(content);
		}
		catch (IOException | IllegalArgumentException ex) {
			return "";
		}
		return properties.getProperty("version", "");
	}

	boolean isAccepted() {
		return number().compareTo(Version.parse(FIRST)) >= 0 && number().compareTo(Version.parse(END)) < 0;
	}

	private Version number() {
		Matcher matcher = VERSION.matcher(this.version);
		return Version.parse(matcher.matches() ? matcher.group(1) : "0");
	}

	/**
	 * Extract a file from the folder of the description, whatever other jars the class
	 * path has. Its checksum is that of the jar, because a cryptographic one beside it
	 * would protect no better, and is slow while a JVM starts.
	 * @param fileName the name of the file
	 * @param target the file to write
	 * @return whether the target has the content of the jar
	 * @throws IOException if there is no such file, or it cannot be written
	 */
	boolean extract(String fileName, Path target) throws IOException {
		URLConnection connection = connect(new URL(this.description, fileName));
		Checksum read = new CRC32();
		try (InputStream content = new CheckedInputStream(connection.getInputStream(), read)) {
			Files.copy(content, target);
		}
		Checksum written = new CRC32();
		written.update(Files.readAllBytes(target));
		long expected = (connection instanceof JarURLConnection jar) ? jar.getJarEntry().getCrc() : read.getValue();
		return written.getValue() == expected;
	}

	// A cache would keep the jar open
	private static URLConnection connect(URL url) throws IOException {
		URLConnection connection = url.openConnection();
		connection.setUseCaches(false);
		return connection;
	}

}
