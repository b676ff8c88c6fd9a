// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertPathValidatorException.Reason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXReason;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECKey;
import java.security.interfaces.RSAPublicKey;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import javax.security.auth.x500.X500Principal;

import org.jspecify.annotations.Nullable;

/**
 * The CAs that clients are verified against. Java's own search for a path tries every
 * order of the certificates that a client has sent. This class visits each of them once,
 * and has Java verify the one path that it finds.
 */
final class TrustAnchors {

	/**
	 * Maximum number of certificates with the same subject besides the client's own: a
	 * CA's certificate, and one by which another CA has signed its key (cross-signing).
	 */
	private static final int MOST_OF_A_SUBJECT = 2;

	/**
	 * Maximum sizes of an RSA key that verifies a signature, in bits. A signature of the
	 * largest one takes as long to verify as one on P-521. OpenSSL has the same limit for
	 * exponents of large keys ({@code OPENSSL_RSA_MAX_PUBEXP_BITS}).
	 */
	private static final int MOST_RSA_BITS = 8192;

	private static final int MOST_EXPONENT_BITS = 64;

	/**
	 * Maximum size of an elliptic curve, in bits: that of P-521.
	 */
	private static final int MOST_CURVE_BITS = 521;

	/**
	 * Indexes of the key usages with which a client signs a handshake, and a CA
	 * certificates (RFC 5280, 4.2.1.3).
	 */
	private static final int DIGITAL_SIGNATURE = 0;

	private static final int CERTIFICATE_SIGNATURE = 5;

	private final Set<X509Certificate> certificates;

	private final Map<X500Principal, List<X509Certificate>> bySubject;

	private final InstantSource clock;

	TrustAnchors(Collection<X509Certificate> certificates, InstantSource clock) {
		this.certificates = Set.copyOf(certificates);
		this.bySubject = this.certificates.stream()
			.collect(Collectors.groupingBy(X509Certificate::getSubjectX500Principal));
		this.clock = clock;
	}

	Set<X509Certificate> certificates() {
		return this.certificates;
	}

	/**
	 * Return a trust manager that has another one verify a single path.
	 * @param manager verifies paths to these CAs
	 * @return the trust manager
	 */
	X509TrustManager verifiedBy(X509TrustManager manager) {
		return CheckedTrustManager.of(manager, (chain, verification) -> verification.run(path(chain)));
	}

	X509TrustManager withoutRevocation() {
		try {
			PKIXBuilderParameters parameters = new PKIXBuilderParameters(this.certificates.stream()
				.map((certificate) -> new TrustAnchor(certificate, null))
				.collect(Collectors.toSet()), null);
			parameters.setRevocationEnabled(false);
			TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
			factory.init(new CertPathTrustManagerParameters(parameters));
			return verifiedBy((X509TrustManager) factory.getTrustManagers()[0]);
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return a trust manager of the user's, whose search for a path is bounded.
	 * @param manager the trust manager
	 * @return the trust manager
	 */
	static X509TrustManager bounded(X509TrustManager manager) {
		return CheckedTrustManager.of(manager, (chain, verification) -> {
			issuers(chain);
			verification.run(chain);
		});
	}

	private X509Certificate[] path(X509Certificate[] chain) throws CertificateException {
		Path path = find(chain);
		if (path.certificates().isEmpty()) {
			requireClient(chain[0]);
			return new X509Certificate[] { chain[0] };
		}
		requireValid(path);
		return path.certificates().toArray(X509Certificate[]::new);
	}

	// Java verifies nothing of a certificate that it trusts
	private void requireClient(X509Certificate trusted) throws CertificateException {
		trusted.checkValidity(Date.from(this.clock.instant()));
		List<String> purposes = trusted.getExtendedKeyUsage();
		boolean[] usage = trusted.getKeyUsage();
		boolean client = purposes == null || purposes.stream().anyMatch(ClientVerification.PURPOSES::contains);
		boolean ca = trusted.getBasicConstraints() != -1 && usage != null && usage[CERTIFICATE_SIGNATURE];
		if (!client || ca || usage != null && !usage[DIGITAL_SIGNATURE]) {
			throw new CertificateException("The certificate is trusted, but is not for clients");
		}
	}

	private void requireValid(Path path) throws CertificateException {
		X509Certificate anchor = path.anchor();
		if (!isValid(anchor)) {
			boolean expired = anchor.getNotAfter().toInstant().isBefore(this.clock.instant());
			List<X509Certificate> all = new ArrayList<>(path.certificates());
			all.add(anchor);
			throw refusal("The CA is not valid today", expired ? BasicReason.EXPIRED : BasicReason.NOT_YET_VALID, all);
		}
	}

	/**
	 * Find the path from a client's certificate to a CA. Whether it is valid is not
	 * verified, except for its signatures.
	 * @param chain the certificates that the client has sent, its own first
	 * @return the path
	 * @throws CertificateException if there is none, or the client has sent too many
	 * certificates of a subject
	 */
	Path find(X509Certificate[] chain) throws CertificateException {
		X509Certificate leaf = chain[0];
		if (this.certificates.contains(leaf)) {
			return new Path(List.of(), leaf);
		}
		Path path = new Search(issuers(chain)).from(leaf);
		if (path == null) {
			throw refusal("The certificates do not lead to a trusted CA", PKIXReason.NO_TRUST_ANCHOR, List.of());
		}
		return path;
	}

	private static Map<X500Principal, Set<X509Certificate>> issuers(X509Certificate[] chain)
			throws CertificateException {
		if (chain == null || chain.length == 0 || chain.length > ClientVerification.MOST_CERTIFICATES) {
			throw new CertificateException("The client has sent too many certificates, or none");
		}
		PolicyNodes.requireFew(chain);
		Map<X500Principal, Set<X509Certificate>> issuers = new HashMap<>();
		for (int i = 1; i < chain.length; i++) {
			Set<X509Certificate> same = issuers.computeIfAbsent(chain[i].getSubjectX500Principal(),
					(subject) -> new LinkedHashSet<>());
			same.add(chain[i]);
			if (same.size() > MOST_OF_A_SUBJECT) {
				throw new CertificateException("The client has sent too many certificates of one subject");
			}
		}
		return issuers;
	}

	private boolean isValid(X509Certificate certificate) {
		Date now = Date.from(this.clock.instant());
		return !now.before(certificate.getNotBefore()) && !now.after(certificate.getNotAfter());
	}

	private static CertificateException refusal(String message, Reason reason, List<X509Certificate> path)
			throws CertificateException {
		CertPathValidatorException cause = path.isEmpty()
				? new CertPathValidatorException(message, null, null, -1, reason)
				: new CertPathValidatorException(message, null,
						CertificateFactory.getInstance("X.509").generateCertPath(path), path.size() - 1, reason);
		return new CertificateException(message, cause);
	}

	/**
	 * Return whether a certificate that anybody may have made has issued another one.
	 * @param candidate the certificate
	 * @param issued the other one
	 * @return whether its subject is the issuer, and its key verifies the signature; keys
	 * that no CA has do not
	 */
	static boolean isIssuer(X509Certificate candidate, X509Certificate issued) {
		return isUsual(candidate.getPublicKey()) && hasSigned(candidate, issued);
	}

	/**
	 * Return whether a certificate that the operator trusts has issued another one.
	 * @param trusted the certificate
	 * @param issued the other one
	 * @return whether its subject is the issuer, and its key verifies the signature
	 */
	static boolean hasSigned(X509Certificate trusted, X509Certificate issued) {
		if (!trusted.getSubjectX500Principal().equals(issued.getIssuerX500Principal())) {
			return false;
		}
		try {
			issued.verify(trusted.getPublicKey());
			return true;
		}
		catch (GeneralSecurityException | RuntimeException ex) {
			return false;
		}
	}

	// Other keys cost a stranger nothing to make, but verification takes long: Java
	// limits neither the exponents of RSA keys nor the size of DSA keys
	private static boolean isUsual(PublicKey key) {
		return switch (KeyType.of(key)) {
			case RSA, RSA_PSS -> key instanceof RSAPublicKey rsa && rsa.getModulus().bitLength() <= MOST_RSA_BITS
					&& rsa.getPublicExponent().bitLength() <= MOST_EXPONENT_BITS;
			case EC -> key instanceof ECKey ec && ec.getParams().getOrder().bitLength() <= MOST_CURVE_BITS;
			case ED25519, ED448, ML_DSA_44, ML_DSA_65, ML_DSA_87 -> true;
			case OTHER -> false;
		};
	}

	/**
	 * A path from a client's certificate to a CA.
	 *
	 * @param certificates the client's own certificate and those between it and the CA;
	 * empty if its own is trusted
	 * @param anchor the trusted certificate
	 */
	record Path(List<X509Certificate> certificates, X509Certificate anchor) {

	}

	private final class Search {

		private final Map<X500Principal, Set<X509Certificate>> issuers;

		private final Set<X509Certificate> visited = new LinkedHashSet<>();

		Search(Map<X500Principal, Set<X509Certificate>> issuers) {
			this.issuers = issuers;
		}

		@Nullable Path from(X509Certificate certificate) {
			for (X509Certificate anchor : candidates(TrustAnchors.this.bySubject::get, certificate)) {
				if (hasSigned(anchor, certificate)) {
					return new Path(List.of(certificate), anchor);
				}
			}
			for (X509Certificate issuer : candidates(this.issuers::get, certificate)) {
				if (!this.visited.contains(issuer) && isIssuer(issuer, certificate)) {
					this.visited.add(issuer);
					Path rest = from(issuer);
					if (rest != null) {
						List<X509Certificate> certificates = new ArrayList<>(List.of(certificate));
						certificates.addAll(rest.certificates());
						return new Path(certificates, rest.anchor());
					}
				}
			}
			return null;
		}

		// Of a certificate and its renewal, the one that is valid longer
		private List<X509Certificate> candidates(
				Function<X500Principal, ? extends @Nullable Collection<X509Certificate>> source,
				X509Certificate certificate) {
			Collection<X509Certificate> found = source.apply(certificate.getIssuerX500Principal());
			return (found != null) ? found.stream()
				.sorted(Comparator.comparing(TrustAnchors.this::isValid)
					.thenComparing(X509Certificate::getNotAfter)
					.reversed())
				.toList() : List.of();
		}

	}

}
