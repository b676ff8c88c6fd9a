// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Lets the application of a test wait a tenth of the time before it uses new files. How
 * long it does wait is tested with a clock of the tests.
 */
public final class FastReloads implements BeanPostProcessor {

	@Override
	public Object postProcessBeforeInitialization(Object bean, String name) {
		if (bean instanceof CertificateWatcher watcher) {
			watcher.accelerate(10);
		}
		return bean;
	}

}
