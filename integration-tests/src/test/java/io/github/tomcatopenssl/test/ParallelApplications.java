// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Starts applications at the same time in one JVM.
 */
public final class ParallelApplications {

	public static final int COUNT = 4;

	private ParallelApplications() {
	}

	/**
	 * Start and close the applications.
	 * @param arguments the arguments of each
	 * @throws Exception if one does not start
	 */
	public static void main(String[] arguments) throws Exception {
		// Spring Boot's logging cannot be set up by several at once
		new SpringApplicationBuilder(Object.class).web(WebApplicationType.NONE).run(arguments).close();
		System.setProperty(LoggingSystem.SYSTEM_PROPERTY, LoggingSystem.NONE);
		CyclicBarrier barrier = new CyclicBarrier(COUNT);
		List<Callable<ConfigurableApplicationContext>> starts = new ArrayList<>();
		for (int i = 0; i < COUNT; i++) {
			starts.add(() -> {
				barrier.await();
				return new SpringApplicationBuilder(TestServer.Application.class).web(WebApplicationType.SERVLET)
					.properties("spring.jmx.enabled=false")
					.run(arguments);
			});
		}
		int status = 1;
		try {
			for (Future<ConfigurableApplicationContext> start : Executors.newFixedThreadPool(COUNT).invokeAll(starts)) {
				start.get();
			}
			status = 0;
		}
		finally {
			System.exit(status);
		}
	}

}
