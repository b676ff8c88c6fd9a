// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.pem.PemFile;
import io.github.tomcatopenssl.internal.pem.PemSource;
import io.github.tomcatopenssl.internal.pem.PemSource.Content;
import org.apache.tomcat.util.file.ConfigFileLoader;
import org.jspecify.annotations.Nullable;

/**
 * Reads the PEM files that Tomcat's own configuration of a host names, by the names that
 * settings have there.
 */
final class ConfiguredPemFiles {

	private static final int MEGABYTE = 1024 * 1024;

	private ConfiguredPemFiles() {
	}

	/**
	 * Read a file of certificates. Like for Tomcat, it can also contain the private key
	 * and parameters.
	 * @param setting the setting that names it
	 * @param location the file, or another location that Tomcat can read
	 * @return the file
	 * @throws TlsSettingException if it cannot be used
	 */
	static PemFile certificates(String setting, String location) {
		return read(setting, location, Content.CERTIFICATES, "certificateKeystoreFile");
	}

	static PemFile key(String location) {
		return read("certificateKeyFile", location, Content.PRIVATE_KEY, "certificateKeystoreFile");
	}

	static PemFile cas(String location) {
		return read("caCertificateFile", location, Content.CAS, "truststoreFile");
	}

	private static PemFile read(String setting, String location, Content content, String keyStoreSetting) {
		byte[] bytes = read(setting, location, content.megabytes());
		if (bytes.length == 0) {
			throw failure(setting, location, "it is empty", null);
		}
		PemFile file = PemFile.of(new PemSource(setting, location, isFile(location), content, keyStoreSetting), bytes);
		file.requireUsed((content == Content.CAS) ? "a certificate" : "a certificate or a private key",
				(block) -> block.isCertificate()
						|| content != Content.CAS && (block.isPrivateKey() || block.label().endsWith("PARAMETERS")));
		return file;
	}

	/**
	 * Read the first line of a file.
	 * @param setting the setting that names it
	 * @param location the file, or another location that Tomcat can read
	 * @return the line without its end
	 * @throws TlsSettingException if the file cannot be read
	 */
	static String password(String setting, String location) {
		return new String(read(setting, location, 1), StandardCharsets.UTF_8).lines().findFirst().orElse("");
	}

	private static byte[] read(String setting, String location, int megabytes) {
		try (InputStream in = ConfigFileLoader.getSource().getResource(location).getInputStream()) {
			byte[] bytes = in.readNBytes(megabytes * MEGABYTE + 1);
			if (bytes.length > megabytes * MEGABYTE) {
				throw failure(setting, location, "it is larger than %d MiB".formatted(megabytes), null);
			}
			return bytes;
		}
		catch (FileNotFoundException | NoSuchFileException ex) {
			throw failure(setting, location,
					isFile(location) ? "it cannot be read: " + ex.getMessage() : "it does not exist", ex);
		}
		catch (IOException ex) {
			throw failure(setting, location, "it cannot be read: " + ex.getMessage(), ex);
		}
	}

	private static boolean isFile(String location) {
		try {
			return Files.exists(Path.of(location));
		}
		catch (InvalidPathException ex) {
			return false;
		}
	}

	private static TlsSettingException failure(String setting, String location, String reason,
			@Nullable Exception cause) {
		return new TlsSettingException(setting, location, reason,
				"Set '%s' to a file that the user of the application can read".formatted(setting), cause);
	}

}
