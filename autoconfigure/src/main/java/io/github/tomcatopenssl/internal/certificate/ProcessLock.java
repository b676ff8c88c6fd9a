// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * A lock that one process has, and in it one application. The operating system ends it
 * with the process. Closing any channel of a file ends the lock of the process (POSIX),
 * so no second channel is opened in this JVM. A system property records it, because all
 * class loaders share them.
 *
 * @param property the name of the system property
 * @param channel the channel of the file
 */
public record ProcessLock(String property, FileChannel channel) implements Closeable {

	private static final Duration PAUSE = Duration.ofMillis(10);

	/**
	 * Lock a file if nobody else has.
	 * @param file the file
	 * @return the lock, or {@code null} if another process or application has it
	 * @throws IOException if the file cannot be locked
	 */
	public static @Nullable ProcessLock tryLock(Path file) throws IOException {
		Properties held = System.getProperties();
		String property = ProcessLock.class.getName() + ":" + file.toAbsolutePath().normalize();
		if (held.putIfAbsent(property, "") != null) {
			return null;
		}
		FileChannel channel = null;
		FileLock lock = null;
		try {
			channel = PrivateFiles.open(file);
			lock = channel.tryLock();
			return (lock != null) ? new ProcessLock(property, channel) : null;
		}
		catch (OverlappingFileLockException ex) {
			// Other code of this JVM has it
			return null;
		}
		finally {
			if (lock == null) {
				close(property, channel);
			}
		}
	}

	/**
	 * Lock a file as soon as nobody else has.
	 * @param file the file
	 * @param patience how long to wait at most
	 * @return the lock
	 * @throws IOException if the file cannot be locked, or if somebody keeps the lock
	 */
	public static ProcessLock lock(Path file, Duration patience) throws IOException {
		long begin = System.nanoTime();
		while (true) {
			ProcessLock lock = tryLock(file);
			if (lock != null) {
				return lock;
			}
			if (System.nanoTime() - begin > patience.toNanos()) {
				throw new IOException(
						"another process has held a lock on it for %d seconds".formatted(patience.toSeconds()));
			}
			LockSupport.parkNanos(PAUSE.toNanos());
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
