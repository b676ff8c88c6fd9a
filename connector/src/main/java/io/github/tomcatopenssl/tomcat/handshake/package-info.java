// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * The groups that a handshake may use, and what handshakes reveal: their key exchange,
 * and why they failed.
 */
@NullMarked
package io.github.tomcatopenssl.tomcat.handshake;

import org.jspecify.annotations.NullMarked;
