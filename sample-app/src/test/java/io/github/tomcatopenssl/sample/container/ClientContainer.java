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

import io.github.tomcatopenssl.test.TestCertificates;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.utility.MountableFile;

/**
 * A container with TLS clients, one for all tests of a JVM.
 */
final class ClientContainer extends GenericContainer<ClientContainer> {

	private static ClientContainer instance;

	private ClientContainer() {
		super(Images.client());
		withNetwork(Network.SHARED);
		for (String certificate : new String[] { "p256", "p384" }) {
			withCopyFileToContainer(MountableFile.forHostPath(TestCertificates.get().file(certificate + ".crt"), 0644),
					"/" + certificate + ".crt");
		}
	}

	static synchronized ClientContainer get() {
		if (instance == null) {
			instance = new ClientContainer();
			instance.start();
		}
		return instance;
	}

	/**
	 * Request a path of the sample with the curl command, which verifies its certificate.
	 * @param path the path
	 * @param options further options of curl
	 * @return the body
	 */
	String curl(String path, String... options) throws IOException, InterruptedException {
		String[] command = new String[options.length + 6];
		System.arraycopy(options, 0, command, 6, options.length);
		String[] fixed = { "curl", "--silent", "--show-error", "--cacert", "/p256.crt",
				"https://" + SampleContainer.HOST + ":" + SampleContainer.PORT + path };
		System.arraycopy(fixed, 0, command, 0, fixed.length);
		return run(command);
	}

	/**
	 * Make a connection to the sample with {@code openssl s_client}, which verifies its
	 * certificate.
	 * @param options further options of s_client
	 * @return what it says of the connection
	 */
	String connect(String options) throws IOException, InterruptedException {
		return run("sh", "-c",
				"openssl s_client -connect %s:%d -CAfile /p256.crt -verify_hostname %1$s -verify_return_error %s </dev/null"
					.formatted(SampleContainer.HOST, SampleContainer.PORT, options));
	}

	private String run(String... command) throws IOException, InterruptedException {
		ExecResult result = execInContainer(command);
		return result.getStdout() + result.getStderr();
	}

}
