// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/**
 * Hides web servers other than {@code server.test.web-server} from the applications of
 * tests, whose class path has several: {@code jetty}, {@code reactor.netty}, or by
 * default Tomcat. Hides Spring Cloud unless {@code server.test.cloud} is set, and
 * Actuator, with which a start takes 40 % more CPU time, unless a property of
 * {@code management} or {@code server.test.actuator} is set.
 */
class WebServerFilter implements AutoConfigurationImportFilter, EnvironmentAware {

	private static final Pattern ACTUATOR = Pattern.compile(
			"org\\.springframework\\.boot\\.((actuate|health|micrometer)\\..*|.*\\.autoconfigure\\.(actuate|metrics)\\..*)");

	private String webServer = "tomcat";

	private boolean cloud;

	private boolean actuator;

	@Override
	public void setEnvironment(Environment environment) {
		this.webServer = environment.getProperty("server.test.web-server", this.webServer);
		this.cloud = environment.getProperty("server.test.cloud", Boolean.class, false);
		this.actuator = environment.getProperty("server.test.actuator", Boolean.class, false)
				|| Binder.get(environment).bind("management", Bindable.mapOf(String.class, String.class)).isBound();
	}

	@Override
	public boolean[] match(String[] autoConfigurations, AutoConfigurationMetadata metadata) {
		boolean[] matches = new boolean[autoConfigurations.length];
		for (int i = 0; i < matches.length; i++) {
			String name = String.valueOf(autoConfigurations[i]);
			matches[i] = Stream.of("tomcat", "jetty", "reactor.netty")
				.filter((server) -> name.startsWith("org.springframework.boot." + server + ".autoconfigure."))
				.allMatch(this.webServer::equals) && (this.cloud || !name.startsWith("org.springframework.cloud."))
					&& (this.actuator || !ACTUATOR.matcher(name).matches());
		}
		return matches;
	}

}
