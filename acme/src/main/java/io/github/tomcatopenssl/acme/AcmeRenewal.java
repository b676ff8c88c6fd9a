// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import io.github.tomcatopenssl.TlsSettingException;

import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.context.SmartLifecycle;

/**
 * Renews the certificates while the application runs. Starts after the web server, which
 * answers the challenges, and stops before it.
 */
class AcmeRenewal implements SmartLifecycle {

	private final AcmeCertificateSource source;

	AcmeRenewal(AcmeCertificateSource source) {
		this.source = source;
	}

	@Override
	public void start() {
		AcmeCertificates certificates = this.source.certificates();
		if (certificates == null) {
			return;
		}
		try {
			this.source.trust();
		}
		catch (NoSuchSslBundleException ex) {
			throw new TlsSettingException(AcmeProperties.SSL_BUNDLE, null,
					"there is no SSL bundle '%s'".formatted(ex.getBundleName()),
					"Define it with 'spring.ssl.bundle', or remove the property", null);
		}
		certificates.start();
	}

	@Override
	public void stop() {
		AcmeCertificates certificates = this.source.certificates();
		if (certificates != null) {
			certificates.stop();
		}
	}

	@Override
	public boolean isRunning() {
		AcmeCertificates certificates = this.source.certificates();
		return certificates != null && certificates.isRunning();
	}

}
