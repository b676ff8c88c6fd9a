// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * Sample application.
 */
@NullMarked
package io.github.tomcatopenssl.sample;

import org.jspecify.annotations.NullMarked;
