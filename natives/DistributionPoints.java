// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

import java.nio.file.Files;
import java.nio.file.Path;

import org.apache.tomcat.jni.Library;
import org.apache.tomcat.jni.Pool;
import org.apache.tomcat.jni.SSL;
import org.apache.tomcat.jni.SSLContext;

/**
 * Prints by how many KB the memory of the process grows when OpenSSL reads a certificate,
 * for natives/test.sh: {@code java DistributionPoints.java CERTIFICATE KEY}.
 */
class DistributionPoints {

	public static void main(String[] arguments) throws Exception {
		Library.initialize(null);
		SSL.initialize(null);
		long pool = Pool.create(0);
		long context = SSLContext.make(pool, SSL.SSL_PROTOCOL_ALL, SSL.SSL_MODE_SERVER);
		long before = residentMemory();
		if (!SSLContext.setCertificate(context, arguments[0], arguments[1], null, SSL.SSL_AIDX_ECC)) {
			throw new IllegalStateException("OpenSSL does not read it");
		}
		System.out.println(residentMemory() - before);
	}

	private static long residentMemory() throws Exception {
		return Files.readAllLines(Path.of("/proc/self/status"))
			.stream()
			.filter((line) -> line.startsWith("RssAnon:"))
			.mapToLong((line) -> Long.parseLong(line.replaceAll("\\D", "")))
			.sum();
	}

}
