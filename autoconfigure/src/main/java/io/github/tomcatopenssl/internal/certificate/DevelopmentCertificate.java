// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

import javax.security.auth.x500.X500Principal;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.host.PemBlocks;
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
final class DevelopmentCertificate implements CertificateSource {

	/**
	 * The property that turns the certificate on.
	 */
	static final String PROPERTY = "server.ssl.development-certificate";

	private static final Log logger = LogFactory.getLog(DevelopmentCertificate.class);

	private static final Set<String> PRODUCTION_PROFILES = Set.of("prod", "production");

	/**
	 * How long a certificate must remain valid to be used again.
	 */
	private static final Duration MINIMUM_VALIDITY = Duration.ofDays(30);

	/**
	 * How long a certificate is valid. Apple's systems accept 825 days, or 398 days if
	 * the CA is a public one.
	 */
	private static final Duration VALIDITY = Duration.ofDays(365);

	/**
	 * How long to wait for a process that issues a certificate, which takes less than a
	 * second.
	 */
	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final X500Principal SUBJECT = new X500Principal("CN=localhost, O=Development certificate");

	private static final int FILE_NAME_BYTES = 8;

	private final Environment environment;

	private final List<String> names;

	private final boolean inProduction;

	private final Clock clock;

	DevelopmentCertificate(Environment environment, List<String> names, boolean inProduction, Clock clock) {
		this.environment = environment;
		this.names = names;
		this.inProduction = inProduction;
		this.clock = clock;
	}

	/**
	 * Return the file with the certificate and its key, and log what clients must trust.
	 * A new certificate is issued if there is none that can be used.
	 * @return the file, which only the current user can read
	 * @throws TlsSettingException if the application seems to be in production, if a name
	 * is invalid, or if the certificate cannot be stored
	 */
	@Override
	public List<Path> validateAndWriteFiles() {
		String production = production();
		if (production != null && !this.inProduction) {
			throw new TlsSettingException(PROPERTY, null,
					production + ", but the development certificate is not for production",
					"Set 'server.ssl.certificate-file' to a certificate for production instead. To use the development certificate anyway, set '%s-in-production' to 'true' as well"
						.formatted(PROPERTY),
					null);
		}
		List<String> allNames = SubjectNames.of(this.names);
		Path cache = PrivateFiles.cacheFolder(this.environment);
		if (!cache.isAbsolute()) {
			throw new TlsSettingException(PROPERTY, null,
					"the user that runs the application ('%s') has no home folder to store the certificate in"
						.formatted(SystemUser.name()),
					"Set the environment variable 'XDG_CACHE_HOME' to the absolute path of a folder of this user",
					null);
		}
		Path folder = cache.resolve("tomcat-openssl").resolve("development-certificate");
		Instant now = this.clock.instant();
		KeyMaterial ca = MkcertAuthority.find(this.environment, now);
		try {
			PrivateFiles.createFolder(folder);
			Path file = folder.resolve(fileName(allNames, ca));
			log(readOrIssue(file, allNames, ca, now), allNames, ca, trusted(file));
			return List.of(file);
		}
		catch (IOException ex) {
			throw new TlsSettingException(PROPERTY, folder.toString(),
					"the certificate cannot be stored in this folder: " + reason(ex), action(ex), ex);
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

	private static String fileName(List<String> names, @Nullable KeyMaterial ca) throws GeneralSecurityException {
		String all = String.join(" ", names.stream().sorted().toList())
				+ ((ca != null) ? " " + fingerprint(ca.certificates().get(0)) : "");
		byte[] digest = sha256(all.getBytes(StandardCharsets.US_ASCII));
		return "localhost-" + HexFormat.of().formatHex(digest, 0, FILE_NAME_BYTES) + ".pem";
	}

	// Applications that start at the same time get the same certificate
	private static X509Certificate readOrIssue(Path file, List<String> names, @Nullable KeyMaterial ca, Instant now)
			throws IOException, GeneralSecurityException {
		X509Certificate certificate = read(file, now);
		if (certificate != null) {
			return certificate;
		}
		ProcessLock lock = ProcessLock.lock(file.resolveSibling("lock"), PATIENCE);
		try (lock) {
			certificate = read(file, now);
			return (certificate != null) ? certificate : issue(file, names, ca, now);
		}
	}

	private static @Nullable X509Certificate read(Path file, Instant now) {
		try {
			KeyMaterial material = KeyMaterial.read(new CertificateFiles(PROPERTY, file.toString()));
			X509Certificate certificate = material.certificates().get(0);
			certificate.checkValidity(Date.from(now));
			certificate.checkValidity(Date.from(now.plus(MINIMUM_VALIDITY)));
			return Files.readString(trusted(file)).equals(PemBlocks.of(certificate)) ? certificate : null;
		}
		catch (TlsSettingException | CertificateException | IOException ex) {
			logger.debug("A new development certificate is issued", ex);
			return null;
		}
	}

	// One file has the certificate and its key, so that the two always match
	private static X509Certificate issue(Path file, List<String> names, @Nullable KeyMaterial ca, Instant now)
			throws IOException, GeneralSecurityException {
		KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
		generator.initialize(new ECGenParameterSpec("secp256r1"));
		KeyPair keys = generator.generateKeyPair();
		X509Certificate certificate = new CertificateIssuer(SUBJECT, VALIDITY).issue(keys, names, ca, now);
		Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
		PrivateFiles.replace(trusted(file), temporary, PemBlocks.of(certificate));
		PrivateFiles.replace(file, temporary, PemBlocks.of(certificate) + PemBlocks.of(keys.getPrivate()));
		return certificate;
	}

	// The file with the certificate only, which clients can be given
	private static Path trusted(Path file) {
		return file.resolveSibling(file.getFileName().toString().replace(".pem", ".crt"));
	}

	private static void log(X509Certificate certificate, List<String> names, @Nullable KeyMaterial ca, Path trusted)
			throws GeneralSecurityException {
		String trust = (ca != null)
				? "The CA of mkcert issued it: clients that do not trust this CA yet have to trust '%s'"
					.formatted(ca.files().certificateFile())
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

	private static String action(IOException ex) {
		if (ex instanceof OpenFolderException folder) {
			return folder.action() + ", by setting the environment variable 'XDG_CACHE_HOME'";
		}
		String shortage = FileFailure.shortageAction(ex);
		return (shortage != null) ? shortage
				: "Make sure that the user that runs the application ('%s') is the owner of the folder and can write to it, or set the environment variable 'XDG_CACHE_HOME' (Windows: 'LOCALAPPDATA') to another folder"
					.formatted(SystemUser.name());
	}

	private static String reason(IOException ex) {
		if (ex instanceof AccessDeniedException) {
			return "access is denied";
		}
		return (ex instanceof FileSystemException failure && failure.getReason() != null) ? failure.getReason()
				: String.valueOf(ex.getMessage());
	}

}
