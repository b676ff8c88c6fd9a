// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * Reads certificates, private keys and revocation lists from PEM files, for all who have
 * such files.
 */
@NullMarked
package io.github.tomcatopenssl.internal.pem;

import org.jspecify.annotations.NullMarked;
