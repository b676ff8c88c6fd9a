// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

import org.apache.tomcat.util.net.SocketProperties;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LentBufferHandler}.
 */
class LentBufferHandlerTests {

	private static final int SMALL = 1 << 14;

	private static final int LARGE = 1 << 15;

	private final SocketProperties properties = new SocketProperties();

	private final TlsBuffers buffers = new TlsBuffers(this.properties, true);

	private final LentBufferHandler handler = new LentBufferHandler(this.buffers);

	@BeforeEach
	void beginService() {
		this.handler.beginService();
	}

	@Test
	void whenNothingIsReadOrWrittenThenIsEmpty() {
		assertThat(this.handler.isReadBufferEmpty()).isTrue();
		assertThat(this.handler.isWriteBufferEmpty()).isTrue();
		this.handler.configureWriteBufferForRead();
		assertThat(this.handler.getWriteBuffer().hasRemaining()).isFalse();
		assertThat(this.handler.getReadBuffer().capacity()).isEqualTo(SMALL);
	}

	@Test
	void whenGivenBackThenNextOneHasTheSameEmptyAndErased() {
		write(100);
		ByteBuffer used = this.handler.getWriteBuffer();
		this.handler.endService(true);
		assertThat(next().getWriteBuffer()).isSameAs(used);
		assertThat(used.position()).isZero();
		assertThat(used.limit()).isEqualTo(SMALL);
		assertThat(used.array()).containsOnly(0);
		this.handler.configureWriteBufferForWrite();
		assertThat(this.handler.getWriteBuffer()).isNotSameAs(used);
	}

	@Test
	void whenResponseEndsBeforeItIsSentThenBufferIsErased() {
		this.handler.configureWriteBufferForWrite();
		ByteBuffer used = this.handler.getWriteBuffer().put(new byte[] { 1, 2, 3 });
		this.handler.release();
		this.handler.endService(true);
		assertThat(next().getWriteBuffer()).isSameAs(used);
		assertThat(used.array()).containsOnly(0);
	}

	@Test
	void whenDataIsLeftThenIsNotGivenBack() {
		this.handler.configureReadBufferForWrite();
		ByteBuffer read = this.handler.getReadBuffer().put((byte) 1);
		this.handler.endService(true);
		assertThat(this.handler.getReadBuffer()).isSameAs(read);
		this.handler.configureReadBufferForRead();
		assertThat(read.get()).isEqualTo((byte) 1);
		this.handler.configureWriteBufferForWrite();
		ByteBuffer written = this.handler.getWriteBuffer().put((byte) 2);
		this.handler.endService(true);
		assertThat(this.handler.getWriteBuffer()).isSameAs(written);
	}

	@Test
	void whenBufferWasFilledThenGoesOnInALargeOne() {
		write(SMALL - 1);
		this.handler.configureWriteBufferForWrite();
		assertThat(this.handler.getWriteBuffer().capacity()).isEqualTo(SMALL);
		write(SMALL);
		this.handler.configureWriteBufferForWrite();
		ByteBuffer large = this.handler.getWriteBuffer();
		assertThat(large.capacity()).isEqualTo(LARGE);
		assertThat(large.isDirect()).isTrue();
		write(10);
		assertThat(this.handler.getWriteBuffer()).isSameAs(large);
		this.handler.endService(true);
		assertThat(this.handler.getWriteBuffer().capacity()).isEqualTo(SMALL);
	}

	@Test
	void whenBufferIsFilledAndNotSentThenStaysWithIt() {
		this.handler.configureWriteBufferForWrite();
		ByteBuffer buffer = this.handler.getWriteBuffer().put(new byte[SMALL]);
		this.handler.configureWriteBufferForRead();
		buffer.get();
		this.handler.configureWriteBufferForWrite();
		assertThat(this.handler.getWriteBuffer()).isSameAs(buffer);
		assertThat(buffer.position()).isEqualTo(SMALL - 1);
	}

	@Test
	void whenSettingsHaveALargerBufferThenStaysWithIt() {
		this.properties.setAppWriteBufSize(2 * LARGE);
		write(2 * LARGE);
		this.handler.configureWriteBufferForWrite();
		assertThat(this.handler.getWriteBuffer().capacity()).isEqualTo(2 * LARGE);
	}

	@Test
	void whenThereAreAsManyLargeOnesAsMayBeThenStaysWithTheSmall() {
		while (this.buffers.takeLarge() != null) {
			// Until there are none
		}
		write(SMALL);
		this.handler.configureWriteBufferForWrite();
		assertThat(this.handler.getWriteBuffer().capacity()).isEqualTo(SMALL);
	}

	@Test
	void whenAnotherThreadHasSeenTheBufferThenNobodyElseHasIt() throws Exception {
		ByteBuffer seen = CompletableFuture.supplyAsync(this.handler::getWriteBuffer).get();
		assertThat(this.handler.getWriteBuffer()).isSameAs(seen);
		this.handler.endService(true);
		assertThat(next().getWriteBuffer()).isNotSameAs(seen);
		this.handler.beginService();
		assertThat(this.handler.getWriteBuffer()).isNotSameAs(seen);
	}

	@Test
	void whenAnotherThreadHasSeenItBetweenTwoServicesThenNobodyElseHasIt() {
		this.handler.endService(true);
		ByteBuffer seen = this.handler.getReadBuffer();
		this.handler.beginService();
		this.handler.endService(true);
		assertThat(next().getReadBuffer()).isNotSameAs(seen);
	}

	@Test
	void whenAnotherThreadFillsTheBufferThenStaysWithIt() {
		write(SMALL);
		CompletableFuture.runAsync(this.handler::configureWriteBufferForWrite).join();
		assertThat(this.handler.getWriteBuffer().capacity()).isEqualTo(SMALL);
	}

	@Test
	void whenReleasedByAnotherThreadThenTheOneThatServesGivesBack() {
		this.handler.getWriteBuffer();
		this.handler.configureReadBufferForWrite();
		ByteBuffer used = this.handler.getReadBuffer().put((byte) 1);
		CompletableFuture.runAsync(this.handler::release).join();
		assertThat(next().getReadBuffer()).isNotSameAs(used);
		this.handler.endService(false);
		assertThat(next().getReadBuffer()).isSameAs(used);
		assertThat(used.position()).isZero();
	}

	@Test
	void whenReleasedWithoutServiceThenNobodyElseHasIt() {
		this.handler.configureReadBufferForWrite();
		ByteBuffer used = this.handler.getReadBuffer().put((byte) 1);
		this.handler.endService(true);
		this.handler.release();
		assertThat(next().getReadBuffer()).isNotSameAs(used);
		assertThat(this.handler.isReadBufferEmpty()).isTrue();
	}

	@Test
	void whenLargeOneWasSeenByAnotherThreadThenAnotherMayBeTaken() {
		write(SMALL);
		this.handler.configureWriteBufferForWrite();
		ByteBuffer large = CompletableFuture.supplyAsync(this.handler::getWriteBuffer).join();
		assertThat(large.capacity()).isEqualTo(LARGE);
		int more = 0;
		while (this.buffers.takeLarge() != null) {
			more++;
		}
		this.handler.release();
		assertThat(this.buffers.takeLarge()).isNull();
		this.handler.endService(true);
		assertThat(more).isPositive();
		assertThat(this.buffers.takeLarge()).isNotNull().extracting("writeBuffer").isNotSameAs(large);
		assertThat(this.buffers.takeLarge()).isNull();
	}

	@Test
	void whenResetThenLargeOneStaysAndIsEmpty() {
		write(SMALL);
		this.handler.configureWriteBufferForWrite();
		ByteBuffer large = this.handler.getWriteBuffer().put((byte) 1);
		this.handler.reset();
		assertThat(this.handler.isWriteBufferEmpty()).isTrue();
		assertThat(this.handler.getWriteBuffer()).isSameAs(large);
	}

	@Test
	void whenExpandedThenHasTheSize() {
		this.handler.expand(SMALL);
		this.handler.expand(100_000);
		assertThat(this.handler.getReadBuffer().capacity()).isEqualTo(100_000);
	}

	@Test
	void whenInputIsReturnedThenIsReadAgain() {
		this.handler.unReadReadBuffer(ByteBuffer.wrap(new byte[] { 1, 2 }));
		assertThat(this.handler.isReadBufferEmpty()).isFalse();
		this.handler.configureReadBufferForRead();
		assertThat(this.handler.getReadBuffer().getShort()).isEqualTo((short) 0x102);
	}

	private LentBufferHandler next() {
		LentBufferHandler next = new LentBufferHandler(this.buffers);
		next.beginService();
		next.configureWriteBufferForWrite();
		return next;
	}

	private void write(int bytes) {
		this.handler.configureWriteBufferForWrite();
		for (int i = 0; i < bytes; i++) {
			this.handler.getWriteBuffer().put((byte) 1);
		}
		this.handler.configureWriteBufferForRead();
		this.handler.getWriteBuffer().get(new byte[bytes]);
	}

}
