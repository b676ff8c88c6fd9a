// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link RecordBuffers}.
 */
class RecordBuffersTests {

	private final RecordBuffers buffers = new RecordBuffers(100);

	@Test
	void whenAllWasReadThenConnectionKeepsNothing() {
		ByteBuffer lent = this.buffers.lend(RecordBuffers.NONE).put(new byte[40]).flip();
		lent.position(lent.limit());
		assertThat(this.buffers.takeBack(lent)).isSameAs(RecordBuffers.NONE);
	}

	@Test
	void whenSomeIsLeftThenConnectionKeepsThatAndNoMore() {
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
	void whenConnectionsTakeTurnsThenTheyShareOneBuffer() {
		List<ByteBuffer> all = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			ByteBuffer lent = this.buffers.lend(RecordBuffers.NONE);
			all.add(lent);
			this.buffers.takeBack(lent.flip());
		}
		assertThat(all).allSatisfy((lent) -> assertThat(lent).isSameAs(all.get(0)));
	}

}
