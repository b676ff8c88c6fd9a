// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate.development;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.KeyMaterial;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.core.env.Environment;

/**
 * The certificate of {@code server.ssl.development-certificate}. It is for this machine
 * and for the listed names, and is kept in the user's cache folder, so that a browser
 * must be told only once to trust it. If the {@code mkcert} command has created a CA,
 * this CA issues the certificate. Otherwise the certificate is self-signed. Different
 * names or a different CA lead to a different certificate, so that applications do not
 * replace each other's certificates.
 */
public final class DevelopmentCertificate {

	/**
	 * The property that turns the certificate on.
	 */
	public static final String PROPERTY = "server.ssl.development-certificate";

	private static final Log logger = LogFactory.getLog(DevelopmentCertificate.class);

	private static final Set<String> PRODUCTION_PROFILES = Set.of("prod", "production");

	private static final int FILE_NAME_BYTES = 8;

	private final Environment environment;

	private final Clock clock;

	/**
	 * Create a new instance.
	 * @param environment the environment of the application
	 */
	public DevelopmentCertificate(Environment environment) {
		this(environment, Clock.systemUTC());
	}

	DevelopmentCertificate(Environment environment, Clock clock) {
		this.environment = environment;
		this.clock = clock;
	}

	/**
	 * Return the certificate, and log what clients must trust. A new certificate is
	 * issued if there is none that can be used.
	 * @param names the host names and addresses that the certificate is for, besides
	 * those of this machine
	 * @param inProduction whether to return a certificate even if the application seems
	 * to be in production
	 * @return the file with the certificate and its key
	 * @throws CertificateFileException if the application seems to be in production, if a
	 * name is invalid, or if the certificate cannot be stored
	 */
	public KeyMaterial.Locations obtain(List<String> names, boolean inProduction) {
		String production = production();
		if (production != null && !inProduction) {
			throw new CertificateFileException(PROPERTY, null,
					production + ", but the development certificate is not for production",
					"Set 'server.ssl.certificate-file' to a certificate for production instead. To use the development certificate all the same, set '%s-in-production' to 'true' as well"
						.formatted(PROPERTY),
					null);
		}
		List<String> allNames = SubjectNames.of(names);
		UserFolders folders = new UserFolders(this.environment);
		Path cache = folders.cache();
		if (!cache.isAbsolute()) {
			throw new CertificateFileException(PROPERTY, null,
					"the user that runs the application ('%s') has no home folder to store the certificate in"
						.formatted(System.getProperty("user.name")),
					"Set the environment variable 'XDG_CACHE_HOME' to the absolute path of a folder of this user",
					null);
		}
		Instant now = this.clock.instant();
		KeyMaterial ca = MkcertAuthority.find(folders.mkcert(), now);
		try {
			CertificateFiles files = new CertificateFiles(
					cache.resolve("tomcat-openssl").resolve("development-certificate"), name(allNames, ca));
			log(files.getOrIssue(allNames, ca, now), allNames, ca, files.trusted());
			return files.locations();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("Unable to create a development certificate", ex);
		}
	}

	private @Nullable String production() {
		String[] active = this.environment.getActiveProfiles();
		return Stream.of((active.length > 0) ? active : this.environment.getDefaultProfiles())
			.filter((profile) -> PRODUCTION_PROFILES.contains(profile.toLowerCase(Locale.ROOT)))
			.findFirst()
			.map("the profile '%s' is active"::formatted)
			.orElse(CloudPlatform.KUBERNETES.isActive(this.environment) ? "the application runs in Kubernetes" : null);
	}

	private static String name(List<String> names, @Nullable KeyMaterial ca) throws GeneralSecurityException {
		String all = String.join(" ", names.stream().sorted().toList())
				+ ((ca != null) ? " " + fingerprint(ca.certificates().get(0)) : "");
		return "localhost-"
				+ HexFormat.of().formatHex(sha256(all.getBytes(StandardCharsets.US_ASCII)), 0, FILE_NAME_BYTES);
	}

	private static void log(X509Certificate certificate, List<String> names, @Nullable KeyMaterial ca, Path trusted)
			throws GeneralSecurityException {
		String trust = (ca != null)
				? "The CA of mkcert issued it: clients that do not know it yet have to trust '%s'"
					.formatted(ca.locations().certificateFile())
				: "It is self-signed: clients have to trust '%s'".formatted(trusted);
		logger.warn(
				"A development certificate is in use, which is not for production. %s. SHA-256 fingerprint %s, for %s, until %s"
					.formatted(trust, fingerprint(certificate), String.join(", ", names),
							certificate.getNotAfter().toInstant()));
	}

	private static String fingerprint(X509Certificate certificate) throws GeneralSecurityException {
		return HexFormat.ofDelimiter(":").withUpperCase().formatHex(sha256(certificate.getEncoded()));
	}

	private static byte[] sha256(byte[] bytes) throws GeneralSecurityException {
		return MessageDigest.getInstance("SHA-256").digest(bytes);
	}

}
