// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.library;

import java.util.EnumSet;
import java.util.Set;

import io.github.tomcatopenssl.SignatureScheme;
import org.apache.tomcat.jni.SSL;
import org.apache.tomcat.jni.SSLConf;

/**
 * The signature algorithms that a TLS engine supports.
 */
public final class EngineSignatures {

	private EngineSignatures() {
	}

	/**
	 * Return the signature algorithms of the loaded OpenSSL.
	 * @return the signature algorithms
	 */
	public static Set<SignatureScheme> ofOpenSsl() {
		Set<SignatureScheme> schemes = EnumSet.noneOf(SignatureScheme.class);
		try (TrialContext trial = new TrialContext()) {
			long settings = SSLConf.make(trial.pool(), SSL.SSL_CONF_FLAG_FILE | SSL.SSL_CONF_FLAG_SERVER);
			SSLConf.assign(settings, trial.address());
			for (SignatureScheme scheme : SignatureScheme.values()) {
				if (isAccepted(settings, scheme)) {
					schemes.add(scheme);
				}
			}
			SSLConf.free(settings);
		}
		catch (Exception ex) {
			throw new IllegalStateException("Unable to determine the signature algorithms of OpenSSL", ex);
		}
		return schemes;
	}

	private static boolean isAccepted(long settings, SignatureScheme scheme) {
		try {
			return SSLConf.apply(settings, "SignatureAlgorithms", scheme.toString()) > 0;
		}
		catch (Exception ex) {
			// Tomcat Native throws an exception if OpenSSL does not know the algorithm
			return false;
		}
	}

	/**
	 * Return the signature algorithms of JSSE, which has none of ML-DSA.
	 * @return the signature algorithms
	 */
	public static Set<SignatureScheme> ofJsse() {
		return EnumSet
			.complementOf(EnumSet.of(SignatureScheme.MLDSA44, SignatureScheme.MLDSA65, SignatureScheme.MLDSA87));
	}

}
