// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.benchmark.tomcat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import com.sun.management.ThreadMXBean;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
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
	String hello() {
		return "ok";
	}

	@GetMapping(path = "/bytes/{size}", produces = MediaType.APPLICATION_OCTET_STREAM_VALUE)
	byte[] bytes(@PathVariable int size) {
		return this.bodies.computeIfAbsent(Math.min(size, MAX_SIZE), byte[]::new);
	}

	// A line for each thread: how many bytes of the heap it has allocated, and its name.
	// Makes little garbage, which is counted the next time
	@GetMapping(path = "/allocated", produces = MediaType.TEXT_PLAIN_VALUE)
	String allocated() {
		ThreadMXBean management = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		Thread[] threads = new Thread[1000];
		int count = Thread.enumerate(threads);
		StringBuilder lines = new StringBuilder(64 * count);
		for (int i = 0; i < count; i++) {
			lines.append(management.getThreadAllocatedBytes(threads[i].getId())).append(' ');
			lines.append(threads[i].getName()).append('\n');
		}
		return lines.toString();
	}

	@GetMapping("/json")
	ResponseEntity<Orders> json() {
		return Orders.response();
	}

	@PostMapping("/echo")
	void echo(HttpServletRequest request, HttpServletResponse response) throws IOException {
		response.setContentType(MediaType.APPLICATION_OCTET_STREAM_VALUE);
		try (InputStream in = request.getInputStream()) {
			in.transferTo(response.getOutputStream());
		}
	}

}
