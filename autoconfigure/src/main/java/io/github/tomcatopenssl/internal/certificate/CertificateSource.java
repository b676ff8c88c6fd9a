// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

import io.github.tomcatopenssl.TlsSettingException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.env.Environment;

/**
 * Provides the certificates of the default host, and replaces their files when they are
 * renewed.
 */
public interface CertificateSource {

	/**
	 * Check what the certificates depend on, and write each with its chain and its key to
	 * a file, unless there is one that can be used. Called once, before the server
	 * starts.
	 * @return the files, which exist, the preferred one first
	 * @throws TlsSettingException if the certificates cannot be provided
	 */
	List<Path> validateAndWriteFiles();

	/**
	 * Return whether the source has certificates besides those of the default host.
	 * @return whether it has, by the properties or because the application knows more
	 */
	default boolean hasOthers() {
		return false;
	}

	/**
	 * Serve the certificates besides those of the default host, as hosts that come and
	 * go. Called once, before the server starts.
	 * @throws TlsSettingException if they cannot be provided
	 */
	default void serveOthers() {
	}

	/**
	 * Return which certificates the source would order at once, after a check of what
	 * orders depend on.
	 * @return the names of each certificate
	 */
	default List<String> due() {
		return List.of();
	}

	/**
	 * Return the type of the properties of the source, which has their names.
	 * @return the type, or {@code null} if the source has no properties of its own
	 */
	default @Nullable Class<?> propertiesType() {
		return null;
	}

	/**
	 * Return the source of the development certificate.
	 * @param environment the environment of the application
	 * @param names the host names and addresses that the certificate is for, besides
	 * those of this machine
	 * @param inProduction whether to provide a certificate even if the application seems
	 * to be in production
	 * @return the source
	 */
	static CertificateSource development(Environment environment, List<String> names, boolean inProduction) {
		return new DevelopmentCertificate(environment, names, inProduction, Clock.systemUTC());
	}

}
