/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.library;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What an ELF file says of itself, read without the dynamic linker, which crashes the
 * process over a file that was cut off.
 *
 * @param needed the names of the libraries that it needs ({@code DT_NEEDED}); empty for
 * the 32-bit format, which the dynamic linker refuses by itself
 * @see <a href="https://gabi.xinuos.com/">System V Application Binary Interface</a>
 */
record ElfFile(List<String> needed) {

	private static final int MAGIC = 0x7F454C46;

	private static final int CLASS_64 = 2;

	private static final int LITTLE_ENDIAN = 1;

	private static final int LOAD = 1;

	private static final int DYNAMIC = 2;

	private static final int NEEDED = 1;

	private static final int STRING_TABLE = 5;

	/**
	 * Of those that are read, which have some hundred bytes.
	 */
	private static final int LARGEST_PART = 1 << 20;

	private static final int LONGEST_NAME = 255;

	/**
	 * Read a file.
	 * @param file the file
	 * @return what it says, or {@code null} when it is no ELF file
	 * @throws IOException if it cannot be read, or is incomplete or damaged
	 */
	static @Nullable ElfFile read(Path file) throws IOException {
		try (FileChannel channel = FileChannel.open(file)) {
			if (channel.size() < Integer.BYTES || read(channel, 0, Integer.BYTES).getInt() != MAGIC) {
				return null;
			}
			ByteBuffer header = read(channel, 0, 64);
			if (header.get(4) != CLASS_64) {
				return new ElfFile(List.of());
			}
			ByteOrder order = (header.get(5) == LITTLE_ENDIAN) ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
			return new ElfFile(needed(channel, order, segments(channel, header.order(order))));
		}
	}

	private static List<Segment> segments(FileChannel channel, ByteBuffer header) throws IOException {
		long offset = header.getLong(32);
		int size = Short.toUnsignedInt(header.getShort(54));
		int count = Short.toUnsignedInt(header.getShort(56));
		List<Segment> segments = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			ByteBuffer entry = read(channel, offset + (long) i * size, 56).order(header.order());
			Segment segment = new Segment(entry.getInt(0), entry.getLong(8), entry.getLong(16), entry.getLong(32));
			if (segment.type == LOAD || segment.type == DYNAMIC) {
				check(channel, segment.offset, segment.size);
				segments.add(segment);
			}
		}
		return segments;
	}

	private static List<String> needed(FileChannel channel, ByteOrder order, List<Segment> segments)
			throws IOException {
		Segment dynamic = segments.stream()
			.filter((segment) -> segment.type == DYNAMIC)
			.findFirst()
			.orElseThrow(() -> new IOException("It has no dynamic section"));
		ByteBuffer entries = read(channel, dynamic.offset, dynamic.size).order(order);
		List<Long> names = new ArrayList<>();
		long strings = -1;
		long tag = -1;
		while (tag != 0 && entries.remaining() >= 2 * Long.BYTES) {
			tag = entries.getLong();
			long value = entries.getLong();
			if (tag == NEEDED) {
				names.add(value);
			}
			strings = (tag == STRING_TABLE) ? value : strings;
		}
		List<String> needed = new ArrayList<>();
		for (long name : names) {
			needed.add(string(channel, offset(segments, strings) + name));
		}
		return needed;
	}

	private static long offset(List<Segment> segments, long address) throws IOException {
		return segments.stream()
			.filter((segment) -> segment.type == LOAD && address >= segment.address
					&& address - segment.address < segment.size)
			.map((segment) -> segment.offset + address - segment.address)
			.findFirst()
			.orElseThrow(() -> new IOException("It has nothing at address " + address));
	}

	private static String string(FileChannel channel, long offset) throws IOException {
		ByteBuffer bytes = read(channel, offset, Math.min(LONGEST_NAME, channel.size() - offset));
		String string = StandardCharsets.ISO_8859_1.decode(bytes).toString();
		int end = string.indexOf('\0');
		return (end != -1) ? string.substring(0, end) : string;
	}

	private static ByteBuffer read(FileChannel channel, long offset, long size) throws IOException {
		check(channel, offset, size);
		if (size > LARGEST_PART) {
			throw new IOException("It has a part of %d bytes".formatted(size));
		}
		ByteBuffer buffer = ByteBuffer.allocate((int) size);
		while (buffer.hasRemaining()) {
			if (channel.read(buffer, offset + buffer.position()) == -1) {
				throw new EOFException("It has become shorter");
			}
		}
		return buffer.flip();
	}

	private static void check(FileChannel channel, long offset, long size) throws IOException {
		if (offset < 0 || size < 0 || offset > channel.size() - size) {
			throw new EOFException("It lacks some of %d bytes from byte %d on".formatted(size, offset));
		}
	}

	private record Segment(int type, long offset, long address, long size) {
	}

}
