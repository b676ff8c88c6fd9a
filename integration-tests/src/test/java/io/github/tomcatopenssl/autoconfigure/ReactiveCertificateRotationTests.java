// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import org.springframework.boot.WebApplicationType;

/**
 * Tests of reactive applications.
 */
final class ReactiveCertificateRotationTests extends CertificateRotationTests {

	ReactiveCertificateRotationTests() {
		super(WebApplicationType.REACTIVE);
	}

}
