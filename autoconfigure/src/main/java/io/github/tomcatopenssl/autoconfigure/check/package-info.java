// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * A check of the TLS settings without a start.
 */
@NullMarked
package io.github.tomcatopenssl.autoconfigure.check;

import org.jspecify.annotations.NullMarked;
