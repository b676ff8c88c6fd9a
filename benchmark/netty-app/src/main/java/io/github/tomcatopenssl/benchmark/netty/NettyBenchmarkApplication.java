// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.benchmark.netty;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * Application of the contender with Reactor Netty.
 */
@SpringBootApplication
public class NettyBenchmarkApplication {

	public static void main(String[] args) {
		SpringApplication.run(NettyBenchmarkApplication.class, args);
	}

}
