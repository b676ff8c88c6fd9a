// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * The benchmark's application on the embedded Tomcat.
 */
@NullMarked
package io.github.tomcatopenssl.benchmark.tomcat;

import org.jspecify.annotations.NullMarked;
