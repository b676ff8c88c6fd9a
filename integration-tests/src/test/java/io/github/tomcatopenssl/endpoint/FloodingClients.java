// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.github.tomcatopenssl.test.tls.RawTlsClient;
import org.jspecify.annotations.Nullable;

/**
 * Connections that flood a server and read nothing. Together they use about one processor
 * to make what they send. A connection that the server has closed is replaced by a new
 * one, at a modest rate: a flood of handshakes is another matter.
 */
final class FloodingClients implements AutoCloseable {

	private static final Duration BETWEEN_FIRST_CONNECTIONS = Duration.ofMillis(10);

	private static final Duration BETWEEN_CONNECTIONS = Duration.ofMillis(40);

	private static final Duration UNTIL_CONNECTED = Duration.ofMinutes(2);

	private final List<Burden> burdens;

	private final int port;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private final CountDownLatch connected;

	private final CountDownLatch begun = new CountDownLatch(1);

	private final Lock processor = new ReentrantLock(true);

	private final AtomicLong sent = new AtomicLong();

	private final AtomicLong replaced = new AtomicLong();

	private volatile boolean ended;

	private long nextConnection = System.nanoTime();

	/**
	 * Connect.
	 * @param burdens what the connections send, in turn
	 * @param connections the number of connections
	 * @param port the port of the server
	 */
	FloodingClients(List<Burden> burdens, int connections, int port) {
		this.burdens = burdens;
		this.port = port;
		this.connected = new CountDownLatch(connections);
		for (int i = 0; i < connections; i++) {
			Burden burden = burdens.get(i % burdens.size());
			Thread thread = new Thread(() -> run(burden), burden.toString());
			thread.setDaemon(true);
			thread.start();
		}
	}

	/**
	 * Begin to flood, as soon as all are connected.
	 * @throws IOException if they cannot connect
	 * @throws InterruptedException if the thread is interrupted
	 */
	void begin() throws IOException, InterruptedException {
		if (!this.connected.await(UNTIL_CONNECTED.toSeconds(), TimeUnit.SECONDS)) {
			throw new IOException("%d connections are missing".formatted(this.connected.getCount()));
		}
		this.begun.countDown();
	}

	/**
	 * Send nothing more, and leave the connections open.
	 */
	void end() {
		this.ended = true;
	}

	long sent() {
		return this.sent.get();
	}

	/**
	 * Return how many connections the server has closed.
	 */
	long replaced() {
		return this.replaced.get();
	}

	private void run(Burden burden) {
		boolean first = true;
		try {
			while (!this.ended) {
				awaitTurn();
				RawTlsClient client = this.ended ? null : connect(burden);
				if (client == null) {
					continue;
				}
				if (first) {
					this.connected.countDown();
					first = false;
				}
				this.begun.await();
				if (!flood(client, burden)) {
					close(client.socket());
					this.replaced.incrementAndGet();
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private synchronized void awaitTurn() throws InterruptedException {
		TimeUnit.NANOSECONDS.sleep(this.nextConnection - System.nanoTime());
		Duration between = (this.begun.getCount() > 0) ? BETWEEN_FIRST_CONNECTIONS : BETWEEN_CONNECTIONS;
		this.nextConnection = System.nanoTime() + between.toNanos();
	}

	private @Nullable RawTlsClient connect(Burden burden) {
		try {
			RawTlsClient client = burden.connect(this.port);
			this.sockets.add(client.socket());
			if (this.ended) {
				close(client.socket());
			}
			return client;
		}
		catch (IOException | AssertionError ex) {
			return null;
		}
	}

	private boolean flood(RawTlsClient client, Burden burden) {
		try {
			OutputStream out = client.socket().getOutputStream();
			while (!this.ended) {
				byte[] next = next(client, burden);
				out.write(next);
				this.sent.addAndGet(next.length);
			}
			return true;
		}
		catch (IOException ex) {
			return this.ended;
		}
	}

	private byte[] next(RawTlsClient client, Burden burden) throws IOException {
		this.processor.lock();
		try {
			return burden.bytes().next(client);
		}
		finally {
			this.processor.unlock();
		}
	}

	private void close(Socket socket) {
		this.sockets.remove(socket);
		try {
			socket.close();
		}
		catch (IOException ex) {
			// It is closed
		}
	}

	@Override
	public void close() {
		end();
		this.begun.countDown();
		this.sockets.forEach(this::close);
	}

	@Override
	public String toString() {
		return (this.burdens.size() == 1) ? this.burdens.get(0).toString()
				: "%d kinds at once".formatted(this.burdens.size());
	}

}
