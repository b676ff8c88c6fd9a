// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests of {@link RecordBuffers}.
 */
class RecordBuffersTests {

	private final RecordBuffers buffers = new RecordBuffers(100, true);

	@Test
	void whenAllWasReadThenConnectionKeepsNothing() throws IOException {
		ByteBuffer lent = this.buffers.lend(RecordBuffers.NONE).put(new byte[40]).flip();
		lent.position(lent.limit());
		assertThat(this.buffers.takeBack(lent)).isSameAs(RecordBuffers.NONE);
	}

	@Test
	void whenSomeIsLeftThenConnectionKeepsThatAndNoMore() throws IOException {
		ByteBuffer lent = this.buffers.lend(RecordBuffers.NONE).put(new byte[] { 1, 2, 3, 4 }).flip();
		lent.position(3);
		ByteBuffer kept = this.buffers.takeBack(lent);
		assertThat(kept.capacity()).isOne();
		ByteBuffer again = this.buffers.lend(kept).flip();
		assertThat(again).isSameAs(lent);
		assertThat(again.remaining()).isOne();
		assertThat(again.get()).isEqualTo((byte) 4);
	}

	@Test
	void whenConnectionsTakeTurnsThenTheyShareOneBuffer() throws IOException {
		List<ByteBuffer> all = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			ByteBuffer lent = this.buffers.lend(RecordBuffers.NONE);
			all.add(lent);
			this.buffers.takeBack(lent.flip());
		}
		assertThat(all).allSatisfy((lent) -> assertThat(lent).isSameAs(all.get(0)));
	}

	// No array can have this size
	@Test
	void whenMemoryIsExhaustedThenFailsWithAnException() {
		RecordBuffers tooLarge = new RecordBuffers(Integer.MAX_VALUE, false);
		assertThatIOException().isThrownBy(() -> tooLarge.lend(RecordBuffers.NONE))
			.withCauseInstanceOf(OutOfMemoryError.class);
	}

	@Test
	@Timeout(30)
	void whenMemoryIsExhaustedThenWaitsForABufferInUse() throws Exception {
		RecordBuffers tooLarge = new RecordBuffers(Integer.MAX_VALUE, false);
		ByteBuffer other = ByteBuffer.allocate(100);
		Thread taker = Thread.currentThread();
		CompletableFuture<Void> otherConnection = CompletableFuture.runAsync(() -> {
			while (taker.getState() != Thread.State.TIMED_WAITING) {
				Thread.onSpinWait();
			}
			tooLarge.takeBack(other.flip());
		});
		assertThat(tooLarge.lend(RecordBuffers.NONE)).isSameAs(other);
		otherConnection.join();
	}

	@Test
	void whenInterruptedWhileWaitingThenFailsAndStaysInterrupted() {
		RecordBuffers tooLarge = new RecordBuffers(Integer.MAX_VALUE, false);
		Thread.currentThread().interrupt();
		assertThatIOException().isThrownBy(() -> tooLarge.lend(RecordBuffers.NONE));
		assertThat(Thread.interrupted()).isTrue();
	}

}
