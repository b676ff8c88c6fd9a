// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * The path between the socket and the TLS engine, which withstands hostile clients.
 */
@NullMarked
package io.github.tomcatopenssl.tomcat.channel;

import org.jspecify.annotations.NullMarked;
