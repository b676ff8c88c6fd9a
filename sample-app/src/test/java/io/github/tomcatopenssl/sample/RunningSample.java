// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

import static org.awaitility.Awaitility.await;

/**
 * The sample's executable jar, running.
 */
final class RunningSample implements AutoCloseable {

	private static final Pattern STARTED = Pattern.compile("Tomcat started on port (\\d+)");

	// The log, and what the sample leaves in its temporary folder when it is killed
	private final Path folder;

	private final Process process;

	private final HttpClient client;

	private final String uri;

	private RunningSample(List<String> wrapper, List<String> jvmOptions, List<String> arguments)
			throws IOException, GeneralSecurityException {
		TestCertificates certificates = TestCertificates.get();
		this.folder = Files.createTempDirectory(certificates.folder(), "sample");
		List<String> command = new ArrayList<>(wrapper);
		command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Djava.io.tmpdir=" + this.folder));
		command.addAll(jvmOptions);
		command.addAll(List.of("-jar", System.getProperty("sample.jar"), "--server.port=0"));
		command.addAll(arguments);
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(logFile().toFile());
		builder.environment().put("TLS_CERTIFICATE", certificates.file("p256.crt").toString());
		builder.environment().put("TLS_KEY", certificates.file("p256.key").toString());
		this.process = builder.start();
		await().atMost(Duration.ofMinutes(1))
			.until(() -> !this.process.isAlive() || log().contains("Started SampleApplication"));
		Matcher started = STARTED.matcher(log());
		if (!started.find()) {
			throw new IllegalStateException(log());
		}
		this.uri = "https://localhost:" + started.group(1);
		this.client = HttpClient.newBuilder().sslContext(certificates.trusting("p256.crt")).build();
	}

	static RunningSample start(String... arguments) throws IOException, GeneralSecurityException {
		return new RunningSample(List.of(), List.of(), List.of(arguments));
	}

	static RunningSample startWithJvmOption(String option, String... arguments)
			throws IOException, GeneralSecurityException {
		return new RunningSample(List.of(), List.of(option), List.of(arguments));
	}

	/**
	 * Start the sample with another folder of temporary files.
	 * @param folder the folder
	 * @param mountOptions options of a file system that is mounted there, for the sample
	 * only, or {@code null}
	 * @param arguments the arguments of the application
	 * @return the running sample
	 */
	static RunningSample startWithTemporaryFolder(Path folder, @Nullable String mountOptions, String... arguments)
			throws IOException, GeneralSecurityException {
		return new RunningSample((mountOptions != null) ? mounting(folder, mountOptions) : List.of(),
				List.of("-Djava.io.tmpdir=" + folder), List.of(arguments));
	}

	String uri() {
		return this.uri;
	}

	/**
	 * Start the sample with a read-only file system mounted, for the sample only.
	 * @param folder where it is mounted
	 * @param arguments the arguments of the application
	 * @return the running sample
	 */
	static RunningSample startWithReadOnlyFolder(Path folder, String... arguments)
			throws IOException, GeneralSecurityException {
		return new RunningSample(mounting(folder, "ro"), List.of(), List.of(arguments));
	}

	private static List<String> mounting(Path folder, String options) {
		Provided.root();
		return List.of("unshare", "--mount", "sh", "-c",
				"mount -t tmpfs -o %s tmpfs %s && exec \"$@\"".formatted(options, folder), "sh");
	}

	HttpResponse<byte[]> get(String path) throws IOException, InterruptedException {
		return this.client.send(HttpRequest.newBuilder(URI.create(this.uri + path)).build(),
				HttpResponse.BodyHandlers.ofByteArray());
	}

	HttpResponse<byte[]> post(String path, byte[] body) throws IOException, InterruptedException {
		return this.client.send(HttpRequest.newBuilder(URI.create(this.uri + path))
			.POST(HttpRequest.BodyPublishers.ofByteArray(body))
			.build(), HttpResponse.BodyHandlers.ofByteArray());
	}

	String log() throws IOException {
		return Files.readString(logFile());
	}

	private Path logFile() {
		return this.folder.resolve("sample.log");
	}

	/**
	 * End the sample as an operator would, with SIGTERM.
	 * @return its exit status
	 */
	int terminate() throws InterruptedException {
		this.process.destroy();
		if (!this.process.waitFor(1, TimeUnit.MINUTES)) {
			throw new IllegalStateException("The sample goes on after SIGTERM");
		}
		return this.process.exitValue();
	}

	@Override
	public void close() throws IOException {
		this.process.destroyForcibly().onExit().join();
		FileSystemUtils.deleteRecursively(this.folder);
	}

}
