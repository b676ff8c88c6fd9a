// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import org.springframework.boot.WebApplicationType;

/**
 * Tests of what a stranger's connection may cost a servlet application.
 */
class ConnectionBudgetTests extends AbstractConnectionBudgetTests {

	ConnectionBudgetTests() {
		super(WebApplicationType.SERVLET);
	}

}
