// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;

import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.LibrarySource;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.internal.host.ClientVerification;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.TlsHost;
import io.github.tomcatopenssl.internal.host.TlsPolicy;
import io.github.tomcatopenssl.internal.library.TomcatNativeLoader;
import io.github.tomcatopenssl.test.CatalinaHome;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.apache.tomcat.util.net.openssl.OpenSSLConfCmd;
import org.apache.tomcat.util.net.openssl.ciphers.OpenSSLCipherConfigurationParser;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The engines, with what tests make hosts of.
 */
public enum Engine {

	OPENSSL, JSSE;

	static final List<String> ANY_VERSION = List.of("TLSv1.2", "TLSv1.3");

	private static final String CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20";

	/**
	 * Load Tomcat Native.
	 */
	public static void load() {
		assertThat(new TomcatNativeLoader(LibrarySource.SYSTEM, Provided.tomcatNative(), null, FipsMode.OFF).status()
			.available()).isTrue();
		CatalinaHome.forget();
	}

	/**
	 * Return the engine that serves.
	 * @return the engine
	 */
	public TlsEngine served() {
		return (this == OPENSSL) ? TlsEngine.openSsl() : TlsEngine.jsse();
	}

	TlsContext create(TlsHost host, String... applicationProtocols) throws Exception {
		return (this == OPENSSL)
				? OpenSslContext.of(host, List.of(applicationProtocols), () -> null, (certificate) -> null)
				: served().createContext(host, List.of(applicationProtocols), () -> null, (certificate) -> null);
	}

	static TlsHost host(ClientVerification clients, String... keys) {
		return new TlsHost("_default_", keys(keys), clients, policy(CIPHERS));
	}

	static TlsHost host(String... keys) {
		return host(ClientVerification.NONE, keys);
	}

	/**
	 * Return a policy for hosts that make no handshakes.
	 * @return the policy
	 */
	public static TlsPolicy anyPolicy() {
		return policy(CIPHERS);
	}

	static TlsPolicy policy(String ciphers, OpenSSLConfCmd... commands) {
		return new TlsPolicy(SecurityPolicy.INTERMEDIATE.versions(),
				List.copyOf(OpenSSLCipherConfigurationParser.parse(ciphers)), ciphers,
				SecurityPolicy.NIST_SP_800_52R2.cipherSuites(), null, List.of(), true, true, -1, -1, false, false,
				"TLS", List.of(commands));
	}

	static ClientVerification clients(CertificateVerification mode) {
		X509TrustManager manager = (X509TrustManager) JavaClient.managers("client", "ca.crt").trust()[0];
		return new ClientVerification(mode, manager, null, true, null);
	}

	static List<HostKey> keys(String... names) {
		return Arrays.stream(names).map(Engine::key).toList();
	}

	static HostKey key(String name) {
		return new HostKey(TestCertificates.get().privateKey(name), List.of(certificate(name)));
	}

	static X509Certificate certificate(String name) {
		return TestCertificates.get().certificate(name + ".crt");
	}

}
