// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.coyote.http2.Http2Protocol;
import org.apache.tomcat.util.net.SocketProperties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TlsConnection}, without an engine.
 */
class TlsConnectionTests {

	private final TlsNioEndpoint endpoint = new RunningEndpoint();

	private SocketChannel client;

	private int port;

	private TlsConnection connection;

	@BeforeEach
	void connect() throws IOException {
		try (ServerSocketChannel server = ServerSocketChannel.open()) {
			server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
			this.client = SocketChannel.open(server.getLocalAddress());
			this.port = ((InetSocketAddress) this.client.getLocalAddress()).getPort();
			SocketChannel socket = server.accept();
			TlsChannel channel = new TlsChannel(new TlsBuffers(new SocketProperties(), false),
					new LingeringSockets()::close);
			this.connection = new TlsConnection(channel, this.endpoint, socket.getRemoteAddress());
			channel.reset(socket, this.connection);
		}
	}

	@AfterEach
	void close() throws IOException {
		this.client.close();
		this.connection.close();
	}

	// A handshake that timed out is reported after its connection is closed
	@Test
	void whenConnectionIsClosedThenTheAddressOfItsClientIsKnown() {
		this.connection.close();
		assertThat(this.connection.getRemoteAddr()).isEqualTo("127.0.0.1");
		assertThat(this.connection.getRemotePort()).isEqualTo(this.port);
	}

	@Test
	void whenStreamsReportErrorsAtOnceThenTheFirstEndsTheConnection() throws Exception {
		AtomicInteger tasks = new AtomicInteger();
		this.endpoint.setExecutor((task) -> tasks.incrementAndGet());
		this.connection.setNegotiatedProtocol("h2");
		int streams = 20;
		CountDownLatch start = new CountDownLatch(1);
		Thread[] threads = new Thread[streams];
		for (int i = 0; i < streams; i++) {
			threads[i] = new Thread(() -> {
				try {
					start.await();
					this.connection.setError(new SocketTimeoutException());
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			});
			threads[i].start();
		}
		start.countDown();
		for (Thread thread : threads) {
			thread.join();
		}
		assertThat(tasks).hasValue(1);
	}

	@Test
	void whenThereIsNoThreadToEndHttp2ThenConnectionIsClosed() {
		this.endpoint.setExecutor((task) -> {
			throw new OutOfMemoryError("unable to create native thread");
		});
		this.connection.setNegotiatedProtocol("h2");
		Http2Protocol http2 = new Http2Protocol();
		http2.setHttp11Protocol(new TlsHttp11NioProtocol());
		this.connection.setCurrentProcessor(http2.getProcessor(this.connection, null));
		this.connection.endUnlessBusy();
		assertThat(this.connection.isClosed()).isTrue();
	}

	private static final class RunningEndpoint extends TlsNioEndpoint {

		RunningEndpoint() {
			this.running = true;
		}

	}

}
