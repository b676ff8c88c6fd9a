// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import org.springframework.boot.WebApplicationType;

/**
 * Tests of the redirect to HTTPS with a servlet application.
 */
class HttpRedirectTests extends AbstractHttpRedirectTests {

	HttpRedirectTests() {
		super(WebApplicationType.SERVLET);
	}

}
