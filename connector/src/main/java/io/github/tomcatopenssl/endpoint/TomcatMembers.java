// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.catalina.util.ServerInfo;
import org.jspecify.annotations.Nullable;

/**
 * The methods of Tomcat that the endpoint, the channel and the connection override: all
 * that are public or protected there. A version of Tomcat that has renamed one of them
 * would no longer call this project's version of it, and bytes could go past the session.
 */
final class TomcatMembers {

	private static final @Nullable String MISSING = find();

	private TomcatMembers() {
	}

	/**
	 * Return the method that this version of Tomcat lacks.
	 * @return the missing method and the version, or {@code null} if nothing is missing
	 */
	static @Nullable String missing() {
		return MISSING;
	}

	private static @Nullable String find() {
		try {
			return Stream
				.of(TlsNioEndpoint.class, TlsConnection.class, TlsChannel.class, LentBufferHandler.class,
						LastingPoller.class)
				.flatMap((type) -> Stream.ofNullable(missing(type)))
				.findFirst()
				.orElse(null);
		}
		catch (LinkageError ex) {
			return "Tomcat %s is not compatible ('%s')".formatted(ServerInfo.getServerNumber(), ex.getMessage());
		}
	}

	static @Nullable String missing(Class<?> type) {
		Class<?> parent = type.getSuperclass();
		return Arrays.stream(type.getDeclaredMethods())
			.filter((method) -> (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0)
			.filter((method) -> !overrides(method, parent) && !implementsOne(method, type))
			.findFirst()
			.map((method) -> "Tomcat %s has no '%s' in %s".formatted(ServerInfo.getServerNumber(), describe(method),
					parent.getSimpleName()))
			.orElse(null);
	}

	private static boolean overrides(Method method, Class<?> parent) {
		return isAmong(Stream.iterate(parent, (next) -> next != null, Class::getSuperclass), method);
	}

	// Interfaces of this project
	private static boolean implementsOne(Method method, Class<?> type) {
		return isAmong(Arrays.stream(type.getInterfaces()), method);
	}

	private static boolean isAmong(Stream<Class<?>> types, Method method) {
		return types.flatMap((type) -> Arrays.stream(type.getDeclaredMethods()))
			.anyMatch((inherited) -> inherited.getName().equals(method.getName())
					&& Arrays.equals(inherited.getParameterTypes(), method.getParameterTypes()));
	}

	private static String describe(Method method) {
		return method.getName() + Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(",", "(", ")"));
	}

}
