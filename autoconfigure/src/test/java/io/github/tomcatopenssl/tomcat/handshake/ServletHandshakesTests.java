// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.handshake;

import org.springframework.boot.WebApplicationType;

/**
 * Tests of what is learnt of handshakes in servlet applications.
 */
final class ServletHandshakesTests extends HandshakesTests {

	ServletHandshakesTests() {
		super(WebApplicationType.SERVLET);
	}

}
