// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * The settings of a connector, and its virtual hosts: the rules that hold for each of
 * them, the names that they serve, and the contexts of their certificates.
 */
@NullMarked
package io.github.tomcatopenssl.internal.host;

import org.jspecify.annotations.NullMarked;
