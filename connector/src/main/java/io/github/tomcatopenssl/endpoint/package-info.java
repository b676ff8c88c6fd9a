// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * Connectors, their protocol and endpoint, and the way between socket and TLS engine:
 * everything that a client's bytes can cause.
 */
@NullMarked
package io.github.tomcatopenssl.endpoint;

import org.jspecify.annotations.NullMarked;
