// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.core.env.SimpleCommandLinePropertySource;

/**
 * Starts an application and closes it again, in a JVM that pretends to be a native image.
 * Does not use {@code SpringApplication}, which would require generated code in a native
 * image.
 */
public final class NativeImageApplication {

	/**
	 * What tells a native image (GraalVM's {@code ImageInfo}).
	 */
	public static final String OPTION = "-Dorg.graalvm.nativeimage.imagecode=runtime";

	private NativeImageApplication() {
	}

	/**
	 * Start and close the application.
	 * @param arguments the arguments of the application
	 */
	public static void main(String[] arguments) {
		try (var context = new AnnotationConfigServletWebServerApplicationContext()) {
			context.getEnvironment().getPropertySources().addFirst(new SimpleCommandLinePropertySource(arguments));
			context.register(TestServer.Application.class);
			context.refresh();
		}
	}

}
