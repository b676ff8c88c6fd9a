// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

import org.springframework.mock.env.MockEnvironment;

/**
 * Requests the certificate on several threads at once when it is told to, and reports
 * what it then reads from the file.
 */
public final class ParallelCertificates {

	static final int THREADS = 4;

	private ParallelCertificates() {
	}

	/**
	 * Ask for the certificate.
	 * @param arguments the folder
	 * @throws IOException if it cannot be told to
	 */
	public static void main(String[] arguments) throws IOException {
		Path folder = Path.of(arguments[0]);
		MockEnvironment environment = new MockEnvironment()
			.withProperty("XDG_CACHE_HOME", folder.resolve("cache").toString())
			.withProperty("CAROOT", folder.resolve("mkcert").toString());
		CertificateSource source = CertificateSource.development(environment, List.of(), false);
		System.out.println("ready");
		System.in.read();
		IntStream.range(0, THREADS).parallel().mapToObj((i) -> {
			String file = source.validateAndWriteFiles().get(0).toString();
			return KeyMaterial.read(new CertificateFiles("test", file));
		}).forEach((made) -> System.out.println("made " + made.certificates().get(0).getSerialNumber()));
	}

}
