// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample.container;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import com.github.dockerjava.api.DockerClient;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ContainerEngine}.
 */
@RequiresContainerEngine
class ContainerEngineIT {

	@Test
	void whenRegistryCannotBeReachedThenSaysSoInSeconds() throws IOException {
		try (DockerClient client = ContainerEngine.client()) {
			assertThat(CompletableFuture.supplyAsync(() -> ContainerEngine.missing(client, "localhost:1/nothing:none")))
				.succeedsWithin(Duration.ofSeconds(30))
				.asString()
				.startsWith(
						"the image 'localhost:1/nothing:none', which the container engine does not have and cannot pull (")
				.contains("localhost:1");
		}
	}

	@Test
	void whenImageIsThereThenNothingIsMissing() throws IOException {
		try (DockerClient client = ContainerEngine.client()) {
			assertThat(ContainerEngine.missing(client, Base.TRIXIE.image())).isNull();
		}
	}

}
