// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import org.springframework.boot.actuate.endpoint.ApiVersion;
import org.springframework.boot.actuate.endpoint.Producible;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/**
 * The formats of the inventory.
 */
public enum TlsFormat implements Producible<TlsFormat> {

	/**
	 * A cryptography bill of materials (CBOM) in the format CycloneDX 1.6.
	 */
	CYCLONEDX(MimeType.valueOf("application/vnd.cyclonedx+json")),

	/**
	 * JSON.
	 */
	JSON(MimeTypeUtils.APPLICATION_JSON),

	/**
	 * JSON, as Actuator's version 2 names it.
	 */
	ACTUATOR_2(ApiVersion.V2.getProducedMimeType()),

	/**
	 * JSON, as Actuator's version 3 names it. This is the default.
	 */
	ACTUATOR_3(ApiVersion.V3.getProducedMimeType());

	private final MimeType mimeType;

	TlsFormat(MimeType mimeType) {
		this.mimeType = mimeType;
	}

	@Override
	public MimeType getProducedMimeType() {
		return this.mimeType;
	}

	@Override
	public boolean isDefault() {
		return this == ACTUATOR_3;
	}

}
