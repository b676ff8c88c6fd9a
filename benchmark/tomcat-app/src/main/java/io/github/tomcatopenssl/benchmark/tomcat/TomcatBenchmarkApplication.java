// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.benchmark.tomcat;

import java.security.Security;

import org.conscrypt.Conscrypt;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * Application of all contenders with Tomcat. The system property
 * {@code benchmark.conscrypt} puts Conscrypt before the JDK's security providers.
 */
@SpringBootApplication
public class TomcatBenchmarkApplication {

	public static void main(String[] args) {
		if (Boolean.getBoolean("benchmark.conscrypt")) {
			Security.insertProviderAt(Conscrypt.newProvider(), 1);
		}
		SpringApplication.run(TomcatBenchmarkApplication.class, args);
	}

}
