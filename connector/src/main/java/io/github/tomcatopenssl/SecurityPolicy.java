// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import org.apache.tomcat.util.net.openssl.ciphers.Cipher;

/**
 * Named policies for TLS: what a standard or a guideline allows a server to negotiate and
 * which certificates it may use. Each one is a table of values. Where a source allows
 * suites without forward secrecy or without authenticated encryption, they are left out.
 */
public enum SecurityPolicy {

	/**
	 * Mozilla's guideline 6.0 of 2026-04-06, configuration "intermediate"
	 * (ssl-config.mozilla.org/guidelines/6.0.json), with the stronger SHA-2 digests for
	 * RSA signatures as well.
	 */
	INTERMEDIATE("Mozilla's guideline 6.0 of 2026-04-06, 'intermediate'", Versions.FROM_1_2,
			Suites.TLS_1_2_WITH_CHACHA20, Suites.TLS_1_3_WITH_CHACHA20, Groups.MOZILLA,
			Schemes.join(Schemes.ECDSA_TO_P384, Schemes.join(Schemes.PSS_RSAE, Schemes.PKCS1)),
			Schemes.join(Schemes.ECDSA, Schemes.PKCS1), new Keys(2048, Groups.TO_P384)),

	/**
	 * Mozilla's guideline 6.0 of 2026-04-06, configuration "modern"
	 * (ssl-config.mozilla.org/guidelines/6.0.json): TLS 1.3 and ECDSA only.
	 */
	MODERN("Mozilla's guideline 6.0 of 2026-04-06, 'modern'", Versions.ONLY_1_3, List.of(),
			Suites.TLS_1_3_WITH_CHACHA20, Groups.MOZILLA, Schemes.ECDSA_TO_P384, Schemes.ECDSA,
			new Keys(0, Groups.TO_P384)),

	/**
	 * NIST SP 800-52 Revision 2 of August 2019: versions (3.1), certificates with at
	 * least 112 bits of security (3.2.1), suites of NIST-approved algorithms (3.3.1), the
	 * curves of SP 800-56A (3.4.2). Hybrids with ML-KEM are not in this revision.
	 */
	NIST_SP_800_52R2("NIST SP 800-52 Rev. 2 of August 2019", Versions.FROM_1_2, Suites.TLS_1_2, Suites.TLS_1_3,
			Groups.NIST, Schemes.SHA_2, Schemes.SHA_2, new Keys(2048, Groups.NIST)),

	/**
	 * The CNSA 2.0 profile for TLS 1.3 of the NSA (draft-becker-cnsa2-tls-profile-05 of
	 * 2026-07-19): ML-KEM-1024 alone, ML-DSA-87 alone, AES-256 with SHA-384. Hybrids and
	 * the algorithms of CNSA 1.0 are not in it.
	 */
	CNSA_2("CNSA 2.0, draft-becker-cnsa2-tls-profile-05 of 2026-07-19", Versions.ONLY_1_3, List.of(),
			List.of(Cipher.TLS_AES_256_GCM_SHA384), List.of(KeyExchangeGroup.MLKEM1024),
			List.of(SignatureScheme.MLDSA87), List.of(SignatureScheme.MLDSA87), new Keys(0, List.of())),

	/**
	 * BSI TR-02102-2, version 2026-01 of 2026-01-23: suites, groups and signature
	 * algorithms (3.3 for TLS 1.2, 3.4 for TLS 1.3), and lengths of keys (3.6).
	 * RSASSA-PKCS1-v1_5 was recommended until 2025. The values are those of the tables of
	 * an earlier version that are still valid. They have no hybrids with ML-KEM.
	 */
	BSI_TR_02102_2("BSI TR-02102-2, version 2026-01", Versions.FROM_1_2, Suites.TLS_1_2, Suites.TLS_1_3, Groups.BSI,
			Schemes.join(Schemes.ECDSA, Schemes.PSS), Schemes.join(Schemes.ECDSA, Schemes.PSS),
			new Keys(3000, Groups.NIST)),

	/**
	 * PCI DSS 4.0.1 of June 2024, requirement 4.2.1: no insecure version, algorithm, key
	 * size or fallback, and the strong cryptography of its glossary, which has at least
	 * 112 bits (RSA from 2048 bits, elliptic curves from 224).
	 */
	PCI_DSS_4("PCI DSS 4.0.1 of June 2024, requirement 4.2.1", Versions.FROM_1_2, Suites.TLS_1_2_WITH_CHACHA20,
			Suites.TLS_1_3_WITH_CHACHA20, Groups.MOZILLA_AND_P521, Schemes.SHA_2, Schemes.SHA_2,
			new Keys(2048, Groups.NIST));

	private final String source;

	private final List<ProtocolVersion> versions;

	private final List<Cipher> ciphers;

	private final List<Cipher> cipherSuites;

	private final List<KeyExchangeGroup> groups;

	private final List<SignatureScheme> signatures;

	private final List<SignatureScheme> certificateSignatures;

	private final Keys keys;

	SecurityPolicy(String source, List<ProtocolVersion> versions, List<Cipher> ciphers, List<Cipher> cipherSuites,
			List<KeyExchangeGroup> groups, List<SignatureScheme> signatures,
			List<SignatureScheme> certificateSignatures, Keys keys) {
		this.source = source;
		this.versions = versions;
		this.ciphers = ciphers;
		this.cipherSuites = cipherSuites;
		this.groups = groups;
		this.signatures = signatures;
		this.certificateSignatures = certificateSignatures;
		this.keys = keys;
	}

	/**
	 * Return the document that the policy follows.
	 * @return its name, edition and date
	 */
	public String source() {
		return this.source;
	}

	/**
	 * Return the versions of TLS.
	 * @return the versions, the lowest one first
	 */
	public List<ProtocolVersion> versions() {
		return this.versions;
	}

	/**
	 * Return the cipher suites of TLS 1.2.
	 * @return the suites, the preferred one first
	 */
	public List<Cipher> ciphers() {
		return this.ciphers;
	}

	/**
	 * Return the cipher suites of TLS 1.3.
	 * @return the suites, the preferred one first
	 */
	public List<Cipher> cipherSuites() {
		return this.cipherSuites;
	}

	/**
	 * Return the groups of the key exchange.
	 * @return the groups, the preferred one first
	 */
	public List<KeyExchangeGroup> groups() {
		return this.groups;
	}

	/**
	 * Return the signature algorithms of handshakes.
	 * @return the algorithms
	 */
	public List<SignatureScheme> signatures() {
		return this.signatures;
	}

	/**
	 * Return the algorithms of the signatures of certificates. The curve of an ECDSA
	 * signature does not count, as in TLS 1.2.
	 * @return the algorithms
	 */
	public List<SignatureScheme> certificateSignatures() {
		return this.certificateSignatures;
	}

	/**
	 * Return the keys that certificates may have, besides ML-DSA keys, whose sizes are
	 * those of their {@linkplain #certificateSignatures() signatures}.
	 * @return the keys
	 */
	public Keys keys() {
		return this.keys;
	}

	/**
	 * Return the name of the policy.
	 * @return the name, as it is written in a configuration
	 */
	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * The keys that certificates may have.
	 *
	 * @param minimumRsaBits the minimum size of an RSA key in bits, or 0 if no RSA key is
	 * allowed
	 * @param curves the curves of EC keys
	 */
	public record Keys(int minimumRsaBits, List<KeyExchangeGroup> curves) {

	}

	private static final class Versions {

		static final List<ProtocolVersion> FROM_1_2 = List.of(ProtocolVersion.TLS_1_2, ProtocolVersion.TLS_1_3);

		static final List<ProtocolVersion> ONLY_1_3 = List.of(ProtocolVersion.TLS_1_3);

	}

	private static final class Suites {

		static final List<Cipher> TLS_1_2 = List.of(Cipher.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
				Cipher.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, Cipher.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
				Cipher.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384);

		static final List<Cipher> TLS_1_2_WITH_CHACHA20 = Stream
			.concat(TLS_1_2.stream(), Stream.of(Cipher.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
					Cipher.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256))
			.toList();

		static final List<Cipher> TLS_1_3 = List.of(Cipher.TLS_AES_128_GCM_SHA256, Cipher.TLS_AES_256_GCM_SHA384);

		static final List<Cipher> TLS_1_3_WITH_CHACHA20 = List.of(Cipher.TLS_AES_128_GCM_SHA256,
				Cipher.TLS_AES_256_GCM_SHA384, Cipher.TLS_CHACHA20_POLY1305_SHA256);

	}

	private static final class Groups {

		static final List<KeyExchangeGroup> TO_P384 = List.of(KeyExchangeGroup.SECP256R1, KeyExchangeGroup.SECP384R1);

		static final List<KeyExchangeGroup> NIST = List.of(KeyExchangeGroup.SECP256R1, KeyExchangeGroup.SECP384R1,
				KeyExchangeGroup.SECP521R1);

		static final List<KeyExchangeGroup> MOZILLA = List.of(KeyExchangeGroup.X25519MLKEM768, KeyExchangeGroup.X25519,
				KeyExchangeGroup.SECP256R1, KeyExchangeGroup.SECP384R1);

		static final List<KeyExchangeGroup> MOZILLA_AND_P521 = Stream
			.concat(MOZILLA.stream(), Stream.of(KeyExchangeGroup.SECP521R1))
			.toList();

		static final List<KeyExchangeGroup> BSI = Stream
			.concat(NIST.stream(),
					Stream.of(KeyExchangeGroup.BRAINPOOLP256R1, KeyExchangeGroup.BRAINPOOLP384R1,
							KeyExchangeGroup.BRAINPOOLP512R1, KeyExchangeGroup.FFDHE3072, KeyExchangeGroup.FFDHE4096))
			.toList();

	}

	private static final class Schemes {

		static final List<SignatureScheme> ECDSA_TO_P384 = List.of(SignatureScheme.ECDSA_SECP256R1_SHA256,
				SignatureScheme.ECDSA_SECP384R1_SHA384);

		static final List<SignatureScheme> ECDSA = List.of(SignatureScheme.ECDSA_SECP256R1_SHA256,
				SignatureScheme.ECDSA_SECP384R1_SHA384, SignatureScheme.ECDSA_SECP521R1_SHA512);

		static final List<SignatureScheme> PSS_RSAE = List.of(SignatureScheme.RSA_PSS_RSAE_SHA256,
				SignatureScheme.RSA_PSS_RSAE_SHA384, SignatureScheme.RSA_PSS_RSAE_SHA512);

		static final List<SignatureScheme> PSS = join(PSS_RSAE, List.of(SignatureScheme.RSA_PSS_PSS_SHA256,
				SignatureScheme.RSA_PSS_PSS_SHA384, SignatureScheme.RSA_PSS_PSS_SHA512));

		static final List<SignatureScheme> PKCS1 = List.of(SignatureScheme.RSA_PKCS1_SHA256,
				SignatureScheme.RSA_PKCS1_SHA384, SignatureScheme.RSA_PKCS1_SHA512);

		static final List<SignatureScheme> SHA_2 = join(ECDSA, join(PSS, PKCS1));

		static List<SignatureScheme> join(List<SignatureScheme> some, List<SignatureScheme> others) {
			return Stream.concat(some.stream(), others.stream()).toList();
		}

	}

}
