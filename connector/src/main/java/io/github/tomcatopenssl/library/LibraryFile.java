// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.library;

import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;
import org.jspecify.annotations.Nullable;

/**
 * What can be told of a library before it is loaded. One that is refused after it was
 * loaded leaves no room for another.
 */
final class LibraryFile {

	private static final String ELF = "\u007fELF";

	private static final String FUNCTION = "Java_org_apache_tomcat_jni_Library_version";

	// Of a larger file nothing is told. One with OpenSSL and APR inside has 6 MB
	private static final int LARGEST = 1 << 26;

	private LibraryFile() {
	}

	// A refusal, or null when it may be loaded
	static @Nullable LoadAttempt check(Path file, Platform platform) {
		try {
			return (Files.size(file) <= LARGEST) ? check(file.toString(), Files.readAllBytes(file), platform.isMusl())
					: null;
		}
		catch (IOException ex) {
			return new LoadAttempt(file.toString(), Result.UNREADABLE, "it cannot be read", ex);
		}
	}

	static boolean isTomcatNative(Path file) {
		try {
			return Files.readString(file, StandardCharsets.ISO_8859_1).contains(FUNCTION);
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static @Nullable LoadAttempt check(String location, byte[] bytes, boolean musl) {
		String content = new String(bytes, StandardCharsets.ISO_8859_1);
		if (content.startsWith(ELF)) {
			if (!isComplete(ByteBuffer.wrap(bytes))) {
				return LoadAttempt.failed(location, Result.FAILED, "it is an incomplete or damaged library");
			}
			if (!content.contains(FUNCTION)) {
				return LoadAttempt.failed(location, Result.FAILED, "it is a native library, but not Tomcat Native");
			}
			boolean forGlibc = content.contains("\0libc.so.6\0");
			boolean forMusl = content.contains("\0libc.so\0") || content.contains("\0libc.musl-");
			if (forGlibc != forMusl && forMusl != musl) {
				return LoadAttempt.failed(location, Result.WRONG_LIBC, musl
						? "it is for glibc, and this JVM is for musl" : "it is for musl, and this JVM is for glibc");
			}
		}
		Version unsafe = Versions.unsafeIn(content);
		return (unsafe != null) ? LoadAttempt.failed(location, Result.TOO_OLD, Versions.refusal(unsafe)) : null;
	}

	/**
	 * The dynamic linker crashes the process over a segment that was cut off. It refuses
	 * the 32-bit format by itself.
	 * @param elf the file, see <a href="https://gabi.xinuos.com/">System V ABI</a>
	 * @return whether all segments to load ({@code PT_LOAD}) are there
	 */
	private static boolean isComplete(ByteBuffer elf) {
		try {
			elf.order((elf.get(5) != 2) ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
			int count = (elf.get(4) != 2) ? 0 : elf.getChar(56);
			for (int i = 0; i < count; i++) {
				int segment = Math.toIntExact(elf.getLong(32) + (long) i * elf.getChar(54));
				long end = Math.addExact(elf.getLong(segment + 8), elf.getLong(segment + 32));
				if (elf.getInt(segment) == 1 && (end < 0 || end > elf.limit())) {
					return false;
				}
			}
			return true;
		}
		catch (IndexOutOfBoundsException | ArithmeticException ex) {
			return false;
		}
	}

}
