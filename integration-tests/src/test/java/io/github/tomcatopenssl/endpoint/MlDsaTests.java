// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.List;

import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.LibrarySource;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.library.TomcatNativeLoader;
import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import org.apache.tomcat.jni.SSL;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of an ML-DSA certificate beside an ECDSA one.
 */
@Tag("jdk")
class MlDsaTests extends AbstractTlsServerTests {

	private static final long OPENSSL_3_5 = 0x30500000L;

	private static final boolean JAVA_READS_KEYS = Runtime.version().feature() >= 24;

	MlDsaTests() {
		super(WebApplicationType.SERVLET);
	}

	@Test
	void whenOpenSslServesThenNeedsOneThatKnowsMlDsa() throws Exception {
		assertThat(new TomcatNativeLoader(LibrarySource.AUTO, Provided.tomcatNative(), null, FipsMode.OFF)
			.unavailabilityCause()).isNull();
		if (SSL.version() < OPENSSL_3_5 || !JAVA_READS_KEYS) {
			assertFails(Engine.OPENSSL);
			return;
		}
		try (TestServer server = start(Engine.OPENSSL, certificates("p256", "ml-dsa-65"))) {
			for (String version : new String[] { "-tls1_2", "-tls1_3" }) {
				assertThat(TlsClient.connect(server.port(), version, "-sigalgs", "ecdsa_secp256r1_sha256"))
					.returns("p256", Handshake::subject)
					.returns(true, Handshake::isServed);
			}
			if (Commands.run("", List.of("openssl", "list", "-signature-algorithms")).output().contains("ML-DSA-65")) {
				assertThat(TlsClient.connect(server.port())).returns("ml-dsa-65", Handshake::subject)
					.returns(true, Handshake::isServed);
			}
		}
	}

	@Test
	void whenJsseServesThenFails() throws Exception {
		assertFails(Engine.JSSE);
	}

	private void assertFails(Engine engine) throws Exception {
		String[] properties = certificates("p256", "ml-dsa-65");
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> start(engine, properties).close())
			.withStackTraceContaining(
					(JAVA_READS_KEYS ? TlsSettingException.class : TlsSettingException.class).getName())
			.withStackTraceContaining(JAVA_READS_KEYS ? "has an ML-DSA key, which only OpenSSL 3.5 or later can serve"
					: "is of the type 'ML-DSA");
	}

	private String[] certificates(String first, String second) {
		return new String[] { "certificates[0].certificate-file=" + file(first + ".crt"),
				"certificates[0].certificate-key-file=" + file(first + ".key"),
				"certificates[1].certificate-file=" + file(second + ".crt"),
				"certificates[1].certificate-key-file=" + file(second + ".key") };
	}

}
