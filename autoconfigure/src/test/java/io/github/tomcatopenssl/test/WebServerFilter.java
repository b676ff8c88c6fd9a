// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.util.stream.Stream;

import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/**
 * Hides web servers other than {@code server.test.web-server} from the applications of
 * tests, whose class path has several: {@code jetty}, {@code reactor.netty}, or by
 * default Tomcat. Hides Spring Cloud unless {@code server.test.cloud} is set.
 */
class WebServerFilter implements AutoConfigurationImportFilter, EnvironmentAware {

	private String webServer = "tomcat";

	private boolean cloud;

	@Override
	public void setEnvironment(Environment environment) {
		this.webServer = environment.getProperty("server.test.web-server", this.webServer);
		this.cloud = environment.getProperty("server.test.cloud", Boolean.class, false);
	}

	@Override
	public boolean[] match(String[] autoConfigurations, AutoConfigurationMetadata metadata) {
		boolean[] matches = new boolean[autoConfigurations.length];
		for (int i = 0; i < matches.length; i++) {
			String name = String.valueOf(autoConfigurations[i]);
			matches[i] = Stream.of("tomcat", "jetty", "reactor.netty")
				.filter((server) -> name.startsWith("org.springframework.boot." + server + ".autoconfigure."))
				.allMatch(this.webServer::equals) && (this.cloud || !name.startsWith("org.springframework.cloud."));
		}
		return matches;
	}

}
