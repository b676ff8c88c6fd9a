// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SignatureScheme;
import org.apache.tomcat.util.net.openssl.ciphers.Authentication;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.jspecify.annotations.Nullable;

/**
 * Finds the handshakes of a virtual host that a policy would refuse, although another one
 * is in force. What the policy allows is prepared as numbers of the TLS registry.
 */
public final class PolicyPreview {

	private static final int TLS_1_3 = ProtocolVersion.TLS_1_3.id();

	private static final Set<Integer> HYBRID = Set.of(KeyExchangeGroup.X25519MLKEM768.id());

	private final CertificateRules rules;

	private final @Nullable String violation;

	private final Set<Integer> versions;

	private final Set<Integer> ciphers;

	private final Set<Integer> cipherSuites;

	private final Set<Integer> groups;

	private final Set<Integer> signaturesOfTls12;

	private final Set<Integer> signaturesOfTls13;

	/**
	 * Create the preview of a host.
	 * @param policy the policy
	 * @param keys the keys of the host
	 */
	public PolicyPreview(SecurityPolicy policy, List<HostKey> keys) {
		this.rules = new CertificateRules(policy);
		this.violation = keys.stream()
			.map((key) -> this.rules.violation(key.chain()))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
		this.versions = policy.versions().stream().map(ProtocolVersion::id).collect(Collectors.toUnmodifiableSet());
		this.ciphers = policy.ciphers()
			.stream()
			.filter((cipher) -> keys.isEmpty() || keys.stream().anyMatch((key) -> fits(cipher, key)))
			.map(Cipher::getId)
			.collect(Collectors.toUnmodifiableSet());
		this.cipherSuites = policy.cipherSuites().stream().map(Cipher::getId).collect(Collectors.toUnmodifiableSet());
		this.groups = policy.groups().stream().map(KeyExchangeGroup::id).collect(Collectors.toUnmodifiableSet());
		this.signaturesOfTls12 = signatures(policy, keys, false);
		this.signaturesOfTls13 = signatures(policy, keys, true);
	}

	static boolean fits(Cipher cipher, HostKey key) {
		boolean rsa = key.type() == KeyType.RSA || key.type() == KeyType.RSA_PSS;
		return rsa == (cipher.getAu() == Authentication.RSA);
	}

	// A certificate that the policy does not allow is a reason of its own
	private static Set<Integer> signatures(SecurityPolicy policy, List<HostKey> keys, boolean tls13) {
		Collection<SignatureScheme> usable = policy.signatures()
			.stream()
			.filter((scheme) -> keys.stream().anyMatch((key) -> Signatures.isUsable(scheme, key, tls13)))
			.toList();
		return (usable.isEmpty() ? policy.signatures() : usable).stream()
			.map(SignatureScheme::id)
			.collect(Collectors.toUnmodifiableSet());
	}

	/**
	 * Return which certificate of the host the policy does not allow.
	 * @return a clause, or {@code null} if it allows all of them
	 */
	public @Nullable String violation() {
		return this.violation;
	}

	/**
	 * Return why the policy would refuse a handshake.
	 * @param offer what the client offers
	 * @param client the certificates of the client
	 * @return the first reason, or {@code null} if it would accept the handshake
	 */
	public @Nullable Refusal refusal(Offer offer, X509Certificate[] client) {
		if (!has(offer.versions(), this.versions)) {
			return Refusal.PROTOCOL_VERSION;
		}
		boolean tls13 = this.versions.contains(TLS_1_3) && has(offer.versions(), Set.of(TLS_1_3));
		if (!has(offer.suites(), tls13 ? this.cipherSuites : this.ciphers)) {
			return Refusal.SUITE;
		}
		if (!has(offer.groups(), this.groups) && (tls13 || offer.groups().length > 0)) {
			return Refusal.GROUP;
		}
		// Without a list, a client of TLS 1.2 has only SHA-1 (RFC 5246, 7.4.1.4.1)
		if (!has(offer.signatures(), tls13 ? this.signaturesOfTls13 : this.signaturesOfTls12)) {
			return Refusal.SIGNATURE_ALGORITHM;
		}
		if (client.length > 0 && this.rules.violation(List.of(client)) != null) {
			return Refusal.CLIENT_CERTIFICATE;
		}
		return (this.violation != null) ? Refusal.SERVER_CERTIFICATE : null;
	}

	/**
	 * Return what a client lacks for TLS 1.3 with X25519MLKEM768.
	 * @param offer what the client offers
	 * @return the version, the group, or {@code null} if it offers both
	 */
	public static @Nullable Refusal classical(Offer offer) {
		if (!has(offer.versions(), Set.of(TLS_1_3))) {
			return Refusal.PROTOCOL_VERSION;
		}
		return has(offer.groups(), HYBRID) ? null : Refusal.GROUP;
	}

	private static boolean has(int[] offered, Set<Integer> allowed) {
		return Arrays.stream(offered).anyMatch(allowed::contains);
	}

	/**
	 * What a client offers, as numbers of the TLS registry.
	 *
	 * @param versions the versions
	 * @param suites the cipher suites
	 * @param groups the groups
	 * @param signatures the signature algorithms
	 */
	public record Offer(int[] versions, int[] suites, int[] groups, int[] signatures) {

	}

	/**
	 * The reasons, in the order in which they count. Those of the client come first.
	 */
	public enum Refusal {

		/**
		 * The client offers none of the versions.
		 */
		PROTOCOL_VERSION,

		/**
		 * The client offers none of the cipher suites.
		 */
		SUITE,

		/**
		 * The client offers none of the groups.
		 */
		GROUP,

		/**
		 * The client offers none of the signature algorithms.
		 */
		SIGNATURE_ALGORITHM,

		/**
		 * A certificate that the client has sent is not allowed.
		 */
		CLIENT_CERTIFICATE,

		/**
		 * A certificate of the server is not allowed.
		 */
		SERVER_CERTIFICATE;

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT).replace('_', ' ');
		}

	}

}
