// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests of {@link TlsNioChannel}, without an engine.
 */
class TlsNioChannelTests {

	// HTTP/2 and WebSocket read and write by operations of Tomcat's that end a connection
	// for an exception, and leave it open for an error
	@Test
	void whenThereIsNoMemoryThenReadsAndWritesFailWithAnException() {
		TlsNioChannel channel = new CrowdedChannel();
		assertThatIOException().isThrownBy(() -> channel.read(ByteBuffer.allocate(1)))
			.withCauseInstanceOf(OutOfMemoryError.class);
		assertThatIOException().isThrownBy(() -> channel.write(ByteBuffer.allocate(1)))
			.withCauseInstanceOf(OutOfMemoryError.class);
	}

	private static final class CrowdedChannel extends TlsNioChannel {

		CrowdedChannel() {
			super(new SocketBufferHandler(1, 1, false), new NioEndpoint(), List.of(),
					new HandshakeMonitor(new HandshakeCounters(), new FailureReport(() -> 0, () -> null),
							(name) -> new SSLHostConfig(), null),
					(name) -> null);
		}

		@Override
		public int read(ByteBuffer data) throws IOException {
			return reading(this::crowded);
		}

		@Override
		public int write(ByteBuffer data) throws IOException {
			return writing(this::crowded);
		}

		private Integer crowded() {
			throw new OutOfMemoryError("Cannot reserve direct buffer memory");
		}

	}

}
