// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * What the replicas of a server share, in a folder or in a database.
 */
@NullMarked
package io.github.tomcatopenssl.internal.store;

import org.jspecify.annotations.NullMarked;
