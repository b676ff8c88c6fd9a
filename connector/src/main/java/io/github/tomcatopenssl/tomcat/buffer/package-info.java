// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * Buffers that belong to who works, not to the connection.
 */
@NullMarked
package io.github.tomcatopenssl.tomcat.buffer;

import org.jspecify.annotations.NullMarked;
