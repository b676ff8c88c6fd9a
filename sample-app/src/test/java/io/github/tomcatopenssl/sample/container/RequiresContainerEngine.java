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

/**
 * Tests that run the project's images. Without a container engine that has, or can pull,
 * what they are built from, they are skipped; in CI, they fail.
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
				Provided.containerEngine(ContainerEngine.missing());
				Provided.bundledLibrary(getClass());
				return ConditionEvaluationResult.enabled("a container engine answers, and has images");
			}
			catch (TestAbortedException ex) {
				return ConditionEvaluationResult.disabled(ex.getMessage());
			}
		}

	}

}
