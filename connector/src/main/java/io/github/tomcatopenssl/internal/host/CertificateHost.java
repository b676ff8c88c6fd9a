// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.io.ByteArrayInputStream;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.github.tomcatopenssl.TlsSettingException;
import org.jspecify.annotations.Nullable;

/**
 * A host that its certificate makes: it serves the names and addresses that the
 * certificate is for. There can be thousands of them, so it keeps its leaf as bytes until
 * a client asks for it.
 */
public final class CertificateHost {

	private final String name;

	private final List<String> serverNames;

	private final Instant notAfter;

	private final List<StoredKey> keys;

	private final Consumer<TlsSettingException> refusal;

	private CertificateHost(String name, List<String> serverNames, Instant notAfter, List<StoredKey> keys,
			Consumer<TlsSettingException> refusal) {
		this.name = name;
		this.serverNames = serverNames;
		this.notAfter = notAfter;
		this.keys = keys;
		this.refusal = refusal;
	}

	/**
	 * Create a host.
	 * @param name its own name, which no other host has and no client can ask for
	 * @param keys its keys, one for each type, at least one
	 * @param refusal is told the reason if the host turns out to be unusable after it was
	 * added, and is removed
	 * @return the host
	 * @throws IllegalArgumentException if a certificate is for no name that a client can
	 * ask for, and for no address
	 */
	public static CertificateHost of(String name, List<HostKey> keys, Consumer<TlsSettingException> refusal) {
		List<String> serverNames = keys.stream().flatMap((key) -> HostNames.served(key.leaf())).distinct().toList();
		if (serverNames.isEmpty()) {
			throw new IllegalArgumentException("the certificate '%s' is for no host name and no address"
				.formatted(keys.get(0).leaf().getSubjectX500Principal().getName()));
		}
		Instant notAfter = keys.stream()
			.map((key) -> key.leaf().getNotAfter().toInstant())
			.min(Instant::compareTo)
			.orElseThrow();
		return new CertificateHost(name, serverNames, notAfter, keys.stream().map(StoredKey::of).toList(), refusal);
	}

	/**
	 * Return the host's own name.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Return the names and addresses that the certificate is for.
	 * @return their canonical forms, which may start with a wildcard
	 */
	public List<String> serverNames() {
		return this.serverNames;
	}

	/**
	 * Return the names and addresses that the certificate is for, as a set.
	 * @return the set
	 */
	public HostNames names() {
		return new HostNames(Set.copyOf(this.serverNames));
	}

	/**
	 * Return whether the certificate is for a name.
	 * @param serverName the canonical form of the name
	 * @return whether it has the name, or its wildcard
	 */
	public boolean serves(String serverName) {
		return names().contains(serverName);
	}

	/**
	 * Return when the first of its certificates expires.
	 * @return the end of its validity
	 */
	public Instant notAfter() {
		return this.notAfter;
	}

	/**
	 * Return the keys. Their leaves are parsed again.
	 * @return the keys, one for each type
	 */
	public List<HostKey> keys() {
		return this.keys.stream().map(StoredKey::restore).toList();
	}

	/**
	 * Return whether another host has the same name and the same keys with the same
	 * certificates.
	 * @param other the other host
	 * @return whether nothing changes if it takes the place of this one
	 */
	public boolean hasSameContent(CertificateHost other) {
		return this.name.equals(other.name) && hasSameKeys(other);
	}

	/**
	 * Return whether another host has the same keys with the same certificates.
	 * @param other the other host
	 * @return whether clients see no difference
	 */
	boolean hasSameKeys(CertificateHost other) {
		return keys().equals(other.keys());
	}

	void refused(TlsSettingException problem) {
		this.refusal.accept(problem);
	}

	/**
	 * Return whether the host takes precedence over another one for the same name.
	 * @param other the other host, or {@code null} if there is none
	 * @return whether it expires later, or comes first in the alphabet if both expire at
	 * the same time, so that all replicas choose the same
	 */
	boolean precedes(@Nullable CertificateHost other) {
		if (other == null) {
			return true;
		}
		int later = this.notAfter.compareTo(other.notAfter);
		return later > 0 || later == 0 && this.name.compareTo(other.name) <= 0;
	}

	@Override
	public String toString() {
		return "CertificateHost[name=%s, serverNames=%s]".formatted(this.name, this.serverNames);
	}

	/**
	 * A key, whose issuers are objects that hosts have in common.
	 *
	 * @param key the private key
	 * @param leaf the encoded leaf
	 * @param issuers the other certificates of the chain
	 */
	private record StoredKey(@Nullable PrivateKey key, byte[] leaf, List<X509Certificate> issuers) {

		static StoredKey of(HostKey key) {
			try {
				return new StoredKey(key.key(), key.leaf().getEncoded(),
						List.copyOf(key.chain().subList(1, key.chain().size())));
			}
			catch (CertificateEncodingException ex) {
				throw new IllegalArgumentException("the certificate cannot be encoded", ex);
			}
		}

		/**
		 * Return nothing of the key.
		 */
		@Override
		public String toString() {
			return "StoredKey";
		}

		HostKey restore() {
			try {
				List<X509Certificate> chain = new ArrayList<>();
				chain.add((X509Certificate) CertificateFactory.getInstance("X.509")
					.generateCertificate(new ByteArrayInputStream(this.leaf)));
				chain.addAll(this.issuers);
				return new HostKey(this.key, chain);
			}
			catch (CertificateException ex) {
				throw new IllegalStateException("A certificate that was read can no longer be parsed", ex);
			}
		}

	}

}
