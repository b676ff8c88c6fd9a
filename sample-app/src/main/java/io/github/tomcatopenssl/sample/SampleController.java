// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample;

import java.io.IOException;
import java.io.InputStream;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Endpoints for programs.
 */
@RestController
class SampleController {

	private final TlsReporter tlsReporter;

	private final CertificateReporter certificateReporter;

	SampleController(TlsReporter tlsReporter, CertificateReporter certificateReporter) {
		this.tlsReporter = tlsReporter;
		this.certificateReporter = certificateReporter;
	}

	@GetMapping("/tls")
	TlsReport tls(HttpServletRequest request) {
		return this.tlsReporter.report(request);
	}

	@GetMapping("/certificates")
	CertificateReport certificates() {
		return this.certificateReporter.report();
	}

	@GetMapping(path = "/hello", produces = MediaType.TEXT_PLAIN_VALUE)
	String hello() {
		return "ok";
	}

	@PostMapping("/echo")
	void echo(HttpServletRequest request, HttpServletResponse response) throws IOException {
		response.setContentType(MediaType.APPLICATION_OCTET_STREAM_VALUE);
		try (InputStream in = request.getInputStream()) {
			in.transferTo(response.getOutputStream());
		}
	}

}
