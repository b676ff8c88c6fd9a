// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ResourceLoader;

/**
 * Reads files anew when they seem to have changed, and now and then in any case, as time,
 * size and identity do not tell it for sure, and a network file system remembers them.
 */
final class WatchedFiles {

	private static final Duration READ_PERIOD = Duration.ofSeconds(5);

	private final ResourceLoader resourceLoader;

	private final Map<String, Seen> seen = new LinkedHashMap<>();

	private long readAt = System.nanoTime() - READ_PERIOD.toNanos();

	WatchedFiles(Collection<String> locations, ResourceLoader resourceLoader) {
		this.resourceLoader = resourceLoader;
		locations.forEach((location) -> this.seen.put(location, read(location, attributes(location))));
	}

	// Those outside the file system cannot
	boolean isAnyChangeable() {
		return this.seen.values().stream().anyMatch((seen) -> seen.content().inFileSystem());
	}

	FileSnapshot look(long now) {
		boolean isReadTime = now - this.readAt >= READ_PERIOD.toNanos();
		if (isReadTime) {
			this.readAt = now;
		}
		Map<String, FileContent> contents = new LinkedHashMap<>();
		this.seen.replaceAll((location, seen) -> {
			Seen current = seen;
			if (seen.content().inFileSystem()) {
				List<Object> attributes = attributes(location);
				if (isReadTime || attributes == null || !attributes.equals(seen.attributes())) {
					current = read(location, attributes);
				}
			}
			contents.put(location, current.content());
			return current;
		});
		return new FileSnapshot(contents);
	}

	private Seen read(String location, @Nullable List<Object> attributes) {
		return new Seen(attributes, FileContent.read(location, this.resourceLoader));
	}

	private @Nullable List<Object> attributes(String location) {
		try {
			BasicFileAttributes attributes = Files
				.readAttributes(this.resourceLoader.getResource(location).getFilePath(), BasicFileAttributes.class);
			return List.of(attributes.lastModifiedTime(), attributes.size(), String.valueOf(attributes.fileKey()));
		}
		catch (IOException ex) {
			return null;
		}
	}

	// A file when it was last read, with its time, size and identity before
	private record Seen(@Nullable List<Object> attributes, FileContent content) {

	}

}
