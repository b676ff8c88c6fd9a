// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import org.junit.jupiter.api.Tag;

import org.springframework.boot.WebApplicationType;

/**
 * Tests of what a stranger's connection may cost a reactive application, which reads and
 * writes without blocking.
 */
@Tag("load")
class ReactiveConnectionBudgetTests extends AbstractConnectionBudgetTests {

	ReactiveConnectionBudgetTests() {
		super(WebApplicationType.REACTIVE);
	}

}
