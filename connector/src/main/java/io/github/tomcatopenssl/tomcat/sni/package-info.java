// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * The server names that are served if unknown names are rejected.
 */
@NullMarked
package io.github.tomcatopenssl.tomcat.sni;

import org.jspecify.annotations.NullMarked;
