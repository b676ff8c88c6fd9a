// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.check;

import io.github.tomcatopenssl.internal.store.DryRun;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.LifecycleProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What a check has instead of the application: a web server, which is not started.
 */
@Configuration(proxyBeanMethods = false)
class TlsCheckConfiguration {

	@Bean
	LifecycleProcessor lifecycleProcessor() {
		return new NothingStarts();
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "org.springframework.boot.tomcat.TomcatWebServerFactory")
	static class TomcatConfiguration {

		@Bean
		CheckedConnectors checkedConnectors(DryRun dryRun) {
			return new CheckedConnectors(dryRun.serverFolder());
		}

	}

	/**
	 * Starts neither the web server nor anything else.
	 */
	private static final class NothingStarts implements LifecycleProcessor {

		@Override
		public void onRefresh() {
		}

		@Override
		public void onClose() {
		}

		@Override
		public void start() {
		}

		@Override
		public void stop() {
		}

		@Override
		public boolean isRunning() {
			return false;
		}

	}

}
