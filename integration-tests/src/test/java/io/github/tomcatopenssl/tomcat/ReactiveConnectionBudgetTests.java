// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import org.springframework.boot.WebApplicationType;

/**
 * Tests of reactive applications.
 */
final class ReactiveConnectionBudgetTests extends ConnectionBudgetTests {

	ReactiveConnectionBudgetTests() {
		super(WebApplicationType.REACTIVE);
	}

}
