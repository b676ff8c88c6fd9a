// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample.container;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.github.tomcatopenssl.test.Commands;
import org.testcontainers.images.builder.ImageFromDockerfile;

/**
 * The images under test, built from the project's Dockerfiles once for all tests of a
 * JVM, and the images derived from them.
 */
final class Images {

	private static final Path ROOT = Path.of(System.getProperty("project.root", "..")).toAbsolutePath().normalize();

	private static final Path FIXTURES = Path.of("src/test/docker");

	private static final Map<String, ImageFromDockerfile> images = new HashMap<>();

	private Images() {
	}

	static ImageFromDockerfile bundled(Base base) {
		return image("bundled-" + base, (image) -> sample(image, "Dockerfile", base));
	}

	static ImageFromDockerfile system(Base base) {
		Path archive = ROOT.resolve(".cache/tomcat.tar.gz");
		Path script = ROOT.resolve("docker/build-tcnative.sh");
		return image("system-" + base, (image) -> {
			Commands.run("", List.of(script.toString(), "--fetch", archive.toString())).orFail();
			return sample(image, "Dockerfile.system", base).withFileFromPath(".cache/tomcat.tar.gz", archive)
				.withFileFromPath("docker/build-tcnative.sh", script);
		});
	}

	/**
	 * Return the image of {@code bundled} without its library.
	 * @param base the distribution
	 * @return the image
	 */
	static ImageFromDockerfile jsse(Base base) {
		return image("jsse-" + base,
				(image) -> fixture(image, "Dockerfile.jsse").withBuildArg("SAMPLE", bundled(base).get()));
	}

	/**
	 * Return the image of {@code bundled} with the distribution's package
	 * {@code libtcnative-1} installed.
	 * @param base the distribution
	 * @return the image
	 */
	static ImageFromDockerfile packaged(Base base) {
		return image("packaged-" + base,
				(image) -> fixture(image, "Dockerfile.packaged").withBuildArg("SAMPLE", bundled(base).get()));
	}

	/**
	 * Return the image of {@code system} whose OpenSSL works with the distribution's FIPS
	 * provider alone. Only Debian 13 has one.
	 * @return the image
	 */
	static ImageFromDockerfile fips() {
		return image("fips",
				(image) -> fixture(image, "Dockerfile.fips").withFileFromPath("fips.cnf", FIXTURES.resolve("fips.cnf"))
					.withBuildArg("SAMPLE", system(Base.TRIXIE).get()));
	}

	static ImageFromDockerfile client() {
		return image("client", (image) -> fixture(image, "Dockerfile.client"));
	}

	// Kept under a name of this clone, so that the next run has its layers
	private static synchronized ImageFromDockerfile image(String name, UnaryOperator<ImageFromDockerfile> build) {
		ImageFromDockerfile image = images.get(name);
		if (image == null) {
			String tag = "localhost/tomcat-openssl-it/%s:%08x".formatted(name.toLowerCase(Locale.ROOT),
					ROOT.hashCode());
			image = build.apply(new ImageFromDockerfile(tag, false));
			images.put(name, image);
		}
		return image;
	}

	private static ImageFromDockerfile sample(ImageFromDockerfile image, String dockerfile, Base base) {
		Path jar = Path.of(System.getProperty("sample.jar"));
		return image.withFileFromPath("Dockerfile", ROOT.resolve("docker").resolve(dockerfile))
			.withFileFromPath("sample-app/target/" + jar.getFileName(), jar)
			.withBuildArg("DEBIAN", base.image())
			.withBuildArg("JAVA", String.valueOf(base.java()));
	}

	private static ImageFromDockerfile fixture(ImageFromDockerfile image, String dockerfile) {
		return image.withFileFromPath("Dockerfile", FIXTURES.resolve(dockerfile));
	}

}
