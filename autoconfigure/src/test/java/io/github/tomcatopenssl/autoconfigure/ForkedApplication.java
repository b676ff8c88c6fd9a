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

package io.github.tomcatopenssl.autoconfigure;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.test.Commands;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;

/**
 * Starts an application in a JVM of its own and closes it again: a JVM loads one Tomcat
 * Native only.
 */
public final class ForkedApplication {

	private ForkedApplication() {
	}

	static Commands.Result run(List<String> jvmOptions, String... arguments) {
		List<String> options = new ArrayList<>(jvmOptions);
		options.add("-Dspring.devtools.restart.enabled=false");
		return run(ForkedApplication.class, options, arguments);
	}

	static Commands.Result run(Class<?> application, List<String> jvmOptions, String... arguments) {
		return Commands.run("", command(application, jvmOptions, List.of(arguments)));
	}

	static List<String> command(Class<?> application, List<String> jvmOptions, List<String> arguments) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		if (Runtime.version().feature() >= 24) {
			command.add("--enable-native-access=ALL-UNNAMED");
		}
		command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
		command.addAll(jvmOptions);
		command.addAll(List.of("-cp", System.getProperty("java.class.path"), application.getName()));
		command.addAll(List.of("--server.port=0", "--spring.main.banner-mode=off"));
		command.addAll(arguments);
		return command;
	}

	/**
	 * Start and close the application.
	 * @param arguments the arguments of the application
	 */
	public static void main(String[] arguments) {
		new SpringApplicationBuilder(TestServer.Application.class).web(WebApplicationType.SERVLET)
			.run(arguments)
			.close();
	}

}
