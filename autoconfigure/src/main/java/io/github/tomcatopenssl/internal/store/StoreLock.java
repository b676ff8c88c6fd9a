// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.io.Closeable;

/**
 * A lock of a {@link SharedStore}. A process that was paused for too long has lost it,
 * and what it writes with it is refused.
 */
public interface StoreLock extends Closeable {

}
