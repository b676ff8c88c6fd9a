// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.TlsSetting;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.tomcat.handshake.RequiredGroups;
import io.github.tomcatopenssl.tomcat.ticket.SessionTicketKeys;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.jspecify.annotations.Nullable;

/**
 * The requirements for all virtual hosts of a connector. They are applied whenever the
 * context of a virtual host is created: at startup, when a host is added, and at a
 * reload.
 *
 * @param available the groups that the engine supports. X25519MLKEM768 and ML-DSA both
 * came with OpenSSL 3.5
 * @param groups the only groups for the key exchange, or {@code null} for the default
 * @param revocation how client certificates are checked for revocation
 * @param ticketKeys the session ticket keys, or {@code null} for the engine's own
 * @param fips whether the engine is OpenSSL with the FIPS provider, as required
 */
record VirtualHosts(Set<KeyExchangeGroup> available, @Nullable RequiredGroups groups, RevocationChecks revocation,
		@Nullable SessionTicketKeys ticketKeys, boolean fips) {

	void configure(SSLHostConfig host) {
		if (!this.available.contains(KeyExchangeGroup.X25519MLKEM768)) {
			requireNoMlDsa(host);
		}
		if (host.getCertificateVerification() != CertificateVerification.NONE) {
			requireTrustAnchors(host);
			requireRevocation(host);
		}
		this.revocation.applyTo(host);
		IntermediateTlsProfile.applyTo(host, this.available);
		if (this.groups != null) {
			this.groups.applyTo(host);
		}
		requireCiphers(host);
		if (this.fips) {
			FipsRequirement.applyTo(host);
		}
	}

	private static void requireNoMlDsa(SSLHostConfig host) {
		for (SSLHostConfigCertificate certificate : host.getCertificates()) {
			if (HostKeys.isMlDsa(certificate)) {
				throw new TlsSettingException(TlsSetting.CERTIFICATE,
						"the virtual host '%s' has an ML-DSA key, which only OpenSSL 3.5 or later can serve"
							.formatted(host.getHostName()),
						"Serve TLS with OpenSSL 3.5 or later (see {MODE}), or remove the certificate with that key",
						null);
			}
		}
	}

	private static void requireCiphers(SSLHostConfig host) {
		if (host.getCipherList().isEmpty()) {
			throw new TlsSettingException(TlsSetting.CIPHERS,
					"none of the cipher suites of the virtual host '%s' is known: '%s'".formatted(host.getHostName(),
							host.getCiphers()),
					"Use names from the TLS registry, such as 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', or remove the property",
					null);
		}
	}

	private static void requireTrustAnchors(SSLHostConfig host) {
		if (host.getCaCertificateFile() != null || host.getCaCertificatePath() != null
				|| host.getTrustManagerClassName() != null) {
			return;
		}
		try {
			if (host.getTruststore() != null) {
				return;
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		throw new TlsSettingException(TlsSetting.CLIENT_AUTH,
				"the virtual host '%s' must verify clients, but has no CA to verify them against"
					.formatted(host.getHostName()),
				"Give it one with {CA_CERTIFICATES} or the trust store of its SSL bundle, or remove {CLIENT_AUTH}",
				null);
	}

	private void requireRevocation(SSLHostConfig host) {
		if (!this.revocation.isEmpty() && host.getTrustManagerClassName() != null) {
			throw new TlsSettingException(this.revocation.setting(),
					"the virtual host '%s' has its own trust manager, '%s', which would not check revocation"
						.formatted(host.getHostName(), host.getTrustManagerClassName()),
					"Remove what sets 'trustManagerClassName', or remove {%s}"
						.formatted(this.revocation.setting().name()),
					null);
		}
	}

}
