// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * Auto-configuration for certificates from PEM files and for OpenSSL in the embedded
 * Tomcat.
 */
@NullMarked
package io.github.tomcatopenssl.autoconfigure;

import org.jspecify.annotations.NullMarked;
