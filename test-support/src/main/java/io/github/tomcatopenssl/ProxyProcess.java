// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A proxy of others, which runs until it is closed.
 *
 * @param process the process
 * @param log what it has printed
 */
public record ProxyProcess(Process process, Path log) implements AutoCloseable {

	private static final long MOST = Duration.ofSeconds(20).toNanos();

	public static ProxyProcess start(Path folder, String... command) throws IOException {
		Path log = Files.createTempFile(folder, "proxy", ".log");
		return new ProxyProcess(
				new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start(), log);
	}

	/**
	 * Wait until the proxy accepts connections.
	 * @param port the port
	 * @throws IOException if it does not run
	 * @throws InterruptedException if the thread is interrupted
	 */
	public void await(int port) throws IOException, InterruptedException {
		long end = System.nanoTime() + MOST;
		while (!accepts(port)) {
			if (this.process.waitFor(50, TimeUnit.MILLISECONDS) || System.nanoTime() - end > 0) {
				throw new IllegalStateException("The proxy does not accept connections: " + Files.readString(this.log));
			}
		}
	}

	private static boolean accepts(int port) throws IOException {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress("127.0.0.1", port));
			return true;
		}
		catch (ConnectException ex) {
			return false;
		}
	}

	@Override
	public void close() {
		this.process.destroyForcibly().onExit().join();
	}

}
