// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * Certificates, private keys and trust anchors from PEM files.
 */
@NullMarked
package io.github.tomcatopenssl.internal.certificate;

import org.jspecify.annotations.NullMarked;
