// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * A certificate for a developer's machine, which is issued and kept without an external
 * tool.
 */
@NullMarked
package io.github.tomcatopenssl.certificate.development;

import org.jspecify.annotations.NullMarked;
