// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;

import com.samskivert.mustache.Mustache;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.ui.ExtendedModelMap;
import org.springframework.ui.Model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link PageController} and its template.
 */
class PageControllerTests {

	private static final List<String> HYBRID = List.of("X25519MLKEM768");

	private static final List<String> DEFAULT = List.of("X25519MLKEM768", "x25519", "secp256r1");

	private static final Instant EXPIRY = Instant.parse("2027-02-21T02:51:10Z");

	private static final Pattern COMMAND = Pattern.compile("<pre><code>(.*?)</code>", Pattern.DOTALL);

	private final MockEnvironment environment = new MockEnvironment();

	private final MockHttpServletRequest request = new MockHttpServletRequest();

	private final MockHttpServletResponse response = new MockHttpServletResponse();

	@BeforeEach
	void useTls() {
		this.request.setScheme("https");
		this.request.setServerPort(443);
	}

	@Test
	void whenGroupIsHybridThenHeadlineIsPostQuantum() throws Exception {
		assertThat(page(tls("X25519MLKEM768", DEFAULT), certificates())).contains(
				"<title>Post-quantum: X25519MLKEM768</title>", "<header class=\"yes\">", "<h1>Post-quantum</h1>",
				"<dd>X25519MLKEM768</dd>", "<dd>TLSv1.3</dd>", "<dd>TLS_<wbr>AES_<wbr>128_<wbr>GCM_<wbr>SHA256</dd>",
				"--curves P-256", "\"postQuantum\":false", "<dt>Key exchange</dt>",
				"should stay unreadable even to a future quantum computer");
	}

	@Test
	void whenGroupIsNotHybridThenHeadlineSaysWhoDidNotWantIt() throws Exception {
		assertThat(page(tls("secp256r1", DEFAULT), certificates()))
			.contains("<title>Not post-quantum: secp256r1</title>", "<header class=\"no\">",
					"<h1>Not post-quantum</h1>", "your client did not take it", "--curves X25519")
			.doesNotContain("<h1>Post-quantum");
		assertThat(page(tls("x25519", List.of("x25519")), certificates())).contains("<h1>Not post-quantum</h1>",
				"This server offers no post-quantum key exchange");
	}

	@Test
	void whenServerAllowsOtherGroupsThenCommandHasOneOfThem() throws Exception {
		List<String> groups = List.of("X25519MLKEM768", "x25519");
		assertThat(page(tls("X25519MLKEM768", groups), certificates())).contains("--curves X25519")
			.doesNotContain("refuses the handshake");
		assertThat(page(tls("X25519MLKEM768", HYBRID), certificates())).contains("--curves P-256",
				"refuses the handshake");
		assertThat(page(tls("x25519", List.of()), certificates())).contains("--curves P-256")
			.doesNotContain("refuses the handshake");
	}

	@Test
	void whenConnectionHasNoTlsThenHeadlineSaysSo() throws Exception {
		TlsReport none = new TlsReport("none", null, null, null, null, "HTTP/1.1", null, null, List.of(), null, false);
		assertThat(page(none, new CertificateReport(List.of(), null, null)))
			.contains("<h1>Not encrypted</h1>", "It does not come from certificate files")
			.doesNotContain("Cipher suite", "curl");
	}

	@Test
	void whenJsseServesThenSaysWhy() throws Exception {
		TlsReport jsse = new TlsReport("JSSE", "it is cut off", null, null, null, "HTTP/1.1", "TLSv1.3",
				"TLS_AES_128_GCM_SHA256", DEFAULT, "x25519", false);
		assertThat(page(jsse, certificates())).contains("OpenSSL does not serve TLS: it is cut off");
		assertThat(page(tls("x25519", DEFAULT), certificates())).doesNotContain("does not serve TLS");
	}

	@Test
	void whenThereIsACertificateThenShowsDaysLeftAndLastReload() throws Exception {
		assertThat(page(tls("x25519", DEFAULT), certificates())).contains("<p class=\"value\"><b>89</b> days left</p>",
				"<dd>21 Feb 2027, 02:51:10 UTC</dd>", "<dt>Last reload</dt><dd>none since the start</dd>");
		CertificateReport reloaded = new CertificateReport(List.of(entry("CN=leaf", 3), entry("CN=CA", 400)),
				Instant.parse("2026-11-23T02:51:12Z"), null);
		assertThat(page(tls("x25519", DEFAULT), reloaded)).contains("<p class=\"value warn\"><b>3</b> days left</p>",
				"<dt>Chain</dt><dd>CN&#x3D;CA, 400 days left</dd>",
				"<dt>Last reload</dt><dd>23 Nov 2026, 02:51:12 UTC</dd>");
	}

	@Test
	void whenValuesHaveMarkupThenItIsEscaped() throws Exception {
		String markup = "<script>alert('\"')</script>";
		TlsReport tls = new TlsReport(markup, markup, markup, markup, markup, markup, markup, markup, List.of(markup),
				markup, false);
		CertificateReport certificates = new CertificateReport(List.of(entry(markup, 1), entry(markup, 1)), null,
				markup);
		this.request.setServerName(markup);
		assertThat(page(tls, certificates)).contains("&lt;script&gt;alert(&#39;&quot;&#39;)&lt;/script&gt;")
			.doesNotContain("<script>")
			.doesNotContain("('");
	}

	@Test
	void whenStartedByScriptThenCommandsAreForTheClone() throws Exception {
		this.environment.setActiveProfiles("development");
		this.request.setServerPort(8443);
		assertThat(commands()).containsExactly("sample-app/replace-certificate.sh", """
				curl --cacert .cache/sample.crt \\
				--curves P-256 \\
				https://localhost:8443/tls""", """
				curl --cacert .cache/sample.crt -s \\
				https://localhost:8443/actuator/prometheus |
				grep tomcat_ssl_key_exchange""");
		this.request.setServerPort(9443);
		assertThat(commands().get(0)).isEqualTo("sample-app/replace-certificate.sh 9443");
	}

	@Test
	void whenNotStartedByScriptThenCommandsNameFilesOfTheReader() throws Exception {
		this.environment.setProperty("management.server.port", "9443");
		assertThat(commands()).containsExactly("cp new.crt CERTIFICATE_FILE\ncp new.key CERTIFICATE_KEY_FILE", """
				curl --cacert FILE \\
				--curves P-256 \\
				https://localhost/tls""", """
				curl --cacert FILE -s \\
				https://localhost:9443/actuator/prometheus |
				grep tomcat_ssl_key_exchange""");
	}

	@Test
	void whenPageIsLoadedThenNothingFromElsewhereIs() throws Exception {
		String page = page(tls("x25519", DEFAULT), certificates());
		assertThat(this.response.getHeader("Content-Security-Policy")).startsWith("default-src 'none'; ")
			.doesNotContain("unsafe", "http");
		assertThat(page).contains("<link rel=\"icon\" href=\"/favicon.svg\"").doesNotContain("style=", "src=\"http");
	}

	private List<String> commands() throws IOException {
		String page = page(tls("X25519MLKEM768", DEFAULT), certificates());
		return COMMAND.matcher(page.replace("<wbr>", "")).results().map((result) -> result.group(1)).toList();
	}

	private String page(TlsReport tls, CertificateReport certificates) throws IOException {
		TlsReporter tlsReporter = mock();
		given(tlsReporter.report(any())).willReturn(tls);
		CertificateReporter certificateReporter = mock();
		given(certificateReporter.report()).willReturn(certificates);
		Model model = new ExtendedModelMap();
		String view = new PageController(tlsReporter, certificateReporter, this.environment).page(this.request,
				this.response, model);
		return Mustache.compiler()
			.compile(
					new ClassPathResource("templates/" + view + ".mustache").getContentAsString(StandardCharsets.UTF_8))
			.execute(model.asMap());
	}

	private static TlsReport tls(@Nullable String group, List<String> groups) {
		return new TlsReport("OpenSSL", null, "OpenSSL 3.5.7", "2.0.16", "bundled linux-x86_64", "HTTP/2.0", "TLSv1.3",
				"TLS_AES_128_GCM_SHA256", groups, group, "X25519MLKEM768".equals(group));
	}

	private static CertificateReport certificates() {
		return new CertificateReport(List.of(entry("CN=localhost", 89)), null, null);
	}

	private static CertificateReport.Entry entry(String subject, long daysLeft) {
		return new CertificateReport.Entry(subject, subject, EXPIRY, daysLeft);
	}

}
