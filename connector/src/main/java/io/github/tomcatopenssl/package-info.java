// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * The types that applications use: Tomcat Native, which is the library that lets OpenSSL
 * serve TLS in Tomcat, and the result of loading it.
 */
@NullMarked
package io.github.tomcatopenssl;

import org.jspecify.annotations.NullMarked;
