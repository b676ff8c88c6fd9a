// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import org.springframework.boot.WebApplicationType;

/**
 * Tests of {@code server.ssl.groups} in servlet applications.
 */
final class ServletGroupsTests extends GroupsTests {

	ServletGroupsTests() {
		super(WebApplicationType.SERVLET);
	}

}
