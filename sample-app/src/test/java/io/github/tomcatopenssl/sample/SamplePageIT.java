// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of the sample's page in a browser. The screenshots stay in the build folder.
 */
class SamplePageIT {

	private static final Path SCREENSHOTS = Path.of("target/screenshots");

	private TestCertificates certificates;

	@TempDir
	private Path folder;

	// Processes of a browser may write there after it has ended
	private Path home;

	@BeforeEach
	void provide() throws IOException {
		Provided.chromium();
		Provided.certutil();
		this.certificates = TestCertificates.get();
		Provided.bundledLibrary(SampleApplication.class);
		Files.createDirectories(SCREENSHOTS);
		this.home = Files.createTempDirectory("home");
	}

	@AfterEach
	void deleteHome() {
		await().atMost(Duration.ofSeconds(30))
			.ignoreExceptions()
			.until(() -> this.home == null || !FileSystemUtils.deleteRecursively(this.home));
	}

	@Test
	void whenCertificateIsReplacedThenPageShowsTheNewOne() throws Exception {
		this.certificates.join("chain.crt", "leaf.crt", "intermediate.crt");
		put("chain.crt", "leaf.key");
		try (RunningSample sample = RunningSample.start("--server.ssl.openssl.mode=always",
				"--server.ssl.certificate-file=" + this.folder.resolve("tls.crt"),
				"--server.ssl.certificate-key-file=" + this.folder.resolve("tls.key"))) {
			assertThat(browse(sample, "before", "leaf")).contains("<h1>Post-quantum</h1>", "<dd>X25519MLKEM768</dd>",
					"<dd>TLSv1.3</dd>", "<b>OpenSSL</b>", "<dd>HTTP/2.0</dd>", "<b>29</b> days left",
					"<dt>Subject</dt><dd>CN=leaf</dd>", "<dt>Issued by</dt><dd>CN=Intermediate CA</dd>",
					"<dt>Chain</dt><dd>CN=Intermediate CA, 29 days left</dd>",
					"<dt>Last reload</dt><dd>none since the start</dd>", "<button>Copy</button>");
			put("p384.crt", "p384.key");
			await().atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(sample.log()).contains("SSL bundle 'server-ssl' was reloaded"));
			assertThat(browse(sample, "after", "p384"))
				.contains("<dt>Subject</dt><dd>CN=p384</dd>", "<b>29</b> days left")
				.containsPattern("<dt>Last reload</dt><dd>\\d+ \\w{3} \\d{4}, \\d\\d:\\d\\d:\\d\\d UTC</dd>")
				.doesNotContain("CN=leaf");
			Files.writeString(this.folder.resolve("tls.key"), "");
			await().atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(sample.log()).contains("SSL bundle 'server-ssl' was not reloaded"));
			assertThat(browse(sample, "refused", "p384")).contains("CN=p384", "The current files are not in use.",
					"tls.key'): it is empty");
		}
	}

	@Test
	void whenBrowserIsToldOnceThenOpensDevelopmentServer() throws Exception {
		Path cache = this.folder.resolve("cache");
		String[] arguments = { "--spring.profiles.active=development", "--XDG_CACHE_HOME=" + cache,
				"--CAROOT=" + this.folder.resolve("mkcert") };
		try (RunningSample sample = RunningSample.start(arguments)) {
			assertThat(open(sample)).contains("ERR_CERT_AUTHORITY_INVALID").doesNotContain("<h1>Post-quantum");
			Matcher trusted = Pattern.compile("clients have to trust '(" + cache + "/.+\\.crt)'").matcher(sample.log());
			assertThat(trusted.find()).isTrue();
			trust(trusted.group(1), "P,,");
			assertThat(open(sample)).contains("<h1>Post-quantum</h1>", "CN=localhost", "<b>364</b> days left");
		}
		try (RunningSample sample = RunningSample.start(arguments)) {
			assertThat(open(sample)).contains("<h1>Post-quantum</h1>");
		}
	}

	@Test
	void whenBrowserTrustsMkcertThenOpensDevelopmentServerAtOnce() throws Exception {
		Path mkcert = Files.createDirectory(this.folder.resolve("mkcert"));
		Path root = Files.copy(this.certificates.file("ca.crt"), mkcert.resolve("rootCA.pem"));
		Files.copy(this.certificates.file("ca.key"), mkcert.resolve("rootCA-key.pem"));
		trust(root.toString(), "C,,");
		try (RunningSample sample = RunningSample.start("--spring.profiles.active=development",
				"--XDG_CACHE_HOME=" + this.folder.resolve("cache"), "--CAROOT=" + mkcert)) {
			assertThat(open(sample)).contains("<h1>Post-quantum</h1>", "<dt>Issued by</dt><dd>CN=Test CA</dd>");
		}
	}

	private void trust(String certificate, String flags) throws IOException {
		Path database = Files.createDirectories(this.home.resolve(".pki/nssdb"));
		Commands.run("", List.of("certutil", "-N", "-d", "sql:" + database, "--empty-password")).orFail();
		Commands
			.run("", List.of("certutil", "-A", "-d", "sql:" + database, "-n", "development", "-t", flags, "-i",
					certificate))
			.orFail();
	}

	// As a user does, who has no option for certificates
	private String open(RunningSample sample) throws IOException {
		return await().atMost(Duration.ofMinutes(1))
			.until(() -> Commands.run("",
					List.of("env", "HOME=" + this.home, "chromium", "--headless", "--no-sandbox", "--disable-gpu",
							"--disable-dev-shm-usage", "--user-data-dir=" + this.home.resolve("profile"), "--dump-dom",
							sample.uri() + "/"))
				.output(), (page) -> page.contains("</html>") || page.contains("Page load failed: net::ERR_CERT_"));
	}

	private String browse(RunningSample sample, String name, String certificate)
			throws IOException, GeneralSecurityException {
		Path screenshot = SCREENSHOTS.resolve(name + ".png").toAbsolutePath();
		List<String> command = new ArrayList<>(List.of("chromium", "--headless", "--no-sandbox", "--disable-gpu",
				"--disable-dev-shm-usage", "--window-size=1280,1400", "--user-data-dir=" + this.folder.resolve(name),
				"--ignore-certificate-errors-spki-list=" + publicKey(certificate)));
		// A browser that has just been installed may give up on its first page
		await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
			String output = Commands.run("", with(command, "--screenshot=" + screenshot, sample.uri() + "/"))
				.orFail()
				.output();
			assertThat(screenshot).as(output).isNotEmptyFile();
		});
		return Commands.run("", with(command, "--dump-dom", sample.uri() + "/")).orFail().output();
	}

	// The browser trusts the certificate of this key, and goes on refusing all others
	private String publicKey(String certificate) throws IOException, GeneralSecurityException {
		byte[] key = CertificateFactory.getInstance("X.509")
			.generateCertificate(Files.newInputStream(this.certificates.file(certificate + ".crt")))
			.getPublicKey()
			.getEncoded();
		return Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(key));
	}

	private static List<String> with(List<String> command, String... more) {
		List<String> all = new ArrayList<>(command);
		all.addAll(List.of(more));
		return all;
	}

	private void put(String certificate, String key) throws IOException {
		Files.copy(this.certificates.file(certificate), this.folder.resolve("tls.crt"),
				StandardCopyOption.REPLACE_EXISTING);
		Files.copy(this.certificates.file(key), this.folder.resolve("tls.key"), StandardCopyOption.REPLACE_EXISTING);
	}

}
