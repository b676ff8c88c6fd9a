// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.security.NoSuchProviderException;
import java.security.Principal;
import java.security.PublicKey;
import java.security.SignatureException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.Date;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import javax.security.auth.x500.X500Principal;

/**
 * A certificate that counts how often somebody has its signature verified, or reads its
 * subject.
 */
final class CountedCertificate extends X509Certificate {

	private static final long serialVersionUID = 1L;

	private final transient X509Certificate certificate;

	private final transient AtomicInteger verifications;

	private final transient AtomicInteger reads;

	private CountedCertificate(X509Certificate certificate, AtomicInteger verifications, AtomicInteger reads) {
		this.certificate = certificate;
		this.verifications = verifications;
		this.reads = reads;
	}

	/**
	 * Return a copy of a certificate, whose signature nobody has verified yet.
	 * @param certificate the certificate
	 * @param verifications the count
	 * @return the copy
	 */
	static X509Certificate of(X509Certificate certificate, AtomicInteger verifications) {
		try {
			return new CountedCertificate(
					(X509Certificate) CertificateFactory.getInstance("X.509")
						.generateCertificate(new ByteArrayInputStream(certificate.getEncoded())),
					verifications, new AtomicInteger());
		}
		catch (CertificateException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static X509Certificate ofReads(X509Certificate certificate, AtomicInteger reads) {
		return new CountedCertificate(certificate, new AtomicInteger(), reads);
	}

	@Override
	public X500Principal getSubjectX500Principal() {
		this.reads.incrementAndGet();
		return this.certificate.getSubjectX500Principal();
	}

	@Override
	public void verify(PublicKey key) throws CertificateException, NoSuchAlgorithmException, InvalidKeyException,
			NoSuchProviderException, SignatureException {
		this.verifications.incrementAndGet();
		this.certificate.verify(key);
	}

	@Override
	public void verify(PublicKey key, String sigProvider) throws CertificateException, NoSuchAlgorithmException,
			InvalidKeyException, NoSuchProviderException, SignatureException {
		this.verifications.incrementAndGet();
		this.certificate.verify(key, sigProvider);
	}

	@Override
	public boolean hasUnsupportedCriticalExtension() {
		return this.certificate.hasUnsupportedCriticalExtension();
	}

	@Override
	public Set<String> getCriticalExtensionOIDs() {
		return this.certificate.getCriticalExtensionOIDs();
	}

	@Override
	public Set<String> getNonCriticalExtensionOIDs() {
		return this.certificate.getNonCriticalExtensionOIDs();
	}

	@Override
	public byte[] getExtensionValue(String oid) {
		return this.certificate.getExtensionValue(oid);
	}

	@Override
	public void checkValidity() throws CertificateExpiredException, CertificateNotYetValidException {
		this.certificate.checkValidity();
	}

	@Override
	public void checkValidity(Date date) throws CertificateExpiredException, CertificateNotYetValidException {
		this.certificate.checkValidity(date);
	}

	@Override
	public int getVersion() {
		return this.certificate.getVersion();
	}

	@Override
	public BigInteger getSerialNumber() {
		return this.certificate.getSerialNumber();
	}

	@Override
	@SuppressWarnings("deprecation")
	public Principal getIssuerDN() {
		return this.certificate.getIssuerDN();
	}

	@Override
	@SuppressWarnings("deprecation")
	public Principal getSubjectDN() {
		return this.certificate.getSubjectDN();
	}

	@Override
	public Date getNotBefore() {
		return this.certificate.getNotBefore();
	}

	@Override
	public Date getNotAfter() {
		return this.certificate.getNotAfter();
	}

	@Override
	public byte[] getTBSCertificate() throws CertificateEncodingException {
		return this.certificate.getTBSCertificate();
	}

	@Override
	public byte[] getSignature() {
		return this.certificate.getSignature();
	}

	@Override
	public String getSigAlgName() {
		return this.certificate.getSigAlgName();
	}

	@Override
	public String getSigAlgOID() {
		return this.certificate.getSigAlgOID();
	}

	@Override
	public byte[] getSigAlgParams() {
		return this.certificate.getSigAlgParams();
	}

	@Override
	public boolean[] getIssuerUniqueID() {
		return this.certificate.getIssuerUniqueID();
	}

	@Override
	public boolean[] getSubjectUniqueID() {
		return this.certificate.getSubjectUniqueID();
	}

	@Override
	public boolean[] getKeyUsage() {
		return this.certificate.getKeyUsage();
	}

	@Override
	public int getBasicConstraints() {
		return this.certificate.getBasicConstraints();
	}

	@Override
	public byte[] getEncoded() throws CertificateEncodingException {
		return this.certificate.getEncoded();
	}

	@Override
	public String toString() {
		return this.certificate.toString();
	}

	@Override
	public PublicKey getPublicKey() {
		return this.certificate.getPublicKey();
	}

}
