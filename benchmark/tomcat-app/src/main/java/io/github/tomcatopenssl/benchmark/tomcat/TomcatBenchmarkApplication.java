// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.benchmark.tomcat;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * The benchmark's application on Tomcat.
 */
@SpringBootApplication
public class TomcatBenchmarkApplication {

	public static void main(String[] args) {
		SpringApplication.run(TomcatBenchmarkApplication.class, args);
	}

}
