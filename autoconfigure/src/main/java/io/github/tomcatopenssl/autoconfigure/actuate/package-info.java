// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

/**
 * Auto-configuration for Spring Boot Actuator.
 */
@NullMarked
package io.github.tomcatopenssl.autoconfigure.actuate;

import org.jspecify.annotations.NullMarked;
