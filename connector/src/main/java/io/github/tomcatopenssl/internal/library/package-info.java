// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * Finds, checks, extracts, loads and verifies Tomcat Native, the one native library that
 * a JVM can load, and tells which groups the TLS engines of the JVM support.
 */
@NullMarked
package io.github.tomcatopenssl.internal.library;

import org.jspecify.annotations.NullMarked;
