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

package io.github.tomcatopenssl.library;

import java.lang.module.ModuleDescriptor.Version;

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleEvent;
import org.apache.catalina.core.AprLifecycleListener;
import org.apache.catalina.core.StandardServer;
import org.apache.tomcat.jni.AprStatus;
import org.apache.tomcat.jni.Library;

/**
 * Verifies the library that this JVM has loaded: its version, that of Tomcat, and whether
 * Tomcat accepts it.
 */
final class LibraryVerifier {

	private LibraryVerifier() {
	}

	/**
	 * Verify the library, once: it stays initialized if it is accepted.
	 * @param location the library's file
	 * @return the attempt, which may be a refusal
	 */
	static LoadAttempt verify(String location) {
		Version version = Versions.ofLoadedLibrary();
		if (!Versions.isSafe(version)) {
			if (!AprStatus.isAprInitialized()) {
				Library.terminate();
			}
			return LoadAttempt.failed(location, Result.TOO_OLD, Versions.refusal(version));
		}
		Version tomcat = Versions.ofTomcat();
		if (!Versions.worksWithSafeTomcatNative(tomcat)) {
			return LoadAttempt.failed(location, Result.OLD_TOMCAT,
					"Tomcat %s does not work with version %s".formatted(tomcat, version));
		}
		if (!isAcceptedByTomcat()) {
			return LoadAttempt.failed(location, Result.REFUSED_BY_TOMCAT,
					"this Tomcat does not accept version " + version);
		}
		keepInitialized();
		return LoadAttempt.loaded(location);
	}

	private static boolean isAcceptedByTomcat() {
		// A failure before this library was loaded must not count
		if (AprStatus.isAprInitialized() && !AprStatus.isAprAvailable()) {
			AprStatus.setAprInitialized(false);
		}
		AprStatus.setInstanceCreated(true);
		return AprLifecycleListener.isAprAvailable();
	}

	/**
	 * Tomcat terminates APR when the last server is destroyed that has the listener. A
	 * server without it, which uses OpenSSL all the same, or a thread that outlives its
	 * server would then crash the JVM. One reference for the life of the JVM prevents
	 * that.
	 */
	private static void keepInitialized() {
		new AprLifecycleListener()
			.lifecycleEvent(new LifecycleEvent(new StandardServer(), Lifecycle.BEFORE_INIT_EVENT, null));
	}

}
