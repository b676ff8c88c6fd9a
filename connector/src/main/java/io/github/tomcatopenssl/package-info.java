// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * What applications name: Tomcat Native, the library that lets OpenSSL serve TLS in
 * Tomcat, and what became of it.
 */
@NullMarked
package io.github.tomcatopenssl;

import org.jspecify.annotations.NullMarked;
