// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.check;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/**
 * Analyzes failures with the analyzers that a start asks.
 */
final class Failures {

	private static final Log logger = LogFactory.getLog(Failures.class);

	private Failures() {
	}

	/**
	 * Return what a start would report about a failure.
	 * @param failure the failure
	 * @param beanFactory the bean factory, if there is one
	 * @param environment the environment, if there is one
	 * @return the analysis
	 */
	static FailureAnalysis analyze(Throwable failure, @Nullable BeanFactory beanFactory,
			@Nullable Environment environment) {
		ArgumentResolver arguments = ArgumentResolver.none();
		if (beanFactory != null) {
			arguments = arguments.and(BeanFactory.class, beanFactory);
		}
		if (environment != null) {
			arguments = arguments.and(Environment.class, environment);
		}
		for (FailureAnalyzer analyzer : SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, arguments, FailureHandler.logging(logger))) {
			FailureAnalysis analysis = analyze(failure, analyzer);
			if (analysis != null) {
				return analysis;
			}
		}
		logger.error("The check has failed", failure);
		return new FailureAnalysis(String.valueOf(NestedExceptionUtils.getMostSpecificCause(failure)), null, failure);
	}

	private static @Nullable FailureAnalysis analyze(Throwable failure, FailureAnalyzer analyzer) {
		try {
			return analyzer.analyze(failure);
		}
		catch (Throwable ex) {
			logger.debug("%s has failed".formatted(analyzer), ex);
			return null;
		}
	}

}
