// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.net.Socket;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import javax.security.auth.x500.X500Principal;

import org.jspecify.annotations.Nullable;

/**
 * Accepts a client only if a policy also allows all certificates that it has sent, and
 * the CAs that issued them.
 *
 * @param manager verifies the client
 * @param rules the rules of the policy
 */
record PolicyTrustManager(X509TrustManager manager, CertificateRules rules) implements X509TrustManager {

	/**
	 * Return a trust manager that also enforces a policy. JSSE itself checks the
	 * algorithms of a chain if the trust manager is not an extended one.
	 * @param manager the trust manager
	 * @param rules the rules of the policy
	 * @return the trust manager
	 */
	static X509TrustManager of(X509TrustManager manager, CertificateRules rules) {
		PolicyTrustManager plain = new PolicyTrustManager(manager, rules);
		return (manager instanceof X509ExtendedTrustManager extended) ? new Extended(extended, plain) : plain;
	}

	@Override
	public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
		this.manager.checkClientTrusted(chain, authType);
		requireAllowed(chain);
	}

	private void requireAllowed(X509Certificate[] chain) throws CertificateException {
		String violation = this.rules.violation(List.of(chain));
		if (violation == null) {
			violation = issuerViolation(chain);
		}
		if (violation != null) {
			throw new CertificateException(
					"The policy '%s' (%s) refuses the client: %s".formatted(this.rules.policy(),
							this.rules.policy().source(), violation),
					new CertPathValidatorException(violation, null, null, -1, BasicReason.ALGORITHM_CONSTRAINED));
		}
	}

	// A trust manager of the user's may get other CAs after the start
	private @Nullable String issuerViolation(X509Certificate[] chain) {
		Set<X500Principal> names = Arrays.stream(chain)
			.map(X509Certificate::getIssuerX500Principal)
			.collect(Collectors.toSet());
		return Arrays.stream(getAcceptedIssuers())
			.filter((issuer) -> names.contains(issuer.getSubjectX500Principal()))
			.map((issuer) -> this.rules.violation(issuer, false))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	@Override
	public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
		this.manager.checkServerTrusted(chain, authType);
	}

	@Override
	public X509Certificate[] getAcceptedIssuers() {
		return this.manager.getAcceptedIssuers();
	}

	private static final class Extended extends X509ExtendedTrustManager {

		private final X509ExtendedTrustManager manager;

		private final PolicyTrustManager plain;

		Extended(X509ExtendedTrustManager manager, PolicyTrustManager plain) {
			this.manager = manager;
			this.plain = plain;
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
			this.plain.checkClientTrusted(chain, authType);
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
				throws CertificateException {
			this.manager.checkClientTrusted(chain, authType, engine);
			this.plain.requireAllowed(chain);
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
				throws CertificateException {
			this.manager.checkClientTrusted(chain, authType, socket);
			this.plain.requireAllowed(chain);
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
			this.manager.checkServerTrusted(chain, authType);
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
				throws CertificateException {
			this.manager.checkServerTrusted(chain, authType, engine);
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
				throws CertificateException {
			this.manager.checkServerTrusted(chain, authType, socket);
		}

		@Override
		public X509Certificate[] getAcceptedIssuers() {
			return this.manager.getAcceptedIssuers();
		}

	}

}
