// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * What all events for Flight Recorder need.
 */
@NullMarked
package io.github.tomcatopenssl.internal.event;

import org.jspecify.annotations.NullMarked;
