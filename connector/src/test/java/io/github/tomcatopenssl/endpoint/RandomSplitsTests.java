// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.tls.Outcome;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.Tls13Client;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that nothing is lost, repeated or mixed up with the data of other connections,
 * however both sides split their writes and reads. The system property {@code
 * random.splits.seed} repeats a run; {@code random.splits.rounds} is the number of
 * requests.
 */
@Tag("jdk")
@Tag("servers")
class RandomSplitsTests {

	private static final int ROUNDS = Integer.getInteger("random.splits.rounds", 1000);

	private static final long SEED = Long.getLong("random.splits.seed", System.nanoTime());

	private static final int MOST_OF_A_CONNECTION = 12;

	private static final int CLIENTS = 8;

	@Test
	void whenWritesAndReadsAreSplitThenNothingIsLostOrRepeated() throws Exception {
		System.out.printf("%d rounds, random.splits.seed=%d%n", ROUNDS, SEED);
		AtomicInteger rounds = new AtomicInteger();
		AtomicInteger connections = new AtomicInteger();
		ExecutorService threads = Executors.newFixedThreadPool(2 * CLIENTS);
		try (ConnectorServer server = new ConnectorServer(Engine.OPENSSL).answer("/mirror", RandomSplitsTests::mirror)
			.start()) {
			List<Future<?>> clients = new ArrayList<>();
			for (int i = 0; i < CLIENTS; i++) {
				clients.add(threads.submit(() -> {
					while (rounds.get() < ROUNDS) {
						long seed = SEED + connections.getAndIncrement();
						rounds.addAndGet(connect(server.port(), new Random(seed), seed, threads));
					}
					return null;
				}));
			}
			for (Future<?> client : clients) {
				client.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(rounds).hasValueGreaterThanOrEqualTo(ROUNDS);
	}

	private static int connect(int port, Random random, long seed, ExecutorService threads) throws Exception {
		TlsVersion version = random.nextBoolean() ? TlsVersion.TLS_1_3 : TlsVersion.TLS_1_2;
		int rounds = 1 + random.nextInt(MOST_OF_A_CONNECTION);
		ByteArrayOutputStream requests = new ByteArrayOutputStream();
		ByteArrayOutputStream answers = new ByteArrayOutputStream();
		for (int i = 0; i < rounds; i++) {
			byte[] body = new byte[(random.nextInt(4) == 0) ? random.nextInt(80_000) : random.nextInt(2000)];
			random.nextBytes(body);
			String end = (i + 1 < rounds) ? "" : "Connection: close\r\n";
			requests.writeBytes("POST /mirror HTTP/1.1\r\nHost: localhost\r\nSeed: %d\r\nContent-Length: %d\r\n%s\r\n"
				.formatted(random.nextLong(), body.length, end)
				.getBytes(StandardCharsets.US_ASCII));
			requests.writeBytes(body);
			answers.writeBytes(body);
		}
		try (RawTlsClient client = version.connect(port, Http.HTTP_1_1)) {
			client.completeHandshake();
			List<byte[]> segments = split(random, sealed(random, client, requests.toByteArray()), 70_000);
			boolean pauses = random.nextInt(4) == 0;
			CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> send(client, segments, pauses), threads);
			if (random.nextInt(4) == 0) {
				// The server has to wait for the client, which does not read
				Thread.sleep(random.nextInt(50));
			}
			Outcome outcome = client.outcome(Duration.ofSeconds(60));
			sent.get();
			assertThat(Arrays.mismatch(bodies(outcome), answers.toByteArray()))
				.as("The first wrong byte, random.splits.seed=%d", seed)
				.isEqualTo(-1);
		}
		return rounds;
	}

	private static byte[] sealed(Random random, RawTlsClient client, byte[] data) {
		ByteArrayOutputStream records = new ByteArrayOutputStream();
		for (byte[] content : split(random, data, 1 << 14)) {
			records.writeBytes(client.seal(TlsBytes.APPLICATION_DATA, content));
			if (client instanceof Tls13Client tls13 && random.nextInt(20) == 0) {
				records.writeBytes(tls13.keyUpdate(0));
			}
		}
		return records.toByteArray();
	}

	private static void send(RawTlsClient client, List<byte[]> segments, boolean pauses) {
		try {
			for (byte[] segment : segments) {
				client.send(segment);
				if (pauses) {
					Thread.sleep(1);
				}
			}
		}
		catch (IOException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	// Most parts are either small or large
	private static List<byte[]> split(Random random, byte[] bytes, int most) {
		List<byte[]> parts = new ArrayList<>();
		int kind = random.nextInt(3);
		for (int i = 0; i < bytes.length;) {
			int length = switch ((kind < 2) ? kind : random.nextInt(2)) {
				case 0 -> most - random.nextInt(20);
				default -> 1 + random.nextInt((bytes.length > 20_000) ? most : 100);
			};
			int end = Math.min(i + length, bytes.length);
			parts.add(Arrays.copyOfRange(bytes, i, end));
			i = end;
		}
		return parts;
	}

	private static byte[] bodies(Outcome outcome) {
		ByteArrayOutputStream data = new ByteArrayOutputStream();
		outcome.records()
			.stream()
			.filter((record) -> record.type() == TlsBytes.APPLICATION_DATA)
			.forEach((record) -> data.writeBytes(record.content()));
		String received = data.toString(StandardCharsets.ISO_8859_1);
		StringBuilder bodies = new StringBuilder();
		for (int i = 0; i < received.length();) {
			int start = received.indexOf("\r\n\r\n", i) + 4;
			String name = "\r\nContent-Length: ";
			int length = received.indexOf(name, i) + name.length();
			i = start + Integer.parseInt(received.substring(length, received.indexOf("\r\n", length)));
			bodies.append(received, start, i);
		}
		return bodies.toString().getBytes(StandardCharsets.ISO_8859_1);
	}

	private static void mirror(HttpServletRequest request, HttpServletResponse response) throws IOException {
		Random random = new Random(Long.parseLong(request.getHeader("Seed")));
		response.setContentLength(request.getContentLength());
		int left = request.getContentLength();
		int most = random.nextBoolean() ? 100_000 : 3000;
		if (random.nextBoolean()) {
			response.getOutputStream().write(request.getInputStream().readAllBytes());
			return;
		}
		while (left > 0) {
			byte[] part = new byte[1 + random.nextInt(most)];
			int read = request.getInputStream().read(part);
			response.getOutputStream().write(part, 0, read);
			left -= read;
			if (random.nextInt(10) == 0) {
				response.flushBuffer();
			}
		}
	}

}
