// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.nio.file.Path;

import org.junit.jupiter.api.io.TempDir;

/**
 * Tests for {@link FolderStore}.
 */
class FolderStoreTests extends AbstractStoreTests {

	@TempDir
	private Path folder;

	@Override
	SharedStore replica() {
		return new FolderStore(this.folder);
	}

}
