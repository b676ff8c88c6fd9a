// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample.container;

import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.StreamSupport;

import com.github.dockerjava.api.model.Capability;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the Kubernetes manifest: its container runs with the settings of the manifest,
 * as far as a container engine supports them.
 */
@RequiresContainerEngine
class KubernetesDeploymentIT {

	private static final Path MANIFEST = Path.of(System.getProperty("project.root", ".."),
			"docker/kubernetes/deployment.yaml");

	private final JsonNode pod = read().at("/spec/template/spec");

	private final JsonNode container = this.pod.at("/containers/0");

	@Test
	void whenContainerRunsAsManifestSaysThenItsProbesSucceed() throws Exception {
		try (SampleContainer sample = container()) {
			sample.start();
			assertThat(sample.getLogs())
				.contains("OpenSSL is active on port %d (https)".formatted(port("https")),
						"OpenSSL is active on port %d (https)".formatted(port("management")))
				.doesNotContain(" WARN ", "ERROR");
			for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
				JsonNode request = this.container.path(probe).path("httpGet");
				assertThat(get(sample, request).body()).as(probe).isEqualTo("{\"status\":\"UP\"}");
			}
			assertThat(sample.run("id", "-u"))
				.isEqualToIgnoringNewLines(this.pod.at("/securityContext/runAsUser").asString());
		}
	}

	private SampleContainer container() throws IOException {
		assertThat(mountPaths()).containsOnly("/etc/tls", "/tmp");
		JsonNode security = this.container.path("securityContext");
		SampleContainer sample = new SampleContainer(Images.bundled(Base.TRIXIE));
		sample.withHostConfig((config) -> config.withReadonlyRootfs(security.path("readOnlyRootFilesystem").asBoolean())
			.withCapDrop(Capability.valueOf(security.at("/capabilities/drop/0").asString()))
			.withSecurityOpts(
					security.path("allowPrivilegeEscalation").asBoolean() ? List.of() : List.of("no-new-privileges"))
			.withMemory(mebibytes(this.container.at("/resources/limits/memory").asString())));
		this.container.path("env")
			.forEach((variable) -> sample.withEnv(variable.path("name").asString(), variable.path("value").asString()));
		sample.withCreateContainerCmdModifier(
				(command) -> command.withUser(this.pod.at("/securityContext/runAsUser").asString() + ":"
						+ this.pod.at("/securityContext/runAsGroup").asString()));
		return sample.withExposedPorts(port("https"), port("management")).withFolder("/tmp", "exec");
	}

	private List<String> mountPaths() {
		return StreamSupport.stream(this.container.path("volumeMounts").spliterator(), false)
			.map((mount) -> mount.path("mountPath").asString())
			.toList();
	}

	private int port(String name) {
		return StreamSupport.stream(this.container.path("ports").spliterator(), false)
			.filter((port) -> port.path("name").asString().equals(name))
			.findFirst()
			.orElseThrow()
			.path("containerPort")
			.asInt();
	}

	private HttpResponse<String> get(SampleContainer sample, JsonNode request) throws Exception {
		HttpClient client = HttpClient.newBuilder().sslContext(TestCertificates.get().trusting("p256.crt")).build();
		URI uri = URI.create("%s://localhost:%d%s".formatted(request.path("scheme").asString().toLowerCase(Locale.ROOT),
				sample.getMappedPort(port(request.path("port").asString())), request.path("path").asString()));
		return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
	}

	private static long mebibytes(String quantity) {
		assertThat(quantity).endsWith("Mi");
		return Long.parseLong(quantity.replace("Mi", "")) * 1024 * 1024;
	}

	private static JsonNode read() {
		try (Reader reader = Files.newBufferedReader(MANIFEST)) {
			Map<String, Object> manifest = new Yaml().load(reader);
			return new JsonMapper().valueToTree(manifest);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
