// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.pem.PrivateKeys;
import org.apache.tomcat.jni.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A key of a host with its certificates.
 *
 * @param key the private key, which may not be exportable; {@code null} if only the
 * context has it that a user provides
 * @param chain the certificates, the leaf first
 */
public record HostKey(@Nullable PrivateKey key, List<X509Certificate> chain) {

	/**
	 * Create the key with an unmodifiable copy of its certificates.
	 */
	public HostKey {
		chain = List.copyOf(chain);
	}

	/**
	 * Return the leaf.
	 * @return the certificate of the key
	 */
	public X509Certificate leaf() {
		return this.chain.get(0);
	}

	/**
	 * Return the type of the key.
	 * @return the type
	 */
	public KeyType type() {
		return KeyType.of(leaf().getPublicKey());
	}

	/**
	 * Explain why an engine refuses the key, if it is not that of the leaf.
	 * @param host the name of the virtual host
	 * @param failure the exception of the engine
	 * @return the exception, or {@code null} if the two belong together, or nobody can
	 * tell
	 */
	public @Nullable TlsSettingException mismatch(String host, Exception failure) {
		if (this.key == null || this.key.getEncoded() == null || PrivateKeys.matches(this.key, leaf().getPublicKey())) {
			return null;
		}
		return new TlsSettingException(SettingName.CERTIFICATE, leaf(),
				new SettingText("the private key of the virtual host '%s' does not belong to the certificate '%s'",
						host, leaf().getSubjectX500Principal().getName()),
				new SettingText("Use the private key that the certificate was issued for"), failure);
	}

	/**
	 * Add the key and its certificates to a context of OpenSSL.
	 * @param context the address of the context
	 * @param index any free place in Tomcat Native: OpenSSL itself sorts keys by their
	 * type
	 * @throws Exception if OpenSSL refuses them
	 */
	public void addTo(long context, int index) throws Exception {
		if (this.key == null || this.key.getEncoded() == null) {
			throw new GeneralSecurityException("The private key cannot be exported");
		}
		byte[] pem = PemBlocks.bytes(this.key);
		try {
			SSLContext.setCertificateRaw(context, leaf().getEncoded(), pem, index);
		}
		finally {
			Arrays.fill(pem, (byte) 0);
		}
		for (X509Certificate issuer : this.chain.subList(1, this.chain.size())) {
			SSLContext.addChainCertificateRaw(context, issuer.getEncoded());
		}
	}

	/**
	 * Return the names of the certificates only, so that the private key is not shown.
	 */
	@Override
	public String toString() {
		return "HostKey[chain=%s]".formatted(
				this.chain.stream().map((certificate) -> certificate.getSubjectX500Principal().getName()).toList());
	}

}
