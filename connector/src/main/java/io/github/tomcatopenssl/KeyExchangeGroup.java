// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.util.Arrays;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The groups of a key exchange that Tomcat knows, from the TLS registry of supported
 * groups (iana.org/assignments/tls-parameters).
 */
public enum KeyExchangeGroup {

	/**
	 * NIST P-256.
	 */
	SECP256R1(0x0017, "secp256r1"),

	/**
	 * NIST P-384.
	 */
	SECP384R1(0x0018, "secp384r1"),

	/**
	 * NIST P-521.
	 */
	SECP521R1(0x0019, "secp521r1"),

	/**
	 * Brainpool P-256, up to TLS 1.2.
	 */
	BRAINPOOLP256R1(0x001A, "brainpoolP256r1"),

	/**
	 * Brainpool P-384, up to TLS 1.2.
	 */
	BRAINPOOLP384R1(0x001B, "brainpoolP384r1"),

	/**
	 * Brainpool P-512, up to TLS 1.2.
	 */
	BRAINPOOLP512R1(0x001C, "brainpoolP512r1"),

	/**
	 * Curve25519 (RFC 7748).
	 */
	X25519(0x001D, "x25519"),

	/**
	 * Curve448 (RFC 7748).
	 */
	X448(0x001E, "x448"),

	/**
	 * SM2 (RFC 8998).
	 */
	CURVESM2(0x0029, "curveSM2"),

	/**
	 * Finite field of 2048 bits (RFC 7919).
	 */
	FFDHE2048(0x0100, "ffdhe2048"),

	/**
	 * Finite field of 3072 bits (RFC 7919).
	 */
	FFDHE3072(0x0101, "ffdhe3072"),

	/**
	 * Finite field of 4096 bits (RFC 7919).
	 */
	FFDHE4096(0x0102, "ffdhe4096"),

	/**
	 * Finite field of 6144 bits (RFC 7919).
	 */
	FFDHE6144(0x0103, "ffdhe6144"),

	/**
	 * Finite field of 8192 bits (RFC 7919).
	 */
	FFDHE8192(0x0104, "ffdhe8192"),

	/**
	 * ML-KEM-512 (FIPS 203) alone.
	 */
	MLKEM512(0x0200, "MLKEM512"),

	/**
	 * ML-KEM-768 (FIPS 203) alone.
	 */
	MLKEM768(0x0201, "MLKEM768"),

	/**
	 * ML-KEM-1024 (FIPS 203) alone.
	 */
	MLKEM1024(0x0202, "MLKEM1024"),

	/**
	 * Hybrid of NIST P-256 and ML-KEM-768.
	 */
	SECP256R1MLKEM768(0x11EB, "SecP256r1MLKEM768"),

	/**
	 * Hybrid of Curve25519 and ML-KEM-768, the one that browsers offer.
	 */
	X25519MLKEM768(0x11EC, "X25519MLKEM768"),

	/**
	 * Hybrid of NIST P-384 and ML-KEM-1024.
	 */
	SECP384R1MLKEM1024(0x11ED, "SecP384r1MLKEM1024"),

	/**
	 * Hybrid of SM2 and ML-KEM-768.
	 */
	CURVESM2MLKEM768(0x11EE, "curveSM2MLKEM768");

	private final int id;

	private final String registeredName;

	KeyExchangeGroup(int id, String registeredName) {
		this.id = id;
		this.registeredName = registeredName;
	}

	/**
	 * Return the number of the group in the TLS registry.
	 * @return the number
	 */
	public int id() {
		return this.id;
	}

	/**
	 * Return whether the key exchange withstands quantum computers. Such a group requires
	 * TLS 1.3.
	 * @return whether the group uses ML-KEM (FIPS 203), alone or in a hybrid with a curve
	 */
	public boolean isPostQuantum() {
		return this.registeredName.contains("MLKEM");
	}

	/**
	 * Return the group with the given number.
	 * @param id the number in the TLS registry
	 * @return the group, or {@code null} if it is not known here
	 */
	public static @Nullable KeyExchangeGroup of(int id) {
		return Arrays.stream(values()).filter((group) -> group.id == id).findFirst().orElse(null);
	}

	/**
	 * Return the group with the given name, either the one in the TLS registry or another
	 * name of NIST's curves that OpenSSL and NGINX use.
	 * @param name the name, such as {@code X25519MLKEM768}, {@code prime256v1} or
	 * {@code P-256}
	 * @return the group, or {@code null} if it is not known here
	 */
	public static @Nullable KeyExchangeGroup of(String name) {
		String plain = name.strip().replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
		String registered = switch (plain) {
			case "p256", "prime256v1" -> "secp256r1";
			case "p384" -> "secp384r1";
			case "p521" -> "secp521r1";
			default -> plain;
		};
		return Arrays.stream(values())
			.filter((group) -> group.name().equalsIgnoreCase(registered))
			.findFirst()
			.orElse(null);
	}

	/**
	 * Return the name of the group in the TLS registry.
	 * @return the name
	 */
	@Override
	public String toString() {
		return this.registeredName;
	}

}
