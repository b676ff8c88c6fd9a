// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.guide;

import io.github.tomcatopenssl.TomcatNative;

import org.springframework.stereotype.Component;

/**
 * The snippet in docs/api.md.
 */
@Component
class EngineCheck {

	EngineCheck(TomcatNative tomcatNative) {
		if (!tomcatNative.isAvailable()) {
			System.out.println(tomcatNative.unavailabilityCause().getMessage());
		}
	}

}
