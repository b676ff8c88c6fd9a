// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import org.springframework.boot.WebApplicationType;

/**
 * Tests of the redirect to HTTPS with a reactive application.
 */
class ReactiveHttpRedirectTests extends AbstractHttpRedirectTests {

	ReactiveHttpRedirectTests() {
		super(WebApplicationType.REACTIVE);
	}

}
