// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.tomcat.jni.Library;

/**
 * A JVM that starts and closes applications one after another, until one of them has
 * loaded a library: a JVM can load only one Tomcat Native.
 */
public final class ReusedJvm implements AutoCloseable {

	private static final String ENDED = "ended with status ";

	private static final String WITH_LIBRARY = " and a library";

	private static final int TIMEOUT_SECONDS = 180;

	private final Process process;

	private final BufferedReader output;

	private boolean usable = true;

	public ReusedJvm(List<String> commonArguments) {
		try {
			this.process = new ProcessBuilder(ForkedApplication.command(ReusedJvm.class,
					List.of("-Dspring.devtools.restart.enabled=false"), commonArguments))
				.redirectErrorStream(true)
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.output = new BufferedReader(
				new InputStreamReader(this.process.getInputStream(), StandardCharsets.ISO_8859_1));
	}

	public boolean isUsable() {
		return this.usable;
	}

	/**
	 * Start and close an application.
	 * @param options its system properties, and its arguments
	 * @return what came of it
	 */
	public Commands.Result run(List<String> options) {
		try {
			return CompletableFuture.supplyAsync(() -> exchange(String.join("\t", options)))
				.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			this.usable = false;
			throw new IllegalStateException(ex);
		}
	}

	private Commands.Result exchange(String line) {
		try {
			this.process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
			this.process.getOutputStream().flush();
			return read();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Commands.Result read() throws IOException {
		StringBuilder text = new StringBuilder();
		for (String line = this.output.readLine(); line != null; line = this.output.readLine()) {
			if (line.startsWith(ENDED)) {
				this.usable = !line.endsWith(WITH_LIBRARY);
				String status = line.substring(ENDED.length()).replace(WITH_LIBRARY, "");
				return new Commands.Result(Integer.parseInt(status), text.toString());
			}
			text.append(line).append('\n');
		}
		throw new IOException("The JVM has ended:%n%s".formatted(text));
	}

	@Override
	public void close() {
		this.process.destroyForcibly().onExit().join();
	}

	/**
	 * Start and close applications, each with the system properties and arguments of one
	 * line.
	 * @param common the arguments of all
	 * @throws IOException if the lines cannot be read
	 */
	public static void main(String[] common) throws IOException {
		Properties initial = (Properties) System.getProperties().clone();
		BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = lines.readLine(); line != null; line = lines.readLine()) {
			System.setProperties((Properties) initial.clone());
			run(common, Arrays.asList(line.split("\t")));
		}
	}

	private static void run(String[] common, List<String> options) {
		List<String> arguments = new ArrayList<>(List.of(common));
		for (String option : options) {
			if (option.startsWith("-D")) {
				String[] property = option.substring(2).split("=", 2);
				System.setProperty(property[0], property[1]);
			}
			else {
				arguments.add(option);
			}
		}
		int status = 1;
		try {
			ForkedApplication.main(arguments.toArray(String[]::new));
			status = 0;
		}
		catch (RuntimeException ex) {
			// Has been reported
		}
		System.out.println(ENDED + status + ((Library.TCN_MAJOR_VERSION != 0) ? WITH_LIBRARY : ""));
	}

}
