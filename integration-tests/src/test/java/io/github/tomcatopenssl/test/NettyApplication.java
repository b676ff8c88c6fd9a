// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import io.netty.handler.ssl.OpenSsl;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleEvent;
import org.apache.catalina.core.AprLifecycleListener;
import org.apache.catalina.core.StandardServer;
import org.apache.tomcat.jni.AprStatus;

/**
 * Loads Tomcat Native and Netty's library, which has a similar name, in either order.
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
