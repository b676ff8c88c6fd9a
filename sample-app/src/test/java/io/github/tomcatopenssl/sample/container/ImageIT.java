// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample.container;

import java.io.IOException;

import io.github.tomcatopenssl.test.Provided;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;
import org.testcontainers.images.builder.ImageFromDockerfile;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the images, each in a container that may do nothing it does not need, with 256
 * MB and one CPU.
 */
@RequiresContainerEngine
@ParameterizedClass
@CsvSource(delimiter = '|', textBlock = """
		bundled | TRIXIE   | 3.5. | Negotiated TLS1.3 group: X25519MLKEM768
		bundled | BOOKWORM | 3.5. | Negotiated TLS1.3 group: X25519MLKEM768
		system  | TRIXIE   | 3.5. | Negotiated TLS1.3 group: X25519MLKEM768
		# Its OpenSSL has no hybrid group
		system  | BOOKWORM | 3.0. | Peer Temp Key: X25519
		""")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ImageIT {

	@Parameter(0)
	private String openSsl;

	@Parameter(1)
	private Base base;

	@Parameter(2)
	private String openSslVersion;

	@Parameter(3)
	private String group;

	private SampleContainer sample;

	@BeforeParameterizedClassInvocation
	void startContainer() throws IOException {
		ImageFromDockerfile image = isBundled() ? Images.bundled(this.base) : Images.system(this.base);
		this.sample = new SampleContainer(image).restricted().withFolder("/tmp", "exec");
		this.sample.start();
	}

	@AfterParameterizedClassInvocation
	void stopContainer() {
		if (this.sample != null) {
			this.sample.close();
		}
	}

	@Test
	void whenImageStartsThenOpenSslIsActiveWithoutWarning() {
		String library = isBundled() ? "bundled " + Provided.platform() : "/usr/lib/jni/libtcnative-2.so";
		assertThat(this.sample.getLogs())
			.contains("OpenSSL is active on port 8443 (https): OpenSSL " + this.openSslVersion, ", library " + library)
			.doesNotContain("restricted method", "native access", " WARN ", "ERROR");
	}

	@Test
	void whenClientPrefersHybridGroupThenStrongestCommonOneIsUsed() throws Exception {
		assertThat(ClientContainer.get().connect("p256", "-groups X25519MLKEM768:X25519"))
			.contains("Verify return code: 0 (ok)", "TLSv1.3", this.group);
	}

	@Test
	void whenClientIsCurlThenHttp2IsServed() throws Exception {
		JsonNode tls = new JsonMapper().readTree(ClientContainer.get().curl("/tls", "--http2"));
		assertThat(tls.path("engine").asString()).isEqualTo("OpenSSL");
		assertThat(tls.path("httpProtocol").asString()).isEqualTo("HTTP/2.0");
		assertThat(tls.path("protocol").asString()).isEqualTo("TLSv1.3");
	}

	@Test
	void whenContainerRunsThenProcessHasNoPrivileges() throws Exception {
		assertThat(this.sample.run("id", "-u")).isEqualToIgnoringNewLines("10001");
		assertThat(this.sample.run("grep", "-E", "CapEff|CapBnd|NoNewPrivs|Seccomp:", "/proc/1/status"))
			.containsPattern("CapEff:\\s+0{16}\\s")
			.containsPattern("CapBnd:\\s+0{16}\\s")
			.containsPattern("NoNewPrivs:\\s+1\\s")
			.containsPattern("Seccomp:\\s+2\\s");
		assertThat(this.sample.run("touch", "/app/file")).contains("Read-only file system");
	}

	private boolean isBundled() {
		return this.openSsl.equals("bundled");
	}

}
