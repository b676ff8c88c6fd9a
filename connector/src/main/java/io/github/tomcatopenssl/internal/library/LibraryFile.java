// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;
import org.jspecify.annotations.Nullable;

/**
 * Checks a library before it is loaded. Loading a truncated library, or one for another C
 * library, can crash the JVM. After the JVM has loaded an old version, it cannot load
 * another one.
 */
final class LibraryFile {

	private static final String FUNCTION = "Java_org_apache_tomcat_jni_Library_version";

	// 64-bit ELF in little-endian byte order, see https://gabi.xinuos.com
	private static final String ELF = "\u007fELF\u0002\u0001";

	private static final int ELF_HEADER_SIZE = 64;

	// A library that includes OpenSSL and APR has 6 MB
	private static final int LARGEST = 1 << 26;

	private LibraryFile() {
	}

	// Returns the refusal, or null if the library may be loaded
	static @Nullable LoadAttempt check(Path file, Platform platform) {
		if (Files.exists(file) && !Files.isRegularFile(file)) {
			// Reading a pipe may never end
			return LoadAttempt.failed(file.toString(), Result.FAILED, "it is not a regular file");
		}
		try (InputStream in = Files.newInputStream(file)) {
			return check(file.toString(), in.readNBytes(LARGEST), Files.size(file), platform.isMusl());
		}
		catch (IOException ex) {
			return new LoadAttempt(file.toString(), Result.UNREADABLE, "it cannot be read: " + reason(ex), ex);
		}
	}

	private static String reason(IOException ex) {
		if (ex instanceof AccessDeniedException) {
			return "access is denied";
		}
		if (ex instanceof NoSuchFileException) {
			return "it does not exist";
		}
		return (ex instanceof FileSystemException failure && failure.getReason() != null) ? failure.getReason()
				: String.valueOf(ex.getMessage());
	}

	private static @Nullable LoadAttempt check(String location, byte[] bytes, long size, boolean musl) {
		String content = new String(bytes, StandardCharsets.ISO_8859_1);
		if (content.startsWith(ELF) && isCutOff(bytes, size)) {
			return LoadAttempt.failed(location, Result.FAILED, "it is an incomplete library");
		}
		if (!content.contains(FUNCTION)) {
			return LoadAttempt.failed(location, Result.FAILED, "it is not Tomcat Native");
		}
		boolean forGlibc = content.contains("\0libc.so.6\0");
		boolean forMusl = content.contains("\0libc.so\0") || content.contains("\0libc.musl-");
		if (forGlibc != forMusl && forMusl != musl) {
			return LoadAttempt.failed(location, Result.NOT_LOADABLE,
					musl ? "it is for glibc, but this JVM is for musl" : "it is for musl, but this JVM is for glibc");
		}
		Version unsafe = Versions.unsafeIn(content);
		return (unsafe != null) ? LoadAttempt.failed(location, Result.TOO_OLD, Versions.refusal(unsafe)) : null;
	}

	// Linkers write the section table last
	private static boolean isCutOff(byte[] bytes, long size) {
		ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
		return size < ELF_HEADER_SIZE || size < header.getLong(40) + header.getChar(58) * header.getChar(60);
	}

}
