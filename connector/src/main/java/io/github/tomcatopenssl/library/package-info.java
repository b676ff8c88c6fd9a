// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * The native library: finding, checking, extracting, loading and verifying the one that a
 * JVM can load.
 */
@NullMarked
package io.github.tomcatopenssl.library;

import org.jspecify.annotations.NullMarked;
