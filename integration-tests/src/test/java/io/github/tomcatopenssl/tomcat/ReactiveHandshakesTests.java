// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import org.springframework.boot.WebApplicationType;

/**
 * Tests of what is recorded about handshakes in reactive applications.
 */
final class ReactiveHandshakesTests extends HandshakesTests {

	ReactiveHandshakesTests() {
		super(WebApplicationType.REACTIVE);
	}

}
