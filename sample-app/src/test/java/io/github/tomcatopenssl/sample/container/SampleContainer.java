// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample.container;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import javax.net.ssl.SSLSocket;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.HostConfig;
import io.github.tomcatopenssl.test.TestCertificates;
import org.testcontainers.containers.BindMode;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.startupcheck.StartupCheckStrategy;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.ImageFromDockerfile;

import static org.awaitility.Awaitility.await;

/**
 * A container that runs the sample, with a certificate mounted.
 */
final class SampleContainer extends GenericContainer<SampleContainer> {

	/**
	 * Name that other containers reach it by, and that its certificate is for.
	 */
	static final String HOST = "p256.example.com";

	static final int PORT = 8443;

	private final MountedSecret secret;

	SampleContainer(ImageFromDockerfile image, String... arguments) throws IOException {
		super(image);
		this.secret = new MountedSecret("p256");
		withFileSystemBind(this.secret.path().toString(), "/etc/tls", BindMode.READ_ONLY);
		withNetwork(Network.SHARED);
		withNetworkAliases(HOST);
		withExposedPorts(PORT);
		withCommand(arguments);
		waitingFor(Wait.forLogMessage(".*Started SampleApplication.*", 1).withStartupTimeout(Duration.ofMinutes(2)));
	}

	/**
	 * Take from the container what an application does not need.
	 * @return this container
	 */
	SampleContainer restricted() {
		return withHostConfig((config) -> config.withReadonlyRootfs(true)
			.withCapDrop(Capability.ALL)
			.withSecurityOpts(List.of("no-new-privileges"))
			.withMemory(256L * 1024 * 1024)
			.withMemorySwap(256L * 1024 * 1024)
			.withNanoCPUs(1_000_000_000L));
	}

	SampleContainer withFolder(String path, String mountOptions) {
		Map<String, String> folders = new HashMap<>(Objects.requireNonNullElse(getTmpFsMapping(), Map.of()));
		folders.put(path, "rw,mode=1777,size=64m," + mountOptions);
		return withTmpFs(folders);
	}

	SampleContainer withHostConfig(Consumer<HostConfig> customizer) {
		return withCreateContainerCmdModifier(
				(command) -> customizer.accept(Objects.requireNonNull(command.getHostConfig())));
	}

	/**
	 * Expect the container to end by itself.
	 * @return this container
	 */
	SampleContainer thatFailsToStart() {
		withExposedPorts();
		withStartupCheckStrategy(new StartupCheckStrategy() {

			@Override
			public StartupStatus checkStartupState(DockerClient client, String containerId) {
				return StartupStatus.SUCCESSFUL;
			}

		});
		return waitingFor(Wait.forLogMessage(".*APPLICATION FAILED TO START.*", 1));
	}

	MountedSecret secret() {
		return this.secret;
	}

	/**
	 * Make a connection from this machine.
	 * @return the connection, through which HTTP/1 can be spoken
	 */
	SSLSocket connect() throws IOException, GeneralSecurityException {
		SSLSocket connection = (SSLSocket) TestCertificates.get()
			.trusting("p256.crt")
			.getSocketFactory()
			.createSocket(getHost(), getMappedPort(PORT));
		connection.setSoTimeout(20_000);
		return connection;
	}

	String run(String... command) throws IOException, InterruptedException {
		ExecResult result = execInContainer(command);
		return result.getStdout() + result.getStderr();
	}

	void signal(String signal) {
		getDockerClient().killContainerCmd(getContainerId()).withSignal(signal).exec();
	}

	/**
	 * Wait until the container has ended.
	 * @return its exit status
	 */
	long exitStatus() {
		await().atMost(Duration.ofMinutes(1)).until(() -> !isRunning());
		return Objects.requireNonNull(getCurrentContainerInfo().getState().getExitCodeLong());
	}

	@Override
	public void close() {
		super.close();
		try {
			this.secret.close();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
