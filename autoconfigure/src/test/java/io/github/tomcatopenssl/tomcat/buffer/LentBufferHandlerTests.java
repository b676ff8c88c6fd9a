// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.buffer;

import java.nio.ByteBuffer;

import org.apache.tomcat.util.net.SocketProperties;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LentBufferHandler}.
 */
class LentBufferHandlerTests {

	private static final int SMALL = 1 << 14;

	private static final int LARGE = 1 << 15;

	private final SocketProperties properties = new SocketProperties();

	private final ApplicationBuffers buffers = new ApplicationBuffers(this.properties);

	private final LentBufferHandler handler = new LentBufferHandler(this.buffers);

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
		this.handler.giveBack();
		LentBufferHandler next = new LentBufferHandler(this.buffers);
		next.configureWriteBufferForWrite();
		assertThat(next.getWriteBuffer()).isSameAs(used);
		assertThat(used.position()).isZero();
		assertThat(used.limit()).isEqualTo(SMALL);
		assertThat(used.array()).containsOnly(0);
		this.handler.configureWriteBufferForWrite();
		assertThat(this.handler.getWriteBuffer()).isNotSameAs(used);
	}

	@Test
	void whenDataIsLeftThenIsNotGivenBack() {
		this.handler.configureReadBufferForWrite();
		ByteBuffer read = this.handler.getReadBuffer().put((byte) 1);
		this.handler.giveBack();
		assertThat(this.handler.getReadBuffer()).isSameAs(read);
		this.handler.configureReadBufferForRead();
		assertThat(read.get()).isEqualTo((byte) 1);
		this.handler.configureWriteBufferForWrite();
		ByteBuffer written = this.handler.getWriteBuffer().put((byte) 2);
		this.handler.giveBack();
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
		this.handler.giveBack();
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
	void whenLargeOneIsDroppedThenAnotherMayBeTaken() {
		write(SMALL);
		this.handler.configureWriteBufferForWrite();
		ByteBuffer large = this.handler.getWriteBuffer();
		int more = 0;
		while (this.buffers.takeLarge() != null) {
			more++;
		}
		this.handler.dropLarge();
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

	private void write(int bytes) {
		this.handler.configureWriteBufferForWrite();
		for (int i = 0; i < bytes; i++) {
			this.handler.getWriteBuffer().put((byte) 1);
		}
		this.handler.configureWriteBufferForRead();
		this.handler.getWriteBuffer().get(new byte[bytes]);
	}

}
