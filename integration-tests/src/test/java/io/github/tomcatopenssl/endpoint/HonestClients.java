// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.test.JavaClient;

/**
 * Clients that make requests at a fixed rate, however long the answers take: in turn over
 * a new connection and over one that is open.
 */
final class HonestClients implements AutoCloseable {

	private static final int REQUESTS_PER_SECOND = 20;

	private static final int OPEN = 10;

	private final JavaClient client;

	private final int port;

	private final Queue<SSLSocket> open = new ConcurrentLinkedQueue<>();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	HonestClients(JavaClient client, int port) throws IOException {
		this.client = client;
		this.port = port;
		for (int i = 0; i < OPEN; i++) {
			SSLSocket socket = client.connect(port);
			this.open.add(socket);
			requestOver(socket);
		}
	}

	/**
	 * Make requests.
	 * @param duration for how long
	 * @return what came of them
	 * @throws InterruptedException if the thread is interrupted
	 */
	Result run(Duration duration) throws InterruptedException {
		long period = Duration.ofSeconds(1).toNanos() / REQUESTS_PER_SECOND;
		long start = System.nanoTime();
		List<Future<Duration>> requests = new ArrayList<>();
		for (int i = 0; i < duration.toSeconds() * REQUESTS_PER_SECOND; i++) {
			long planned = start + i * period;
			TimeUnit.NANOSECONDS.sleep(planned - System.nanoTime());
			boolean isNew = i % 2 == 0;
			requests.add(this.threads.submit(() -> {
				request(isNew);
				return Duration.ofNanos(System.nanoTime() - planned);
			}));
		}
		List<Duration> times = new ArrayList<>();
		List<String> failures = new ArrayList<>();
		for (Future<Duration> request : requests) {
			try {
				times.add(request.get());
			}
			catch (ExecutionException ex) {
				failures.add(String.valueOf(ex.getCause()));
			}
		}
		Collections.sort(times);
		return new Result(times, failures);
	}

	private void request(boolean isNew) throws IOException {
		if (isNew) {
			String response = this.client.get(this.port, "/hello");
			if (!response.endsWith("hello")) {
				throw new IOException("Wrong response: " + response);
			}
			return;
		}
		SSLSocket socket = this.open.poll();
		if (socket == null) {
			socket = this.client.connect(this.port);
		}
		requestOver(socket);
		this.open.add(socket);
	}

	private static void requestOver(SSLSocket socket) throws IOException {
		JavaClient.send(socket, "/hello", "keep-alive");
		byte[] bytes = new byte[4096];
		StringBuilder response = new StringBuilder();
		while (!response.toString().endsWith("\r\n\r\nhello")) {
			int read = socket.getInputStream().read(bytes);
			if (read == -1) {
				throw new EOFException("The connection ended after: " + response);
			}
			response.append(new String(bytes, 0, read, StandardCharsets.US_ASCII));
		}
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
		this.open.forEach((socket) -> {
			try {
				socket.close();
			}
			catch (IOException ex) {
				// It is closed
			}
		});
	}

	/**
	 * What came of the requests.
	 *
	 * @param times the times from when each was planned to its answer, sorted
	 * @param failures why requests were lost
	 */
	record Result(List<Duration> times, List<String> failures) {

		int requests() {
			return this.times.size() + this.failures.size();
		}

		Duration percentile(int percent) {
			return this.times.isEmpty() ? Duration.ZERO
					: this.times.get(Math.min(this.times.size() * percent / 100, this.times.size() - 1));
		}

	}

}
