// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.SSLContext;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Starts an application in a JVM of its own and closes it again: a JVM loads one Tomcat
 * Native only.
 */
public final class ForkedApplication {

	private ForkedApplication() {
	}

	public static Commands.Result run(List<String> jvmOptions, String... arguments) {
		List<String> options = new ArrayList<>(jvmOptions);
		options.add("-Dspring.devtools.restart.enabled=false");
		return run(ForkedApplication.class, options, arguments);
	}

	public static Commands.Result run(Class<?> application, List<String> jvmOptions, String... arguments) {
		return Commands.run("", command(application, jvmOptions, List.of(arguments)));
	}

	public static List<String> command(Class<?> application, List<String> jvmOptions, List<String> arguments) {
		List<String> all = new ArrayList<>(List.of("--server.port=0", "--spring.main.banner-mode=off"));
		all.addAll(arguments);
		return Commands.java(application, jvmOptions, all);
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

	/**
	 * Start the application, have a client connect to it, and end the JVM.
	 * @param arguments the arguments of the application, with a bundle named 'client'
	 * @param client the client
	 * @throws Exception if the application does not start, or the client fails
	 */
	static void serve(String[] arguments, Client client) throws Exception {
		int status = 1;
		try {
			ConfigurableApplicationContext context = new SpringApplicationBuilder(TestServer.Application.class)
				.web(WebApplicationType.SERVLET)
				.run(arguments);
			client.connect(context.getBean(SslBundles.class).getBundle("client").createSslContext(),
					((WebServerApplicationContext) context).getWebServer().getPort());
			status = 0;
		}
		catch (Throwable ex) {
			ex.printStackTrace();
		}
		finally {
			System.exit(status);
		}
	}

	/**
	 * A client of the application, in the same JVM.
	 */
	interface Client {

		void connect(SSLContext context, int port) throws Exception;

	}

}
