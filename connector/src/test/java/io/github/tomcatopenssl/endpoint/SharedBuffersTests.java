// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.test.TestCertificates;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that connections that share {@link TlsBuffers} get only their own data, and hold
 * no buffers while they wait.
 */
@Tag("servers")
class SharedBuffersTests {

	private static final int CLIENTS = 16;

	private static final int CONNECTIONS_OF_A_CLIENT = 20;

	private static final int IDLE = 300;

	private static ConnectorServer start() {
		return new ConnectorServer(Engine.OPENSSL)
			.answer("/pattern", (request, response) -> answer(request, response, false))
			.answer("/streamed", (request, response) -> answer(request, response, true))
			.start();
	}

	private static void answer(HttpServletRequest request, HttpServletResponse response, boolean streamed)
			throws IOException {
		int length = Integer.parseInt(request.getParameter("length"));
		byte[] pattern = pattern(Integer.parseInt(request.getParameter("mark")), length);
		response.setContentLength(length);
		int part = streamed ? 10_000 : length;
		for (int i = 0; i < length; i += part) {
			response.getOutputStream().write(pattern, i, Math.min(part, length - i));
			if (streamed) {
				response.flushBuffer();
			}
		}
	}

	@Test
	void whenClientsLeaveAtAnyTimeThenOthersGetTheirOwn() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
		try (ConnectorServer server = start()) {
			SSLSocketFactory sockets = TestCertificates.get().trusting("p256.crt").getSocketFactory();
			AtomicInteger whole = new AtomicInteger();
			List<Callable<Void>> clients = new ArrayList<>();
			for (int i = 0; i < CLIENTS; i++) {
				int seed = i;
				clients.add(() -> {
					Random random = new Random(seed);
					for (int j = 0; j < CONNECTIONS_OF_A_CLIENT; j++) {
						whole.addAndGet(connect(sockets, server.port(), random));
					}
					return null;
				});
			}
			for (Future<Void> client : threads.invokeAll(clients)) {
				client.get();
			}
			assertThat(whole).hasValueGreaterThan(CLIENTS * CONNECTIONS_OF_A_CLIENT);
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> server.protocol().getConnectionCount() <= 1);
		}
		finally {
			threads.shutdownNow();
		}
	}

	// Each byte of a response tells whose it is
	private static int connect(SSLSocketFactory sockets, int port, Random random) throws IOException {
		int whole = 0;
		try (SSLSocket socket = (SSLSocket) sockets.createSocket("localhost", port)) {
			socket.setSoTimeout(30_000);
			int requests = 1 + random.nextInt(8);
			for (int i = 0; i < requests; i++) {
				int mark = random.nextInt();
				int length = 4 * ((random.nextInt(3) == 0) ? random.nextInt(100_000) : random.nextInt(2000));
				socket.getOutputStream()
					.write("GET /%s?mark=%d&length=%d HTTP/1.1\r\nHost: localhost\r\n\r\n"
						.formatted(random.nextBoolean() ? "pattern" : "streamed", mark, length)
						.getBytes(StandardCharsets.US_ASCII));
				DataInputStream in = new DataInputStream(socket.getInputStream());
				skipHead(in);
				boolean leaves = random.nextInt(10) == 0;
				int read = leaves ? 4 * random.nextInt(length / 4 + 1) : length;
				byte[] body = in.readNBytes(read);
				assertThat(Arrays.mismatch(body, pattern(mark, read))).as("The first wrong byte").isEqualTo(-1);
				if (leaves) {
					// Without close_notify, and with a reset where bytes are left
					socket.setSoLinger(true, 0);
					return whole;
				}
				whole++;
			}
		}
		catch (SocketException ex) {
			// Its own reset
		}
		return whole;
	}

	private static void skipHead(InputStream in) throws IOException {
		int last = 0;
		while (last != 0x0D0A0D0A) {
			int next = in.read();
			assertThat(next).isNotEqualTo(-1);
			last = last << 8 | next;
		}
	}

	@Test
	void connectionsThatWaitHaveNoDirectBuffers() throws Exception {
		try (ConnectorServer server = start()) {
			SSLSocketFactory sockets = TestCertificates.get().trusting("p256.crt").getSocketFactory();
			List<SSLSocket> idle = new ArrayList<>();
			try {
				request(sockets, server.port(), idle);
				long before = directMemory();
				for (int i = 1; i < IDLE; i++) {
					request(sockets, server.port(), idle);
				}
				assertThat(directMemory() - before).isLessThan(2_000_000);
			}
			finally {
				for (SSLSocket socket : idle) {
					socket.close();
				}
			}
		}
	}

	private static void request(SSLSocketFactory sockets, int port, List<SSLSocket> open) throws IOException {
		SSLSocket socket = (SSLSocket) sockets.createSocket("localhost", port);
		open.add(socket);
		socket.getOutputStream()
			.write("GET /pattern?mark=1&length=100000 HTTP/1.1\r\nHost: localhost\r\n\r\n"
				.getBytes(StandardCharsets.US_ASCII));
		skipHead(socket.getInputStream());
		assertThat(socket.getInputStream().readNBytes(100_000)).isEqualTo(pattern(1, 100_000));
	}

	private static long directMemory() {
		return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)
			.stream()
			.filter((pool) -> "direct".equals(pool.getName()))
			.mapToLong(BufferPoolMXBean::getMemoryUsed)
			.sum();
	}

	private static byte[] pattern(int mark, int length) {
		byte[] pattern = new byte[length];
		for (int i = 0; i < length; i++) {
			pattern[i] = (byte) (mark >> 8 * (i % 4));
		}
		return pattern;
	}

}
