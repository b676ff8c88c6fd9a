// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample.container;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.PullImageResultCallback;
import com.github.dockerjava.api.exception.DockerClientException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.PullResponseItem;
import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.ContainerFetchException;
import org.testcontainers.dockerclient.DockerClientProviderStrategy;
import org.testcontainers.utility.DockerImageName;

/**
 * The container engine, which needs the images that others are built from. On a machine
 * that reaches no registry, Testcontainers would try to pull them for minutes, for each
 * test class anew.
 */
final class ContainerEngine {

	private static final String ENGINE = "a container engine, such as Docker,";

	/**
	 * How long a registry may take to answer, in seconds.
	 */
	private static final int PATIENCE = 20;

	private static final @Nullable String MISSING = findMissing();

	private ContainerEngine() {
	}

	/**
	 * Return what is missing to run images.
	 * @return what is missing, or {@code null} if nothing is
	 */
	static @Nullable String missing() {
		return MISSING;
	}

	private static @Nullable String findMissing() {
		try (DockerClient client = client()) {
			for (Base base : Base.values()) {
				String missing = missing(client, base.image());
				if (missing != null) {
					return missing;
				}
			}
			return DockerClientFactory.instance().isDockerAvailable() ? null : ENGINE;
		}
		catch (ContainerFetchException ex) {
			return "an image of Testcontainers (%s)".formatted(ex.getMessage());
		}
		catch (IllegalStateException | IOException ex) {
			return ENGINE;
		}
	}

	// That of Testcontainers pulls an image before it is there
	static DockerClient client() {
		return DockerClientProviderStrategy.getClientForConfig(DockerClientFactory.instance().getTransportConfig());
	}

	static @Nullable String missing(DockerClient client, String image) {
		String problem = problem(client, DockerImageName.parse(image));
		return (problem != null) ? "the image '%s', which the container engine does not have and cannot pull (%s),"
			.formatted(image, problem) : null;
	}

	private static @Nullable String problem(DockerClient client, DockerImageName image) {
		try {
			client.inspectImageCmd(image.asCanonicalNameString()).exec();
			return null;
		}
		catch (NotFoundException ex) {
			// It is pulled
		}
		try (Pull pull = client.pullImageCmd(image.getUnversionedPart())
			.withTag(image.getVersionPart())
			.exec(new Pull())) {
			if (!pull.answered.await(PATIENCE, TimeUnit.SECONDS)) {
				return "its registry does not answer";
			}
			pull.awaitCompletion();
			return null;
		}
		catch (DockerException | DockerClientException | IOException ex) {
			return String.valueOf(ex.getMessage()).strip();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static final class Pull extends PullImageResultCallback {

		private final CountDownLatch answered = new CountDownLatch(1);

		@Override
		public void onNext(PullResponseItem item) {
			super.onNext(item);
			this.answered.countDown();
		}

		@Override
		public void onError(Throwable failure) {
			super.onError(failure);
			this.answered.countDown();
		}

		@Override
		public void onComplete() {
			super.onComplete();
			this.answered.countDown();
		}

	}

}
