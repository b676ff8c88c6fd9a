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
