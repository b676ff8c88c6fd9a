// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

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
import java.util.Objects;
import java.util.Set;
import java.util.function.BinaryOperator;

import javax.net.ssl.X509TrustManager;

import org.jspecify.annotations.Nullable;

/**
 * The trust settings of a virtual host, against which it verifies its clients. After a
 * reload that changes none of them, the new instance is equal to the old one.
 */
public final class ClientTrust {

	/**
	 * Stands for a verifier that only reads the anchors.
	 */
	private static final Object ANCHORS = "anchors";

	/**
	 * Stands for no verifier.
	 */
	private static final Object NOBODY = "nobody";

	private final TrustAnchors anchors;

	private final TrustAnchors proxies;

	private final TrustAnchors others;

	private final Object verifier;

	private final @Nullable X509TrustManager withoutRevocation;

	/**
	 * Create a new instance.
	 * @param anchors the CAs; empty unless they alone decide
	 * @param verifier what decides in place of the CAs, such as a trust manager of the
	 * user
	 * @param proxies those of the CAs whose certificates make a client a proxy
	 */
	public ClientTrust(Set<X509Certificate> anchors, Object verifier, Set<X509Certificate> proxies) {
		Set<X509Certificate> others = new HashSet<>(anchors);
		others.removeAll(proxies);
		this.anchors = new TrustAnchors(anchors, InstantSource.system());
		this.proxies = new TrustAnchors(proxies, InstantSource.system());
		this.others = new TrustAnchors(others, InstantSource.system());
		this.verifier = verifier;
		this.withoutRevocation = anchors.isEmpty() ? null : this.anchors.withoutRevocation();
	}

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
	 * Return the CAs.
	 * @return the CAs; empty unless they alone decide
	 */
	Set<X509Certificate> anchors() {
		return this.anchors.certificates();
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
		return this.verifier.equals(previous.verifier) && anchors().containsAll(previous.anchors())
				&& this.proxies.certificates().equals(previous.proxies.certificates());
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
		return leadTo(this.others, chain);
	}

	/**
	 * Return whether a client that was verified before a reload is still trusted, by the
	 * rules of a handshake. Its certificates are not checked for revocation.
	 * @param chain the certificates that the client has sent, its own first
	 * @return whether it would be accepted
	 */
	public boolean accepts(X509Certificate[] chain) {
		if (this.withoutRevocation == null) {
			return false;
		}
		try {
			this.withoutRevocation.checkClientTrusted(chain, chain[0].getPublicKey().getAlgorithm());
			return true;
		}
		catch (CertificateException | RuntimeException ex) {
			return false;
		}
	}

	private static boolean leadTo(TrustAnchors anchors, X509Certificate[] chain) {
		if (anchors.certificates().isEmpty()) {
			return false;
		}
		try {
			TrustAnchors.Path path = anchors.find(chain);
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
	 * Return when the first certificate expires that a verified client depends on.
	 * @param chain the certificates that the client has sent, its own first
	 * @return the end of the client's certificate, of an intermediate certificate, or of
	 * the CA
	 */
	public Instant endOf(X509Certificate[] chain) {
		return pathOf(chain).end();
	}

	/**
	 * Return what a verified client depends on. What the client has sent besides its
	 * chain, such as another certificate of a CA, does not count.
	 * @param chain the certificates that the client has sent, its own first
	 * @return the path from the client to its CA
	 */
	public ClientPath pathOf(X509Certificate[] chain) {
		try {
			TrustAnchors.Path path = this.anchors.find(chain);
			return new ClientPath(path.anchor(),
					path.certificates()
						.stream()
						.map(ClientTrust::end)
						.reduce(end(path.anchor()), BinaryOperator.minBy(Comparator.naturalOrder())));
		}
		catch (CertificateException ex) {
			// A verifier of the user's has accepted it, and knows the CA
			return new ClientPath(null, endOfSent(chain));
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

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof ClientTrust trust && includes(trust) && trust.includes(this);
	}

	@Override
	public int hashCode() {
		return Objects.hash(anchors(), this.verifier, this.proxies.certificates());
	}

	private static Instant end(X509Certificate certificate) {
		return certificate.getNotAfter().toInstant();
	}

	/**
	 * What a verified client depends on.
	 *
	 * @param ca the CA, or {@code null} if a verifier of the user's knows it
	 * @param end when the first certificate expires
	 */
	public record ClientPath(@Nullable X509Certificate ca, Instant end) {

	}

}
