// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * Which engine serves TLS, and what the log says of it.
 */
@NullMarked
package io.github.tomcatopenssl.engine;

import org.jspecify.annotations.NullMarked;
