// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

import io.github.tomcatopenssl.internal.host.HostKey;
import org.jspecify.annotations.Nullable;

/**
 * Gives JSSE the keys of a host, of which it chooses the one that fits a client. An alias
 * is the index of a key.
 */
final class HostKeyManager extends X509ExtendedKeyManager {

	/**
	 * The names of signature algorithms, by the type of key that makes them.
	 */
	private static final Map<String, Pattern> SIGNATURES = Map.of("EC", Pattern.compile(".*withECDSA"), "RSA",
			Pattern.compile(".*withRSA|RSASSA-PSS"), "RSASSA-PSS", Pattern.compile("RSASSA-PSS"), "EdDSA",
			Pattern.compile("Ed25519|Ed448|EdDSA"));

	private final List<HostKey> keys;

	HostKeyManager(List<HostKey> keys) {
		this.keys = keys;
	}

	@Override
	public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
		List<String> aliases = new ArrayList<>();
		for (int i = 0; i < this.keys.size(); i++) {
			if (this.keys.get(i).leaf().getPublicKey().getAlgorithm().equals(keyType)) {
				aliases.add(String.valueOf(i));
			}
		}
		return aliases.isEmpty() ? null : aliases.toArray(String[]::new);
	}

	@Override
	public @Nullable String chooseEngineServerAlias(String keyType, Principal @Nullable [] issuers,
			@Nullable SSLEngine engine) {
		String[] aliases = isVerifiable(keyType, engine) ? getServerAliases(keyType, issuers) : null;
		return (aliases != null) ? aliases[0] : null;
	}

	// Before TLS 1.3, JSSE chooses by the cipher suite alone, and ends the handshake if
	// the client cannot verify a signature of the key (RFC 5246, 7.4.2)
	private static boolean isVerifiable(String keyType, @Nullable SSLEngine engine) {
		if (engine == null || !(engine.getHandshakeSession() instanceof ExtendedSSLSession session)) {
			return true;
		}
		Pattern signatures = SIGNATURES.get(keyType);
		String[] offered = session.getPeerSupportedSignatureAlgorithms();
		return signatures == null || offered == null || offered.length == 0
				|| Arrays.stream(offered).anyMatch((name) -> signatures.matcher(name).matches());
	}

	@Override
	public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
		return chooseEngineServerAlias(keyType, issuers, null);
	}

	@Override
	public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
		return null;
	}

	@Override
	public @Nullable String chooseClientAlias(String[] keyType, Principal @Nullable [] issuers,
			@Nullable Socket socket) {
		return null;
	}

	@Override
	public X509Certificate[] getCertificateChain(String alias) {
		return this.keys.get(Integer.parseInt(alias)).chain().toArray(X509Certificate[]::new);
	}

	@Override
	public @Nullable PrivateKey getPrivateKey(String alias) {
		return this.keys.get(Integer.parseInt(alias)).key();
	}

}
