// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * The Tomcat integration: it selects the engine that serves TLS, provides the protocol
 * and its endpoint, configures the virtual hosts, and reports which engine serves.
 */
@NullMarked
package io.github.tomcatopenssl.tomcat;

import org.jspecify.annotations.NullMarked;
