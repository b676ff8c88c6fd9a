// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.util.Properties;

import io.github.tomcatopenssl.certificate.PrivateFiles;
import org.jspecify.annotations.Nullable;

/**
 * A lock that one process has, and in it one application. The operating system ends it
 * with the process. Closing any channel of a file ends the lock of the process (POSIX),
 * so no second channel is opened in this JVM. A system property says so, because all
 * class loaders share them.
 *
 * @param property the name of the system property
 * @param channel the channel of the file
 */
record StoreLock(String property, FileChannel channel) implements Closeable {

	/**
	 * Lock a file if nobody else has.
	 * @param file the file
	 * @return the lock, or {@code null} if another process or application has it
	 * @throws IOException if the file cannot be locked
	 */
	static @Nullable StoreLock tryLock(Path file) throws IOException {
		Properties held = System.getProperties();
		String property = StoreLock.class.getName() + ":" + file.toAbsolutePath().normalize();
		if (held.putIfAbsent(property, "") != null) {
			return null;
		}
		FileChannel channel = null;
		FileLock lock = null;
		try {
			channel = PrivateFiles.open(file);
			lock = channel.tryLock();
			return (lock != null) ? new StoreLock(property, channel) : null;
		}
		finally {
			if (lock == null) {
				close(property, channel);
			}
		}
	}

	@Override
	public void close() throws IOException {
		close(this.property, this.channel);
	}

	private static void close(String property, @Nullable FileChannel channel) throws IOException {
		try {
			if (channel != null) {
				channel.close();
			}
		}
		finally {
			System.getProperties().remove(property);
		}
	}

}
