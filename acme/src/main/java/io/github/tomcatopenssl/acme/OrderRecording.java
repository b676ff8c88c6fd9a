// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import io.github.tomcatopenssl.internal.event.FlightRecorderUse;
import io.github.tomcatopenssl.internal.host.ForeignText;
import org.jspecify.annotations.Nullable;

/**
 * Records one order for Flight Recorder.
 */
final class OrderRecording {

	private final @Nullable OrderEvent event = FlightRecorderUse.hasBegun() ? new OrderEvent() : null;

	/**
	 * Begin to record.
	 * @param settings what is ordered, and from which CA
	 * @param keyType the type of its key
	 */
	OrderRecording(AcmeSettings settings, AcmeKeyType keyType) {
		if (this.event != null) {
			this.event.domains = ForeignText.message(settings.names());
			this.event.keyType = keyType.toString();
			this.event.ca = settings.ca();
			this.event.begin();
		}
	}

	/**
	 * Record that the CA has issued the certificate.
	 * @param certificate the certificate
	 */
	void issued(AcmeCertificate certificate) {
		if (this.event != null) {
			this.event.serialNumber = "%x".formatted(certificate.leaf().getSerialNumber());
			this.event.commit();
		}
	}

	/**
	 * Record that the order has failed.
	 * @param problem the reason
	 */
	void failed(String problem) {
		if (this.event != null) {
			this.event.problem = problem;
			this.event.commit();
		}
	}

}
