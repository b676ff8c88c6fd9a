// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import io.github.tomcatopenssl.internal.library.OpenSslErrors;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requires of each test that nothing is left in native memory, nor in the list of errors
 * of its thread.
 */
public final class NativeMemoryIsFreed implements AfterEachCallback {

	@Override
	public void afterEach(ExtensionContext context) {
		assertThat(NativeMemory.sessions()).as("sessions").isZero();
		assertThat(NativeMemory.contexts()).as("contexts").isZero();
		assertThat(OpenSslErrors.take()).isNull();
	}

}
