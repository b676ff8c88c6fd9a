// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.benchmark.netty;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import com.sun.management.ThreadMXBean;
import reactor.core.publisher.Mono;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The requests that are measured.
 */
@RestController
class EchoController {

	private static final int MAX_SIZE = 1024 * 1024;

	private final Map<Integer, byte[]> bodies = new ConcurrentHashMap<>();

	@GetMapping(path = "/hello", produces = MediaType.TEXT_PLAIN_VALUE)
	Mono<String> hello() {
		return Mono.just("ok");
	}

	@GetMapping(path = "/bytes/{size}", produces = MediaType.APPLICATION_OCTET_STREAM_VALUE)
	Mono<byte[]> bytes(@PathVariable int size) {
		return Mono.just(this.bodies.computeIfAbsent(Math.min(size, MAX_SIZE), byte[]::new));
	}

	// A line for each thread: how many bytes of the heap it has allocated, and its name.
	// Makes little garbage, which is counted the next time
	@GetMapping(path = "/allocated", produces = MediaType.TEXT_PLAIN_VALUE)
	Mono<String> allocated() {
		ThreadMXBean management = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		Thread[] threads = new Thread[1000];
		int count = Thread.enumerate(threads);
		StringBuilder lines = new StringBuilder(64 * count);
		for (int i = 0; i < count; i++) {
			lines.append(management.getThreadAllocatedBytes(threads[i].getId())).append(' ');
			lines.append(threads[i].getName()).append('\n');
		}
		return Mono.just(lines.toString());
	}

	@GetMapping("/json")
	Mono<ResponseEntity<Orders>> json() {
		return Mono.fromSupplier(Orders::response);
	}

	@PostMapping("/echo")
	Mono<Void> echo(ServerHttpRequest request, ServerHttpResponse response) {
		response.getHeaders().setContentType(MediaType.APPLICATION_OCTET_STREAM);
		return response.writeWith(request.getBody());
	}

}
