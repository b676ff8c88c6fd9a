/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

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

/**
 * Tests that run the project's images. They are skipped where no container engine
 * answers, and fail there in CI.
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
				Provided.containerEngine(DockerClientFactory.instance().isDockerAvailable());
				Provided.bundledLibrary(getClass());
				return ConditionEvaluationResult.enabled("a container engine answers");
			}
			catch (TestAbortedException ex) {
				return ConditionEvaluationResult.disabled(ex.getMessage());
			}
		}

	}

}
