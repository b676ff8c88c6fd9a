// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * Health, info and metrics for Spring Boot Actuator.
 */
@NullMarked
package io.github.tomcatopenssl.autoconfigure.actuate;

import org.jspecify.annotations.NullMarked;
