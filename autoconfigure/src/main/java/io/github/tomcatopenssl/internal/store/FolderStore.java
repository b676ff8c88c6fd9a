// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import io.github.tomcatopenssl.internal.certificate.PrivateFiles;
import io.github.tomcatopenssl.internal.certificate.ProcessLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A folder that replicas share. Its locks are those of the operating system, which a
 * process keeps as long as it runs.
 *
 * @param directory the folder
 */
public record FolderStore(Path directory) implements SharedStore {

	private static final Log logger = LogFactory.getLog(FolderStore.class);

	/**
	 * How long to wait for a process that replaces an entry, which takes milliseconds.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	/**
	 * How long an entry counts as changed. The clocks of file systems are coarse.
	 */
	private static final Duration OVERLAP = Duration.ofMinutes(1);

	/**
	 * How deep the folders of entries are.
	 */
	private static final int DEPTH = 3;

	@Override
	public boolean isFolder() {
		return true;
	}

	@Override
	public Path file(String name) {
		return this.directory.resolve(name);
	}

	@Override
	public String describe(String name) {
		return file(name).toString();
	}

	@Override
	public void createFolder(String name) throws IOException {
		PrivateFiles.createFolder(file(name));
	}

	@Override
	public void keepCopy(String name) {
		// Nothing to do: the entry is a file
	}

	@Override
	public @Nullable Entry read(String name) throws IOException {
		try {
			byte[] content = Files.readAllBytes(file(name));
			// In a damaged file, not every byte belongs to a character
			return new Entry(new String(content, StandardCharsets.UTF_8), version(content));
		}
		catch (NoSuchFileException ex) {
			return null;
		}
	}

	private static String version(byte[] content) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void write(String name, String content, Collection<StoreLock> held) throws IOException {
		Path file = file(name);
		PrivateFiles.replace(file, file.resolveSibling(file.getFileName() + ".tmp"), content);
	}

	@Override
	public boolean replace(String name, String content, @Nullable String version) throws IOException {
		StoreLock lock = lock(name + ".lock");
		try (lock) {
			Entry current = read(name);
			if (!Objects.equals(version, (current != null) ? current.version() : null)) {
				return false;
			}
			write(name, content, List.of(lock));
			return true;
		}
	}

	@Override
	public void delete(String name, Collection<StoreLock> held) throws IOException {
		Files.deleteIfExists(file(name));
	}

	// Entries that cannot be read, such as lost+found on a volume, are left out
	@Override
	public Changes changes(String prefix, @Nullable String since) throws IOException {
		long earliest = (since != null) ? Long.parseLong(since) - OVERLAP.toMillis() : Long.MIN_VALUE;
		List<String> names = new ArrayList<>();
		long[] newest = { (since != null) ? Long.parseLong(since) : 0 };
		Files.walkFileTree(file(prefix.substring(0, prefix.lastIndexOf('/') + 1)), Set.of(), DEPTH,
				new SimpleFileVisitor<>() {

					@Override
					public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
						String name = FolderStore.this.directory.relativize(file)
							.toString()
							.replace(file.getFileSystem().getSeparator(), "/");
						if (attributes.isRegularFile() && name.startsWith(prefix) && !name.endsWith(".tmp")
								&& !name.endsWith(".lock")) {
							long time = attributes.lastModifiedTime().toMillis();
							newest[0] = Math.max(newest[0], time);
							if (time >= earliest) {
								names.add(name);
							}
						}
						return FileVisitResult.CONTINUE;
					}

					@Override
					public FileVisitResult visitFileFailed(Path file, IOException ex) {
						logger.debug("'%s' cannot be read".formatted(file), ex);
						return FileVisitResult.CONTINUE;
					}

					@Override
					public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException ex) {
						return FileVisitResult.CONTINUE;
					}

				});
		return new Changes(names, Long.toString(newest[0]));
	}

	@Override
	public Instant now() {
		return Instant.now();
	}

	@Override
	public @Nullable StoreLock tryLock(String name) throws IOException {
		ProcessLock lock = ProcessLock.tryLock(file(name));
		return (lock != null) ? lock::close : null;
	}

	@Override
	public StoreLock lock(String name) throws IOException {
		return ProcessLock.lock(file(name), PATIENCE)::close;
	}

}
