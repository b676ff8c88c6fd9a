// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * The session ticket keys, which replicas share.
 */
@NullMarked
package io.github.tomcatopenssl.tomcat.ticket;

import org.jspecify.annotations.NullMarked;
