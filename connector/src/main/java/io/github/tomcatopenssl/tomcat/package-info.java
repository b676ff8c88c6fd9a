// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * Tomcat's side: which engine serves TLS, the protocol and its endpoint, the
 * configuration of the virtual hosts, and the report of what serves.
 */
@NullMarked
package io.github.tomcatopenssl.tomcat;

import org.jspecify.annotations.NullMarked;
