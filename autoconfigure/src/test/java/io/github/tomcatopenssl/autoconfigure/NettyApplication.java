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

import io.netty.handler.ssl.OpenSsl;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleEvent;
import org.apache.catalina.core.AprLifecycleListener;
import org.apache.catalina.core.StandardServer;
import org.apache.tomcat.jni.AprStatus;

/**
 * Loads Tomcat Native and Netty's library, which has a similar name, in any order.
 */
public final class NettyApplication {

	private NettyApplication() {
	}

	/**
	 * Take the steps that the system property {@code steps} names.
	 * @param arguments the arguments of each application
	 */
	public static void main(String[] arguments) {
		for (String step : System.getProperty("steps").split(" ")) {
			switch (step) {
				case "netty" -> OpenSsl.ensureAvailability();
				case "tomcat" -> initializeTomcatNative();
				default -> ForkedApplication.main(arguments);
			}
		}
	}

	// As an application does that adds the listener itself
	private static void initializeTomcatNative() {
		new AprLifecycleListener()
			.lifecycleEvent(new LifecycleEvent(new StandardServer(), Lifecycle.BEFORE_INIT_EVENT, null));
		if (!AprStatus.isAprAvailable()) {
			throw new IllegalStateException("Tomcat has not loaded its library");
		}
	}

}
