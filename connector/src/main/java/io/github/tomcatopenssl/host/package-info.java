// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * The virtual hosts of a connector: the rules that hold for each of them, and the
 * contexts of their certificates.
 */
@NullMarked
package io.github.tomcatopenssl.host;

import org.jspecify.annotations.NullMarked;
