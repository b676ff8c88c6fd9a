// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * Selects the engine that serves TLS, and reports it in the log.
 */
@NullMarked
package io.github.tomcatopenssl.engine;

import org.jspecify.annotations.NullMarked;
