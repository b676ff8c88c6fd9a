// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ClassPathResource;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.HtmlUtils;

/**
 * The pages of the sample.
 */
@RestController
class SampleController {

	private final TlsReporter reporter;

	private final CertificateReporter certificateReporter;

	private final String page;

	SampleController(TlsReporter reporter, CertificateReporter certificateReporter) throws IOException {
		this.reporter = reporter;
		this.certificateReporter = certificateReporter;
		this.page = new ClassPathResource("page.html").getContentAsString(StandardCharsets.UTF_8);
	}

	@GetMapping(path = "/", produces = MediaType.TEXT_HTML_VALUE)
	String page(HttpServletRequest request) {
		TlsReport report = this.reporter.report(request);
		Map<String, @Nullable Object> rows = new LinkedHashMap<>();
		rows.put("OpenSSL", report.openSslVersion());
		rows.put("Tomcat Native", report.tomcatNativeVersion());
		rows.put("Library", report.library());
		rows.put("TLS version", report.protocol());
		rows.put("Cipher suite", report.cipherSuite());
		rows.put("Key exchange", (report.group() != null)
				? report.group() + (report.postQuantum() ? ", post-quantum" : ", not post-quantum") : null);
		rows.put("Groups allowed", String.join(", ", report.groups()));
		rows.put("HTTP", report.httpProtocol());
		CertificateReport certificates = this.certificateReporter.report();
		int number = 1;
		for (CertificateReport.Entry certificate : certificates.chain()) {
			rows.put("Certificate " + number++, "%s, issued by %s, expires in %d days (%s)".formatted(
					certificate.subject(), certificate.issuer(), certificate.daysLeft(), certificate.validUntil()));
		}
		rows.put("Last reload", (certificates.lastReload() != null) ? certificates.lastReload() : "none");
		rows.put("Refused", certificates.refused());
		rows.values().removeIf(Objects::isNull);
		return this.page.replace("{engine}", HtmlUtils.htmlEscape(report.engine()))
			.replace("{rows}", rows.entrySet().stream().map(SampleController::row).collect(Collectors.joining("\n")));
	}

	private static String row(Map.Entry<String, @Nullable Object> row) {
		return "<tr><th>%s</th><td>%s</td></tr>".formatted(row.getKey(),
				HtmlUtils.htmlEscape(String.valueOf(row.getValue())));
	}

	@GetMapping("/tls")
	TlsReport tls(HttpServletRequest request) {
		return this.reporter.report(request);
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
