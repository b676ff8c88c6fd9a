// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs external commands.
 */
public final class Commands {

	private static final int TIMEOUT_SECONDS = 180;

	private Commands() {
	}

	public static boolean exists(String command) {
		return List.of(System.getenv("PATH").split(":"))
			.stream()
			.anyMatch((folder) -> Files.isExecutable(Path.of(folder, command)));
	}

	public static Result run(String input, List<String> command) {
		try {
			Path output = Files.createTempFile("command", ".out");
			Path in = Files.createTempFile("command", ".in");
			Files.writeString(in, input);
			try {
				Process process = new ProcessBuilder(command).redirectErrorStream(true)
					.redirectInput(in.toFile())
					.redirectOutput(output.toFile())
					.start();
				boolean ended = process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
				process.destroyForcibly().waitFor();
				String text = Files.readString(output, StandardCharsets.ISO_8859_1);
				if (!ended) {
					throw new IllegalStateException("%s did not end:%n%s".formatted(command, text));
				}
				return new Result(process.exitValue(), text);
			}
			finally {
				Files.delete(output);
				Files.delete(in);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return the command that starts a JVM with the class path of this one.
	 * @param application the class with the main method
	 * @param options the options of the JVM
	 * @param arguments the arguments of the application
	 * @return the command
	 */
	public static List<String> java(Class<?> application, List<String> options, List<String> arguments) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		if (Runtime.version().feature() >= 24) {
			command.add("--enable-native-access=ALL-UNNAMED");
		}
		command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
		// What it leaves if it is killed goes with the JVM of the tests
		command.add("-Djava.io.tmpdir=" + TestCertificates.get().folder());
		command.addAll(options);
		command.addAll(List.of("-cp", System.getProperty("java.class.path"), application.getName()));
		command.addAll(arguments);
		return command;
	}

	public record Result(int status, String output) {

		public Result orFail() {
			if (this.status != 0) {
				throw new IllegalStateException("status %d:%n%s".formatted(this.status, this.output));
			}
			return this;
		}

	}

}
