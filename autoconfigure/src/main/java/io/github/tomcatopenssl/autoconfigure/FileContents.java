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

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/**
 * What some files contain at a moment, to tell whether one was changed in whatever way:
 * written in place, renamed over, or behind a symbolic link that was replaced. Times and
 * sizes do not tell that for sure.
 *
 * @param digests the SHA-256 of each file, or why it cannot be read
 */
record FileContents(Map<Path, String> digests) {

	private static final int MAX_SIZE = 4 * 1024 * 1024 + 1;

	/**
	 * Read the files.
	 * @param locations file paths and resource locations; those outside the file system
	 * are left out
	 * @param resourceLoader resolves the locations
	 * @return their contents
	 */
	static FileContents read(List<String> locations, ResourceLoader resourceLoader) {
		Map<Path, String> digests = new HashMap<>();
		for (String location : locations) {
			Resource resource = resourceLoader.getResource(location);
			try {
				if (resource.isFile()) {
					Path file = resource.getFile().toPath().toAbsolutePath();
					digests.put(file, digest(file));
				}
			}
			catch (IOException ex) {
				// Not in the file system
			}
		}
		return new FileContents(Map.copyOf(digests));
	}

	private static String digest(Path file) {
		if (!Files.isRegularFile(file)) {
			return "not a regular file";
		}
		try (InputStream in = Files.newInputStream(file)) {
			return Base64.getEncoder()
				.encodeToString(MessageDigest.getInstance("SHA-256").digest(in.readNBytes(MAX_SIZE)));
		}
		catch (IOException ex) {
			return ex.toString();
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

	/**
	 * Whether a file is the same in other contents.
	 * @param file the absolute path
	 * @param other the other contents
	 * @return whether it is
	 */
	boolean isSame(Path file, FileContents other) {
		return Objects.equals(this.digests.get(file), other.digests.get(file));
	}

	boolean isEmpty() {
		return this.digests.isEmpty();
	}

}
