// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A MariaDB server with an empty database.
 */
public final class MariaDb implements AutoCloseable {

	private static final long PATIENCE = Duration.ofSeconds(60).toNanos();

	private final int port = FreePorts.next();

	private final Path folder;

	private final Process process;

	/**
	 * Create a database, and start a server for it.
	 */
	public MariaDb() throws IOException, InterruptedException {
		Path server = Provided.mariaDb();
		this.folder = Files.createTempDirectory("mariadb");
		Path data = Files.createDirectory(this.folder.resolve("data"));
		Path log = this.folder.resolve("log");
		// Nobody needs the tables of the system
		List<String> command = new ArrayList<>(
				List.of(server.toString(), "--no-defaults", "--basedir=" + server.getParent().getParent(),
						"--datadir=" + data, "--skip-grant-tables", "--skip-log-bin", "--bind-address=127.0.0.1",
						"--port=" + this.port, "--socket=" + data.resolve("socket")));
		if ("root".equals(System.getProperty("user.name"))) {
			command.add("--user=nobody");
			Commands.run("", List.of("chown", "-R", "nobody", this.folder.toString())).orFail();
		}
		this.process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
		long begin = System.nanoTime();
		while (!Files.readString(log).contains("ready for connections")) {
			if (this.process.waitFor(50, TimeUnit.MILLISECONDS) || System.nanoTime() - begin > PATIENCE) {
				throw new IllegalStateException("MariaDB does not start: " + Files.readString(log));
			}
		}
	}

	/**
	 * Return the URL for JDBC.
	 * @return the URL, which includes the user
	 */
	public String url() {
		return "jdbc:mariadb://127.0.0.1:%d/test?user=root&createDatabaseIfNotExist=true".formatted(this.port);
	}

	@Override
	public void close() {
		this.process.destroy();
		this.process.onExit().join();
		Commands.run("", List.of("rm", "-rf", this.folder.toString())).orFail();
	}

}
