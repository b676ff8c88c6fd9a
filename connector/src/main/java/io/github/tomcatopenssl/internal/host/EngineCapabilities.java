// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.SignatureScheme;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;

/**
 * What a TLS engine can do, as far as the rules for hosts depend on it.
 *
 * @param name the name of the engine
 * @param groups the groups that it supports; empty if they cannot be configured
 * @param signatures the signature algorithms that it supports in handshakes
 * @param suites the cipher suites that it has
 * @param versions the versions of TLS that it negotiates by default
 * @param versionsWithoutSecurityLevel the versions that it negotiates if the security
 * level of OpenSSL does not keep it from doing so, and what else it counts as one
 * @param versionGaps whether it can leave out a version between two others
 * @param curveInTls12 whether the curve of an ECDSA key has to be the one that the
 * signature algorithm names also up to TLS 1.2
 * @param sharedTicketKeys whether replicas can share the keys of session tickets
 */
public record EngineCapabilities(String name, Set<KeyExchangeGroup> groups, Set<SignatureScheme> signatures,
		Set<Cipher> suites, List<ProtocolVersion> versions, List<ProtocolVersion> versionsWithoutSecurityLevel,
		boolean versionGaps, boolean curveInTls12, boolean sharedTicketKeys) {

	/**
	 * Create the capabilities with unmodifiable copies of the collections, in their
	 * order.
	 */
	public EngineCapabilities {
		groups = Collections.unmodifiableSet(new LinkedHashSet<>(groups));
		signatures = Collections.unmodifiableSet(new LinkedHashSet<>(signatures));
		suites = Set.copyOf(suites);
		versions = List.copyOf(versions);
		versionsWithoutSecurityLevel = List.copyOf(versionsWithoutSecurityLevel);
	}

}
