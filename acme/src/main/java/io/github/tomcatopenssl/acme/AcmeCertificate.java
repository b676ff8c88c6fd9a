// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.HostNames;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStore;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;

/**
 * A certificate of the CA, or the {@link Placeholder} for one.
 *
 * @param pem the file with the certificate, its chain and its key; empty if the
 * certificate is from elsewhere
 * @param leaf the certificate
 */
record AcmeCertificate(String pem, X509Certificate leaf) {

	private static final Log logger = LogFactory.getLog(AcmeCertificate.class);

	/**
	 * The beginning of the line before the certificate, which readers of PEM files skip
	 * (RFC 7468, 2). The CA's ACME directory and the domains that were ordered follow.
	 */
	private static final String ISSUED_BY = "Issued by ";

	/**
	 * The next line, which has the time at which the certificate arrived.
	 */
	private static final Pattern OBTAINED = Pattern.compile("Issued by [^\n]*\nObtained (\\S{1,40})\n");

	private static final String KEY_ENDS = "-----END PRIVATE KEY-----";

	/**
	 * Read the content of a file.
	 * @param pem the content, or {@code null} if the file does not exist
	 * @param file the file, as messages show it
	 * @return the certificate, or {@code null} if there is no file or it is damaged
	 */
	static @Nullable AcmeCertificate parse(@Nullable String pem, String file) {
		if (pem == null || !pem.contains(KEY_ENDS)) {
			return null;
		}
		try {
			return new AcmeCertificate(pem, (X509Certificate) CertificateFactory.getInstance("X.509")
				.generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII))));
		}
		catch (CertificateException ex) {
			logger.debug("'%s' is not a certificate".formatted(file), ex);
			return null;
		}
	}

	/**
	 * Return the certificates that a server uses.
	 * @param bundle the SSL bundle of the server
	 * @return the certificates
	 */
	static List<AcmeCertificate> of(SslBundle bundle) {
		KeyStore keys = bundle.getStores().getKeyStore();
		try {
			return (keys != null) ? Collections.list(keys.aliases()).stream().map((alias) -> of(keys, alias)).toList()
					: List.of();
		}
		catch (KeyStoreException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static AcmeCertificate of(KeyStore keys, String alias) {
		try {
			return new AcmeCertificate("", (X509Certificate) keys.getCertificate(alias));
		}
		catch (KeyStoreException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return a certificate that has just arrived.
	 * @param ca the ACME directory of its CA
	 * @param domains the domains that were ordered
	 * @param pem the certificate, its chain and its key
	 * @param leaf the certificate
	 * @param now the time
	 * @return the certificate
	 */
	static AcmeCertificate obtained(String ca, Collection<String> domains, String pem, X509Certificate leaf,
			Instant now) {
		return new AcmeCertificate("%sObtained %s\n%s".formatted(firstLine(ca, domains), now, pem), leaf);
	}

	private static String firstLine(String ca, Collection<String> domains) {
		return ISSUED_BY + ca + " for " + String.join(", ", new TreeSet<>(domains)) + "\n";
	}

	/**
	 * Return the key of a certificate with its chain.
	 * @param pem the certificate, its chain and its key
	 * @return the key
	 * @throws IllegalStateException if it is something else
	 */
	static HostKey key(String pem) {
		PemSslStore key = Objects
			.requireNonNull(PemSslStore.load(PemSslStoreDetails.forCertificate(pem).withPrivateKey(pem)));
		return new HostKey(key.privateKey(), Objects.requireNonNull(key.certificates()));
	}

	boolean isPlaceholder() {
		return Placeholder.is(this.leaf);
	}

	boolean isValid(Instant now) {
		return !now.isBefore(this.leaf.getNotBefore().toInstant()) && now.isBefore(expiry());
	}

	Instant expiry() {
		return this.leaf.getNotAfter().toInstant();
	}

	/**
	 * Return since when the certificate can be in use. A CA may date certificates back,
	 * by an hour or by more than their lifetime.
	 * @return the time at which it arrived, if it is in the file, or else the beginning
	 * of its validity; in any case while it is valid
	 */
	Instant begin() {
		Instant notBefore = this.leaf.getNotBefore().toInstant();
		Matcher line = OBTAINED.matcher(this.pem);
		try {
			Instant obtained = line.lookingAt() ? Instant.parse(line.group(1)) : notBefore;
			return obtained.isBefore(notBefore) ? notBefore : obtained.isAfter(expiry()) ? expiry() : obtained;
		}
		catch (DateTimeException ex) {
			return notBefore;
		}
	}

	boolean hasKey(AcmeKeyType keyType) {
		return this.leaf.getPublicKey().getAlgorithm().equals(keyType.name());
	}

	/**
	 * Return whether this is the certificate that was ordered, rather than one that
	 * serves in the meantime. The CA may have added names.
	 * @param ca the ACME directory of the CA
	 * @param domains the domains
	 * @param keyType the type of the key
	 * @return whether it is
	 */
	boolean isFor(String ca, Collection<String> domains, AcmeKeyType keyType) {
		return this.pem.startsWith(firstLine(ca, domains)) && missing(domains).isEmpty() && hasKey(keyType);
	}

	/**
	 * Return the domains that the certificate is not for.
	 * @param domains the domains
	 * @return those that are missing
	 */
	List<String> missing(Collection<String> domains) {
		Set<String> names = names();
		return domains.stream()
			.filter((domain) -> !names.contains(domain) && !names.contains(HostNames.wildcardOf(domain)))
			.toList();
	}

	Set<String> names() {
		return HostNames.alternativeNames(this.leaf, HostNames.DNS_NAME, HostNames.IP_ADDRESS)
			.map(AcmeNames::canonical)
			.collect(Collectors.toCollection(TreeSet::new));
	}

	/**
	 * Return the names only, so that the key is not shown.
	 */
	@Override
	public String toString() {
		return "AcmeCertificate" + names();
	}

}
