// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample.container;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import io.github.tomcatopenssl.test.TestCertificates;

import org.springframework.util.FileSystemUtils;

/**
 * A TLS secret as the kubelet mounts it: {@code tls.crt}, {@code tls.key} and {@code
 * ca.crt} are symbolic links through {@code ..data}, which an update replaces. The key
 * has {@code defaultMode: 0440} and the pod's {@code fsGroup}.
 */
final class MountedSecret implements AutoCloseable {

	private static final Path DATA = Path.of("..data");

	/**
	 * The group that the images run as.
	 */
	private static final int GROUP = 10001;

	private final Path folder;

	private int updates;

	MountedSecret(String certificate) throws IOException {
		this.folder = readable(Files.createTempDirectory("secret"));
		update(certificate, certificate);
		for (String file : List.of("tls.crt", "tls.key", "ca.crt")) {
			Files.createSymbolicLink(this.folder.resolve(file), DATA.resolve(file));
		}
	}

	/**
	 * Replace the content at once.
	 * @param certificate the name of one of {@link TestCertificates}
	 * @param key the name of the one whose key it is
	 */
	void update(String certificate, String key) throws IOException {
		TestCertificates certificates = TestCertificates.get();
		Path next = readable(Files.createDirectory(this.folder.resolve("..update" + this.updates++)));
		Files.copy(certificates.file(certificate + ".crt"), next.resolve("tls.crt"));
		Files.copy(certificates.file(certificate + ".crt"), next.resolve("ca.crt"));
		Path mountedKey = Files.copy(certificates.file(key + ".key"), next.resolve("tls.key"));
		Files.setAttribute(mountedKey, "unix:gid", GROUP);
		Files.setPosixFilePermissions(mountedKey, PosixFilePermissions.fromString("r--r-----"));
		Path data = this.folder.resolve(DATA);
		Path previous = Files.exists(data) ? data.toRealPath() : null;
		Path link = Files.createSymbolicLink(this.folder.resolve("..data_tmp"), next.getFileName());
		Files.move(link, data, StandardCopyOption.ATOMIC_MOVE);
		FileSystemUtils.deleteRecursively(previous);
	}

	Path path() {
		return this.folder;
	}

	@Override
	public void close() throws IOException {
		FileSystemUtils.deleteRecursively(this.folder);
	}

	private static Path readable(Path folder) throws IOException {
		return Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
	}

}
