// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample.container;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.test.TestCertificates;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.utility.MountableFile;

/**
 * A container with TLS clients, shared by all tests of a JVM.
 */
final class ClientContainer extends GenericContainer<ClientContainer> {

	private static ClientContainer instance;

	private ClientContainer() {
		super(Images.client());
		withNetwork(Network.SHARED);
		for (String certificate : List.of("p256", "p384")) {
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
		List<String> command = new ArrayList<>(List.of("curl", "--silent", "--show-error", "--cacert", "/p256.crt"));
		command.addAll(List.of(options));
		command.add("https://" + SampleContainer.HOST + ":" + SampleContainer.PORT + path);
		return run(command.toArray(String[]::new));
	}

	/**
	 * Make a connection to the sample with {@code openssl s_client}, which verifies its
	 * certificate.
	 * @param certificate the name of the certificate that is expected
	 * @param options further options of s_client
	 * @return what it says of the connection
	 */
	String connect(String certificate, String options) throws IOException, InterruptedException {
		return run("sh", "-c",
				"openssl s_client -connect %s:%d -CAfile /%s.crt -verify_hostname %3$s.example.com -verify_return_error %s </dev/null"
					.formatted(SampleContainer.HOST, SampleContainer.PORT, certificate, options));
	}

	private String run(String... command) throws IOException, InterruptedException {
		ExecResult result = execInContainer(command);
		return result.getStdout() + result.getStderr();
	}

}
