// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.certificate.CertificateSource;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * The certificates of {@code server.ssl.acme}, if the server asks for them.
 */
class AcmeCertificateSource implements CertificateSource {

	private final AcmeProperties properties;

	private final Environment environment;

	private final ObjectProvider<DnsChallengeProvider> dns;

	private final ObjectProvider<SslBundles> bundles;

	private final AcmeSchedule schedule;

	private final Clock clock;

	private volatile @Nullable AcmeCertificates certificates;

	AcmeCertificateSource(AcmeProperties properties, Environment environment, ObjectProvider<DnsChallengeProvider> dns,
			ObjectProvider<SslBundles> bundles, AcmeSchedule schedule, Clock clock) {
		this.properties = properties;
		this.environment = environment;
		this.dns = dns;
		this.bundles = bundles;
		this.schedule = schedule;
		this.clock = clock;
	}

	@Override
	public Class<?> propertiesType() {
		return AcmeProperties.class;
	}

	@Override
	public List<Path> validateAndWriteFiles() {
		AcmeSettings settings = new AcmePropertiesValidator(this.properties, this.environment, () -> dns() != null)
			.validate();
		DnsChallengeProvider dns = dns();
		AcmeStore store = new AcmeStore(settings.directory(), this.properties.directoryUrl(), settings.domains());
		CaClock clock = new CaClock(this.clock);
		AcmeCertificates certificates = new AcmeCertificates(settings, store,
				new CaSessions(this.properties.directoryUrl(), this::trust, clock),
				(session) -> new AcmeClient(settings, store, session,
						new DomainVerifier(settings.domains(), store, dns), clock, this.schedule),
				clock, this.schedule);
		try {
			List<Path> files = certificates.writeFiles();
			this.certificates = certificates;
			return files;
		}
		catch (IOException ex) {
			throw new TlsSettingException(AcmeProperties.DIRECTORY, settings.directory().toString(),
					"the certificate cannot be stored in this folder: %s".formatted(ex.getMessage()),
					AcmeStoreException.action(ex), ex);
		}
	}

	private @Nullable DnsChallengeProvider dns() {
		DnsChallengeProvider ofApplication = this.dns.getIfAvailable();
		AcmeProperties.DnsUpdate update = this.properties.dnsUpdate();
		if (update == null) {
			return ofApplication;
		}
		if (ofApplication != null) {
			throw new TlsSettingException(AcmeProperties.DNS_UPDATE, null,
					"the application has a bean of type '%s' as well".formatted(DnsChallengeProvider.class.getName()),
					"Remove one of the two", null);
		}
		if (!ClassUtils.isPresent("org.xbill.DNS.Update", getClass().getClassLoader())) {
			throw new TlsSettingException(AcmeProperties.DNS_UPDATE, null,
					"the dependency that sends dynamic updates is missing",
					"Add the dependency 'dnsjava:dnsjava', or remove the properties", null);
		}
		return DnsUpdateProvider.of(update);
	}

	/**
	 * Return the CAs that the ACME server is verified against.
	 * @return the SSL bundle, or {@code null} for Java's CAs
	 * @throws org.springframework.boot.ssl.NoSuchSslBundleException if there is no such
	 * bundle
	 */
	@Nullable SslBundle trust() {
		String bundle = this.properties.sslBundle();
		return StringUtils.hasText(bundle) ? this.bundles.getObject().getBundle(bundle) : null;
	}

	/**
	 * Return the certificates.
	 * @return the certificates, or {@code null} if the server does not ask for them
	 */
	@Nullable AcmeCertificates certificates() {
		return this.certificates;
	}

}
