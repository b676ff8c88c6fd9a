// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A PostgreSQL server with an empty database, which can be away for a while.
 */
public final class PostgreSql implements AutoCloseable {

	private static final long PATIENCE = Duration.ofSeconds(60).toNanos();

	private final int port = FreePorts.next();

	private final Path folder;

	private Process process;

	/**
	 * Create a database, and start a server for it.
	 */
	public PostgreSql() throws IOException, InterruptedException {
		Provided.postgreSql();
		this.folder = Files.createTempDirectory("postgresql");
		// The server refuses to run as root
		if (isRoot()) {
			Commands.run("", List.of("chown", "nobody", this.folder.toString())).orFail();
		}
		Commands
			.run("", command("initdb", "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "-D",
					data()))
			.orFail();
		this.process = startProcess();
	}

	/**
	 * Return the folder of the server's commands, which Debian keeps out of the path.
	 */
	static Path commands() {
		try (Stream<Path> versions = Files.list(Path.of("/usr/lib/postgresql"))) {
			return versions.max(Comparator.naturalOrder()).orElseThrow().resolve("bin");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean isRoot() {
		return "root".equals(System.getProperty("user.name"));
	}

	private String data() {
		return this.folder.resolve("data").toString();
	}

	private static List<String> command(String name, String... arguments) {
		List<String> command = new ArrayList<>();
		if (isRoot()) {
			command.addAll(List.of("setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"));
		}
		command.add(commands().resolve(name).toString());
		command.addAll(List.of(arguments));
		return command;
	}

	/**
	 * Start the server.
	 */
	public void start() throws IOException, InterruptedException {
		this.process = startProcess();
	}

	private Process startProcess() throws IOException, InterruptedException {
		Path log = this.folder.resolve("log");
		Process process = new ProcessBuilder(command("postgres", "-D", data(), "-p", String.valueOf(this.port), "-c",
				"listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"))
			.redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start();
		long begin = System.nanoTime();
		while (!Files.readString(log).contains("ready to accept connections") || !accepts()) {
			if (process.waitFor(50, TimeUnit.MILLISECONDS) || System.nanoTime() - begin > PATIENCE) {
				throw new IllegalStateException("PostgreSQL does not start: " + Files.readString(log));
			}
		}
		return process;
	}

	private boolean accepts() {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress("127.0.0.1", this.port));
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * Stop the server, which ends all connections.
	 */
	public void stop() {
		Commands.run("", List.of("kill", "-INT", String.valueOf(this.process.pid())));
		this.process.onExit().join();
	}

	/**
	 * Return the URL for JDBC.
	 * @return the URL, which includes the user
	 */
	public String url() {
		return "jdbc:postgresql://127.0.0.1:%d/postgres?user=test&connectTimeout=5&socketTimeout=20"
			.formatted(this.port);
	}

	@Override
	public void close() {
		stop();
		Commands.run("", List.of("rm", "-rf", this.folder.toString())).orFail();
	}

}
