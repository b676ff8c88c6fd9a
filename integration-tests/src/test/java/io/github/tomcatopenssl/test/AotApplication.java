// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.mockito.MockedStatic;
import org.mockito.Mockito;

import org.springframework.boot.SpringApplication;
import org.springframework.core.NativeDetector;
import org.springframework.util.ClassUtils;

import static org.mockito.ArgumentMatchers.any;

/**
 * Starts an application and closes it again, in a JVM in which the starter sees a native
 * image, on any version of Java. As there, the starter finds by name only the classes
 * that the AOT output registers.
 */
public final class AotApplication {

	/**
	 * The system property with the file of the registered classes.
	 */
	public static final String METADATA = "test.reachability-metadata";

	private AotApplication() {
	}

	/**
	 * Start and close the application.
	 * @param arguments the arguments of the application
	 * @throws Exception if the registered classes cannot be read
	 */
	public static void main(String[] arguments) throws Exception {
		String metadata = System.getProperty(METADATA);
		if (metadata == null) {
			// The AOT processor ends the start here
			SpringApplication.run(TestServer.Application.class, arguments);
			return;
		}
		Set<String> registered = Pattern.compile("\"type\": ?\"([^\"]+)\"")
			.matcher(Files.readString(Path.of(metadata)))
			.results()
			.map((type) -> type.group(1))
			.collect(Collectors.toSet());
		try (MockedStatic<ClassUtils> lookups = Mockito.mockStatic(ClassUtils.class, Mockito.CALLS_REAL_METHODS);
				MockedStatic<NativeDetector> detector = Mockito.mockStatic(NativeDetector.class,
						Mockito.CALLS_REAL_METHODS)) {
			detector.when(NativeDetector::inNativeImage).thenAnswer((detection) -> isOurs(NativeDetector.class));
			lookups.when(() -> ClassUtils.isPresent(any(), any()))
				.thenAnswer(
						(lookup) -> (!isOurs(ClassUtils.class) || registered.contains(lookup.<String>getArgument(0)))
								&& (boolean) lookup.callRealMethod());
			SpringApplication.run(TestServer.Application.class, arguments).close();
		}
	}

	private static boolean isOurs(Class<?> called) {
		return StackWalker.getInstance()
			.walk((frames) -> frames.map(StackWalker.StackFrame::getClassName)
				.dropWhile((name) -> !name.equals(called.getName()))
				.dropWhile((name) -> name.equals(called.getName()))
				.findFirst()
				.orElse("")
				.startsWith("io.github.tomcatopenssl."));
	}

}
