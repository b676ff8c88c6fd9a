// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.devtools.restart.Restarter;
import org.springframework.context.ApplicationListener;
import org.springframework.util.ClassUtils;

/**
 * An application that DevTools restarts twice as soon as it is ready.
 */
public final class DevToolsApplication {

	private static final int STARTS = 3;

	private DevToolsApplication() {
	}

	/**
	 * Start the application.
	 * @param arguments the arguments of the application
	 */
	public static void main(String[] arguments) {
		new SpringApplicationBuilder(TestServer.Application.class).web(WebApplicationType.SERVLET)
			.listeners((ApplicationListener<ApplicationReadyEvent>) (event) -> ready())
			.run(arguments);
	}

	// A system property, as the class loader of this class does not outlive a restart
	private static void ready() {
		int starts = Integer.getInteger("starts", 0) + 1;
		System.setProperty("starts", String.valueOf(starts));
		boolean restarted = ClassUtils.isPresent(Restarter.class.getName(), null);
		if (starts < STARTS && restarted) {
			Restarter.getInstance().restart();
			return;
		}
		System.exit((starts == STARTS) ? 0 : 1);
	}

}
