// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Set;

import javax.net.ssl.X509TrustManager;
import javax.security.auth.x500.X500Principal;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import org.jspecify.annotations.Nullable;

/**
 * The chain of a key, verified as clients do. Which CAs they trust is not known here, so
 * that they may need every certificate of the chain, except for a root that has signed
 * itself. Dates do not count: an expired certificate is reported elsewhere, and the clock
 * may be wrong.
 */
public final class ServerChain {

	private static final String BASIC_CONSTRAINTS = "2.5.29.19";

	private static final String NAME_CONSTRAINTS = "2.5.29.30";

	/**
	 * The index of the key usage with which a server signs a handshake (RFC 5280,
	 * 4.2.1.3).
	 */
	private static final int DIGITAL_SIGNATURE = 0;

	/**
	 * The index of the key usage with which a CA issues certificates (RFC 5280, 4.2.1.3).
	 */
	private static final int KEY_CERT_SIGN = 5;

	private static final String ANY_PURPOSE = "2.5.29.37.0";

	private static final String SERVER_AUTH = "1.3.6.1.5.5.7.3.1";

	private static final String CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

	/**
	 * Failures of Java's verification that are reported elsewhere, or may be its own:
	 * signatures of curves that it does not know are invalid, too.
	 */
	private static final Set<CertPathValidatorException.Reason> OTHER_REASONS = Set.of(BasicReason.EXPIRED,
			BasicReason.NOT_YET_VALID, BasicReason.INVALID_SIGNATURE, BasicReason.UNSPECIFIED);

	private final String host;

	/**
	 * The certificates, each one issued by the next.
	 */
	private final List<X509Certificate> chain;

	/**
	 * The certificate that follows, but has not issued the last one of the chain.
	 */
	private final @Nullable X509Certificate stray;

	private final CertificateOrigin origin;

	private final List<String> warnings = new ArrayList<>();

	/**
	 * Create a new instance.
	 * @param host the name of the virtual host
	 * @param key the key
	 * @param origin knows where certificates come from
	 */
	public ServerChain(String host, HostKey key, CertificateOrigin origin) {
		List<X509Certificate> all = key.chain();
		int linked = 1;
		while (linked < all.size() && isIssuedBy(all.get(linked - 1), all.get(linked))) {
			linked++;
		}
		this.host = host;
		this.chain = all.subList(0, linked);
		this.stray = (linked < all.size()) ? all.get(linked) : null;
		this.origin = origin;
	}

	// True if Java cannot tell, as it may not know the algorithm or the curve
	private static boolean isIssuedBy(X509Certificate certificate, X509Certificate issuer) {
		if (!certificate.getIssuerX500Principal().equals(issuer.getSubjectX500Principal())) {
			return false;
		}
		try {
			certificate.verify(issuer.getPublicKey());
			return true;
		}
		catch (GeneralSecurityException ex) {
			return ex instanceof NoSuchAlgorithmException
					|| String.valueOf(ex.getMessage()).startsWith("Curve not supported");
		}
	}

	private static boolean isRoot(X509Certificate certificate) {
		return isIssuedBy(certificate, certificate);
	}

	/**
	 * Require that clients can verify the chain.
	 * @param clients how the host verifies its own clients, which may have the same CA
	 * @return what some clients refuse, as sentences with a remedy
	 * @throws TlsSettingException if no client can verify the chain
	 */
	public List<String> require(ClientVerification clients) {
		for (int i = 1; i < this.chain.size(); i++) {
			requireCa(i);
			requirePathLength(i);
			requireNames(i);
		}
		if (this.stray != null) {
			warn("it is followed by '%s', which has not issued it".formatted(name(this.stray)), this.chain.size() - 1,
					"Put the leaf certificate first, each certificate's issuer directly after it, and nothing else");
		}
		warnOfLeaf();
		for (int i = 0; i < this.chain.size(); i++) {
			warnOfUsage(i);
		}
		if (this.warnings.isEmpty()) {
			warnOfJava();
		}
		if (this.stray == null) {
			warnOfMissingIssuer(clients);
		}
		return List.copyOf(this.warnings);
	}

	private void requireCa(int index) {
		X509Certificate issuer = this.chain.get(index);
		if (isCa(issuer)) {
			return;
		}
		String reason = "it has issued the certificate '%s', but is not one of a CA: its basic constraints lack 'CA:TRUE'"
			.formatted(name(this.chain.get(index - 1)));
		String action = "Use the certificate of the CA, or have '%s' issued by a CA"
			.formatted(name(this.chain.get(index - 1)));
		boolean[] usage = issuer.getKeyUsage();
		// Java trusts a root whatever it contains, and OpenSSL regards the key usage
		boolean some = isRoot(issuer)
				|| issuer.getExtensionValue(BASIC_CONSTRAINTS) == null && usage != null && usage[KEY_CERT_SIGN];
		if (!some) {
			throw refusal(index, reason, action);
		}
		warn(reason, index, action);
	}

	private void requirePathLength(int index) {
		X509Certificate issuer = this.chain.get(index);
		long below = this.chain.subList(1, index)
			.stream()
			.filter((ca) -> !ca.getSubjectX500Principal().equals(ca.getIssuerX500Principal()))
			.count();
		if (issuer.getBasicConstraints() < 0 || issuer.getBasicConstraints() >= below) {
			return;
		}
		String reason = "its path length allows %d intermediate CAs between it and the leaf, but there are %d"
			.formatted(issuer.getBasicConstraints(), below);
		String action = "Have '%s' issued by a CA that may issue it".formatted(name(this.chain.get(0)));
		if (!isRoot(issuer)) {
			throw refusal(index, reason, action);
		}
		warn(reason, index, action);
	}

	private void requireNames(int index) {
		X509Certificate issuer = this.chain.get(index);
		if (permits(issuer, this.chain.get(0))) {
			return;
		}
		String reason = "its name constraints do not allow the names of '%s'".formatted(name(this.chain.get(0)));
		String action = "Use a certificate of a CA that may issue for these names";
		if (!isRoot(issuer)) {
			throw refusal(index, reason, action);
		}
		warn(reason, index, action);
	}

	// True if Java cannot read the names, or cannot compare names of their type
	private static boolean permits(X509Certificate issuer, X509Certificate leaf) {
		byte[] constraints = issuer.getExtensionValue(NAME_CONSTRAINTS);
		if (constraints == null) {
			return true;
		}
		X509CertSelector selector = new X509CertSelector();
		try {
			leaf.getSubjectAlternativeNames();
			selector.setNameConstraints(octets(constraints));
			return selector.match(leaf);
		}
		catch (IOException | CertificateParsingException | UnsupportedOperationException ex) {
			return true;
		}
	}

	// The value of an extension is an octet string
	private static byte[] octets(byte[] extension) {
		int header = (extension.length > 1 && extension[1] < 0) ? 2 + (extension[1] & 0x7f) : 2;
		return Arrays.copyOfRange(extension, Math.min(header, extension.length), extension.length);
	}

	// Many certificates for development have signed themselves and are CAs by default
	private void warnOfLeaf() {
		X509Certificate leaf = this.chain.get(0);
		if (isCa(leaf) && !isRoot(leaf)) {
			warn("it is the certificate of a CA ('CA:TRUE')", 0, "Have it issued again without 'CA:TRUE'");
		}
		if (!isFor(leaf, SERVER_AUTH)) {
			warn("it is not for servers, because its extended key usage lacks 'serverAuth'", 0,
					"Use a certificate that has it, or that has no extended key usage");
		}
		boolean[] usage = leaf.getKeyUsage();
		if (usage != null && !usage[DIGITAL_SIGNATURE]) {
			warn("its key is not for signing handshakes, because its key usage lacks 'digitalSignature'", 0,
					"Use a certificate that has it, or that has no key usage");
		}
	}

	private void warnOfUsage(int index) {
		X509Certificate issuer = this.chain.get(index);
		if (issuer.hasUnsupportedCriticalExtension()) {
			warn("it has a critical extension that Java does not know", index, "Use a certificate without it");
		}
		boolean[] usage = issuer.getKeyUsage();
		if (index > 0 && usage != null && !usage[KEY_CERT_SIGN]) {
			warn("it has issued '%s', but its key usage lacks 'keyCertSign'".formatted(name(this.chain.get(index - 1))),
					index, "Use the certificate of a CA that has it, or that has no key usage");
		}
		if (index > 0 && !isFor(issuer, SERVER_AUTH)) {
			warn("it may not issue for servers, because its extended key usage lacks 'serverAuth'", index,
					"Use the certificate of a CA that has it, or that has no extended key usage");
		}
	}

	private void warnOfJava() {
		X509Certificate last = this.chain.get(this.chain.size() - 1);
		List<X509Certificate> path = this.chain.subList(0, this.chain.size() - 1);
		if (path.isEmpty()) {
			return;
		}
		try {
			PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(last, null)));
			parameters.setRevocationEnabled(false);
			parameters.setDate(this.chain.stream().map(X509Certificate::getNotBefore).max(Date::compareTo).get());
			CertPathValidator.getInstance("PKIX")
				.validate(CertificateFactory.getInstance("X.509").generateCertPath(path), parameters);
		}
		catch (CertPathValidatorException ex) {
			if (!OTHER_REASONS.contains(ex.getReason())) {
				warn("Java's verification fails: %s".formatted(ex.getMessage()), Math.max(ex.getIndex(), 0),
						"Have it issued again without what the reason names");
			}
		}
		catch (GeneralSecurityException | RuntimeException ex) {
			// Java cannot verify it, but clients may be able to
		}
	}

	// With an intermediate CA in the chain, it is usually the root that is missing, which
	// clients have
	private void warnOfMissingIssuer(ClientVerification clients) {
		X509Certificate last = this.chain.get(this.chain.size() - 1);
		X500Principal issuer = last.getIssuerX500Principal();
		X509TrustManager manager = clients.trustManager();
		if (this.chain.size() > 1 || isRoot(last)
				|| manager != null && Arrays.stream(manager.getAcceptedIssuers())
					.map(X509Certificate::getSubjectX500Principal)
					.anyMatch(issuer::equals)
				|| JavaTrustedCas.contains(issuer)) {
			return;
		}
		this.warnings.add(
				"Clients of the virtual host '%s' need the certificate of '%s': it has issued %s, but is not in its chain, and Java does not trust it. If it is an intermediate CA, add its certificate to the chain. If it is a root that your clients trust, you can add it, too, to end this warning"
					.formatted(this.host, issuer.getName(), describe(0)));
	}

	/**
	 * Return the problem of the CAs that the clients of a host are verified against.
	 * @param host the virtual host
	 * @param origin knows where certificates come from
	 * @return a sentence with a remedy, or {@code null} if one of them can issue
	 * certificates for clients
	 */
	public static @Nullable String warning(TlsHost host, CertificateOrigin origin) {
		X509TrustManager manager = host.clients().trustManager();
		X509Certificate[] cas = (manager != null && host.clients().checksPurpose()) ? manager.getAcceptedIssuers()
				: new X509Certificate[0];
		if (cas.length == 0 || Arrays.stream(cas).anyMatch(ServerChain::isUsefulForClients)) {
			return null;
		}
		X509Certificate first = cas[0];
		String place = origin.of(first);
		String reason = !isCa(first) ? "its basic constraints lack 'CA:TRUE'" : !isFor(first, CLIENT_AUTH)
				? "its extended key usage lacks 'clientAuth'" : "its key usage lacks 'keyCertSign'";
		return "Clients of the virtual host '%s' may be refused: of the %d certificates that they are verified against, none may issue certificates for clients, such as '%s'%s, because %s. Use the certificate of the CA that issues the clients' certificates"
			.formatted(host.name(), cas.length, name(first), (place != null) ? " (" + place + ")" : "", reason);
	}

	// A client's own certificate can be listed instead of its CA
	private static boolean isUsefulForClients(X509Certificate certificate) {
		if (!isCa(certificate)) {
			return purposes(certificate) != null && isFor(certificate, CLIENT_AUTH)
					|| purposes(certificate) == null && isRoot(certificate);
		}
		boolean[] usage = certificate.getKeyUsage();
		return (usage == null || usage[KEY_CERT_SIGN]) && isFor(certificate, CLIENT_AUTH);
	}

	private static boolean isCa(X509Certificate certificate) {
		return certificate.getBasicConstraints() >= 0 || certificate.getVersion() == 1 && isRoot(certificate);
	}

	private static boolean isFor(X509Certificate certificate, String purpose) {
		List<String> purposes = purposes(certificate);
		return purposes == null || !Collections.disjoint(purposes, List.of(purpose, ANY_PURPOSE));
	}

	private static @Nullable List<String> purposes(X509Certificate certificate) {
		try {
			return certificate.getExtendedKeyUsage();
		}
		catch (CertificateParsingException ex) {
			return null;
		}
	}

	private void warn(String reason, int index, String action) {
		this.warnings.add("Some clients refuse the virtual host '%s' because of %s: %s. %s".formatted(this.host,
				describe(index), reason, action));
	}

	private TlsSettingException refusal(int index, String reason, String action) {
		return new TlsSettingException(SettingName.CERTIFICATE, this.chain.get(0),
				new SettingText("no client could verify the chain of the virtual host '%s', because of %s: %s",
						this.host, describe(index), reason),
				new SettingText("%s", action), null);
	}

	private String describe(int index) {
		return OpenSslRefusal.description(this.chain, index, this.origin);
	}

	private static String name(X509Certificate certificate) {
		return certificate.getSubjectX500Principal().getName();
	}

}
