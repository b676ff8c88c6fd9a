// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import org.springframework.boot.WebApplicationType;

/**
 * Tests of servlet applications.
 */
final class ServletLeftoverTests extends LeftoverTests {

	ServletLeftoverTests() {
		super(WebApplicationType.SERVLET);
	}

}
