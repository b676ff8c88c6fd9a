// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.benchmark.tomcat;

import java.util.List;
import java.util.stream.IntStream;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/**
 * What most services answer: JSON of 2 KB, and ten response headers.
 *
 * @param orders sixteen of the same length
 */
record Orders(List<Order> orders) {

	private static final HttpHeaders HEADERS = new HttpHeaders();

	static {
		HEADERS.set("Cache-Control", "no-cache, no-store, max-age=0, must-revalidate");
		HEADERS.set("Content-Security-Policy", "default-src 'self'");
		HEADERS.set("Permissions-Policy", "geolocation=()");
		HEADERS.set("Pragma", "no-cache");
		HEADERS.set("Referrer-Policy", "no-referrer");
		HEADERS.set("Server-Timing", "db;dur=1.3, app;dur=2.1");
		HEADERS.set("Strict-Transport-Security", "max-age=31536000");
		HEADERS.set("Vary", "Origin");
		HEADERS.set("X-Content-Type-Options", "nosniff");
		HEADERS.set("X-Frame-Options", "DENY");
	}

	static ResponseEntity<Orders> response() {
		List<Order> orders = IntStream.range(10, 26)
			.mapToObj((id) -> new Order(id, "customer-" + id, "a product with name", 3, true,
					"delivered on the next day"))
			.toList();
		return ResponseEntity.ok().headers(HEADERS).contentType(MediaType.APPLICATION_JSON).body(new Orders(orders));
	}

	record Order(int id, String customer, String product, int quantity, boolean paid, String note) {

	}

}
