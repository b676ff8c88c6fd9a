// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * Obtains and renews certificates with the ACME protocol (RFC 8555).
 */
@NullMarked
package io.github.tomcatopenssl.acme;

import org.jspecify.annotations.NullMarked;
