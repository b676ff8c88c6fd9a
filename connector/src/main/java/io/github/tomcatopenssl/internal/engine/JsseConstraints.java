// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.security.AlgorithmConstraints;
import java.security.AlgorithmParameters;
import java.security.CryptoPrimitive;
import java.security.Key;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.internal.host.TlsPolicy;
import org.jspecify.annotations.Nullable;

/**
 * Limits JSSE to the signature algorithms and groups of a policy. Java 17 has no setter
 * for either, but it asks the constraints about each of them by its name.
 */
final class JsseConstraints implements AlgorithmConstraints {

	/**
	 * The names of the signature algorithms of handshakes, which are those of the TLS
	 * registry. Those of certificates are others, such as {@code SHA256withRSA}.
	 */
	private static final Pattern SIGNATURE = Pattern.compile("((rsa|ecdsa|dsa)_\\w+|ed25519|ed448|mldsa\\d+)",
			Pattern.CASE_INSENSITIVE);

	private static final Pattern GROUP = Pattern.compile("(sec[pt]|x25519|x448|ffdhe|brainpool|mlkem).*",
			Pattern.CASE_INSENSITIVE);

	private final Set<String> signatures = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

	private final Set<String> groups = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

	private JsseConstraints(TlsPolicy policy) {
		policy.signatures().forEach((signature) -> this.signatures.add(signature.toString()));
		if (policy.groups() != null) {
			policy.groups().forEach((group) -> this.groups.add(group.toString()));
		}
	}

	/**
	 * Return the constraints of a policy.
	 * @param policy the policy
	 * @return the constraints, or {@code null} if the policy leaves the signature
	 * algorithms to the engine
	 */
	static @Nullable AlgorithmConstraints of(TlsPolicy policy) {
		return policy.signatures().isEmpty() ? null : new JsseConstraints(policy);
	}

	@Override
	public boolean permits(Set<CryptoPrimitive> primitives, String algorithm,
			@Nullable AlgorithmParameters parameters) {
		if (primitives.contains(CryptoPrimitive.SIGNATURE)) {
			return !SIGNATURE.matcher(algorithm).matches() || this.signatures.contains(algorithm);
		}
		return this.groups.isEmpty() || !GROUP.matcher(algorithm).matches() || this.groups.contains(algorithm);
	}

	@Override
	public boolean permits(Set<CryptoPrimitive> primitives, Key key) {
		return true;
	}

	@Override
	public boolean permits(Set<CryptoPrimitive> primitives, String algorithm, Key key,
			@Nullable AlgorithmParameters parameters) {
		return permits(primitives, algorithm, parameters);
	}

}
