/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.sample.container;

import java.io.IOException;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.testcontainers.images.builder.ImageFromDockerfile;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of an image in a container that may do nothing it does not need, with 256 MB and
 * one CPU.
 */
@RequiresContainerEngine
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ImageTests {

	private SampleContainer sample;

	abstract ImageFromDockerfile image();

	abstract String openSslVersion();

	abstract String library();

	/**
	 * Return what s_client says of the group that is agreed on.
	 * @return the line
	 */
	abstract String group();

	@BeforeAll
	void startContainer() throws IOException {
		this.sample = new SampleContainer(image()).restricted().withFolder("/tmp", "exec");
		this.sample.start();
	}

	@AfterAll
	void stopContainer() {
		if (this.sample != null) {
			this.sample.close();
		}
	}

	@Test
	void whenImageStartsThenOpenSslIsActiveWithoutWarning() {
		assertThat(this.sample.getLogs())
			.contains("OpenSSL is active on port 8443 (https): OpenSSL " + openSslVersion(), ", library " + library())
			.doesNotContain("restricted method", "native access", " WARN ", "ERROR");
	}

	@Test
	void whenClientPrefersHybridGroupThenStrongestCommonOneIsUsed() throws Exception {
		assertThat(ClientContainer.get().connect("p256", "-groups X25519MLKEM768:X25519"))
			.contains("Verify return code: 0 (ok)", "TLSv1.3", group());
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

}
