// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;

import org.awaitility.Awaitility;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;

/**
 * Obtains a certificate, and halts the JVM before or after a write.
 */
public final class KilledApplication {

	static final int STATUS = 137;

	private KilledApplication() {
	}

	public static void main(String[] arguments) throws Exception {
		AcmeProperties properties = AcmeCertificatesTests.properties(URI.create(arguments[2]));
		AcmeStore store = new AcmeStore(Path.of(arguments[1]), properties.directoryUrl(),
				AcmeCertificatesTests.DOMAINS) {

			private int left = Integer.parseInt(arguments[0]);

			@Override
			void write(Path file, String content) throws IOException {
				step();
				super.write(file, content);
				step();
			}

			private void step() {
				this.left--;
				if (this.left == 0) {
					Runtime.getRuntime().halt(STATUS);
				}
			}

		};
		SslBundle trust = SslBundle
			.of(new PemSslStoreBundle(null, PemSslStoreDetails.forCertificate("file:" + arguments[4])));
		CaClock clock = new CaClock(Clock.systemUTC());
		AcmeSettings settings = new AcmeSettings(properties, AcmeCertificatesTests.DOMAINS, Path.of(arguments[1]));
		DomainVerifier verifier = new DomainVerifier(settings.domains(), store, Pebble.dns(arguments[3]));
		CertificatesAtWork certificates = new CertificatesAtWork(settings, store,
				new CaSessions(properties.directoryUrl(), () -> trust, clock),
				(session) -> new AcmeClient(settings, store, session, verifier, clock, AcmeSchedule.DEFAULT), clock,
				AcmeSchedule.DEFAULT);
		certificates.writeFiles();
		certificates.start();
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.until(() -> certificates.status().next() != null && certificates.status().problem() == null);
		certificates.stop();
		System.exit(0);
	}

}
