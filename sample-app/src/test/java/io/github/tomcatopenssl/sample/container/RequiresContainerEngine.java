// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample.container;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.tomcatopenssl.test.Provided;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.TestAbortedException;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.ContainerFetchException;

/**
 * Tests that run the project's images. Without a container engine they are skipped; in
 * CI, they fail.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("containers")
@ExtendWith(RequiresContainerEngine.Check.class)
@interface RequiresContainerEngine {

	class Check implements ExecutionCondition {

		// Surefire does not report an assumption that fails before all tests
		@Override
		public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
			try {
				Provided.containerEngine(isUsable());
				Provided.bundledLibrary(getClass());
				return ConditionEvaluationResult.enabled("a container engine answers");
			}
			catch (TestAbortedException ex) {
				return ConditionEvaluationResult.disabled(ex.getMessage());
			}
		}

		// An engine that can get no images, as without a network, is of no use
		private static boolean isUsable() {
			try {
				return DockerClientFactory.instance().isDockerAvailable();
			}
			catch (ContainerFetchException ex) {
				return false;
			}
		}

	}

}
