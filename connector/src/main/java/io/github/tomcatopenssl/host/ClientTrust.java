// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BinaryOperator;

/**
 * The trust settings of a virtual host, against which it verifies its clients. After a
 * reload that changes none of them, the new instance is equal to the old one.
 *
 * @param anchors the CAs; empty unless they alone decide
 * @param verifier what decides in place of the CAs, such as a trust manager of the user
 * @param proxies those of the CAs whose certificates make a client a proxy
 */
public record ClientTrust(Set<X509Certificate> anchors, Object verifier, Set<X509Certificate> proxies) {

	/**
	 * Stands for a verifier that only reads the anchors.
	 */
	private static final Object ANCHORS = "anchors";

	/**
	 * Stands for no verifier.
	 */
	private static final Object NOBODY = "nobody";

	static ClientTrust inAnchors(X509Certificate[] anchors) {
		return inAnchors(anchors, List.of());
	}

	static ClientTrust inAnchors(X509Certificate[] anchors, Collection<X509Certificate> proxies) {
		return new ClientTrust(Set.copyOf(Arrays.asList(anchors)), ANCHORS, Set.copyOf(proxies));
	}

	static ClientTrust inVerifier(Object verifier) {
		return new ClientTrust(Set.of(), verifier, Set.of());
	}

	static ClientTrust inAnyone() {
		return inVerifier(NOBODY);
	}

	/**
	 * Return whether the issuer of a certificate is verified.
	 * @return whether it is; OpenSSL does not verify it for {@code optionalNoCA}
	 */
	public boolean isVerified() {
		return !this.verifier.equals(NOBODY);
	}

	/**
	 * Return whether every client that was trusted before a reload still is.
	 * @param previous what the virtual host trusted
	 * @return whether no CA was taken away, and the proxies' CAs are the same
	 */
	public boolean includes(ClientTrust previous) {
		return this.verifier.equals(previous.verifier) && this.anchors.containsAll(previous.anchors)
				&& this.proxies.equals(previous.proxies);
	}

	/**
	 * Return whether a client that was verified is a proxy.
	 * @param chain the certificates that the client has sent, its own first
	 * @return whether a chain leads to a CA of proxies
	 */
	public boolean isProxy(X509Certificate[] chain) {
		return leadTo(this.proxies, chain);
	}

	/**
	 * Return whether a proxy that was verified could be a client as well.
	 * @param chain the certificates that the proxy has sent, its own first
	 * @return whether another chain leads to a CA that is not one of proxies
	 */
	public boolean isClientToo(X509Certificate[] chain) {
		Set<X509Certificate> others = new HashSet<>(this.anchors);
		others.removeAll(this.proxies);
		return leadTo(others, chain);
	}

	/**
	 * Return whether a client that was verified before a reload is still trusted. Its
	 * certificates are not checked for revocation.
	 * @param chain the certificates that the client has sent, its own first
	 * @return whether a chain leads to a CA
	 */
	public boolean accepts(X509Certificate[] chain) {
		return leadTo(this.anchors, chain);
	}

	private static boolean leadTo(Set<X509Certificate> anchors, X509Certificate[] chain) {
		if (anchors.isEmpty()) {
			return false;
		}
		try {
			TrustAnchors.Path path = new TrustAnchors(anchors, InstantSource.system()).find(chain);
			if (!path.certificates().isEmpty()) {
				PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(path.anchor(), null)));
				parameters.setRevocationEnabled(false);
				CertPathValidator.getInstance("PKIX")
					.validate(CertificateFactory.getInstance("X.509").generateCertPath(path.certificates()),
							parameters);
			}
			return true;
		}
		catch (GeneralSecurityException | RuntimeException ex) {
			return false;
		}
	}

	/**
	 * Return when the first certificate expires that a verified client depends on. What
	 * the client has sent besides its chain, such as another certificate of a CA, does
	 * not count.
	 * @param chain the certificates that the client has sent, its own first
	 * @return the end of the client's certificate, of an intermediate certificate, or of
	 * the CA
	 */
	public Instant endOf(X509Certificate[] chain) {
		try {
			TrustAnchors.Path path = new TrustAnchors(this.anchors, InstantSource.system()).find(chain);
			return path.certificates()
				.stream()
				.map(ClientTrust::end)
				.reduce(end(path.anchor()), BinaryOperator.minBy(Comparator.naturalOrder()));
		}
		catch (CertificateException ex) {
			// A verifier of the user's has accepted it, and knows the CA
			return endOfSent(chain);
		}
	}

	private static Instant endOfSent(X509Certificate[] chain) {
		X509Certificate certificate = chain[0];
		Instant end = end(certificate);
		for (int i = 1; i < chain.length; i++) {
			X509Certificate issued = certificate;
			X509Certificate issuer = Arrays.stream(chain)
				.filter((candidate) -> candidate != issued && TrustAnchors.isIssuer(candidate, issued))
				.max(Comparator.comparing(X509Certificate::getNotAfter))
				.orElse(null);
			if (issuer == null) {
				break;
			}
			end = end(issuer).isBefore(end) ? end(issuer) : end;
			certificate = issuer;
		}
		return end;
	}

	private static Instant end(X509Certificate certificate) {
		return certificate.getNotAfter().toInstant();
	}

}
