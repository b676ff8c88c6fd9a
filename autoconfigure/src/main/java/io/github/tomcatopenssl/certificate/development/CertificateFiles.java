// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate.development;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.Set;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.KeyMaterial;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.io.ApplicationResourceLoader;

/**
 * The files of a certificate in a folder that no one else can enter: one with the
 * certificate and its key, which are never apart, and one with the certificate alone.
 *
 * @param folder the folder
 * @param name what the names of the files begin with
 */
record CertificateFiles(Path folder, String name) {

	private static final Log logger = LogFactory.getLog(CertificateFiles.class);

	/**
	 * How long a certificate that is used has to be valid for.
	 */
	private static final Duration MINIMUM_VALIDITY = Duration.ofDays(30);

	private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

	// A lock on a file is one of the JVM and does not keep its threads apart; a constant
	// is the same for all class loaders
	private static final String JVM_LOCK = "io.github.tomcatopenssl.development-certificate";

	KeyMaterial.Locations locations() {
		return new KeyMaterial.Locations(DevelopmentCertificate.PROPERTY, file(".pem").toString(), null, null, null);
	}

	Path trusted() {
		return file(".crt");
	}

	private Path file(String extension) {
		return this.folder.resolve(this.name + extension);
	}

	/**
	 * Return the certificate of the files, which are made where they cannot be used.
	 * Applications that start at the same time get the same one.
	 * @param now the time
	 * @param issuer makes a certificate
	 * @return the certificate
	 * @throws CertificateFileException if the files cannot be written
	 */
	X509Certificate getOrIssue(Instant now, Issuer issuer) {
		try {
			createFolder();
			X509Certificate certificate = read(now);
			return (certificate != null) ? certificate : issue(now, issuer);
		}
		catch (IOException ex) {
			String reason = (ex instanceof AccessDeniedException) ? "access is denied"
					: (ex instanceof FileSystemException failure && failure.getReason() != null) ? failure.getReason()
							: ex.toString();
			throw new CertificateFileException(DevelopmentCertificate.PROPERTY, this.folder.toString(),
					"the certificate cannot be kept in this folder: " + reason,
					"Give the user that runs the application ('%s') the folder for its own, or set the environment variable 'XDG_CACHE_HOME' (Windows: 'LOCALAPPDATA') to another one"
						.formatted(System.getProperty("user.name")),
					ex);
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("Unable to make a development certificate", ex);
		}
	}

	private X509Certificate issue(Instant now, Issuer issuer) throws IOException, GeneralSecurityException {
		synchronized (JVM_LOCK) {
			try (FileChannel lock = FileChannel.open(this.folder.resolve("lock"),
					Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), attributes("rw-------"))) {
				// Until it is closed
				lock.lock();
				X509Certificate made = read(now);
				if (made != null) {
					return made;
				}
				IssuedCertificate issued = issuer.issue();
				String certificate = pem(issued.certificate());
				write(trusted(), certificate);
				write(file(".pem"), certificate + pem("PRIVATE KEY", issued.privateKey().getEncoded()));
				return issued.certificate();
			}
		}
	}

	private void createFolder() throws IOException {
		Files.createDirectories(this.folder, attributes("rwx------"));
		if (isPosix() && !Files.getPosixFilePermissions(this.folder).equals(OWNER_ONLY)) {
			Files.setPosixFilePermissions(this.folder, OWNER_ONLY);
		}
	}

	private @Nullable X509Certificate read(Instant now) {
		try {
			X509Certificate certificate = KeyMaterial.read(locations(), ApplicationResourceLoader.get())
				.certificates()
				.get(0);
			certificate.checkValidity(Date.from(now));
			certificate.checkValidity(Date.from(now.plus(MINIMUM_VALIDITY)));
			return Files.readString(trusted()).equals(pem(certificate)) ? certificate : null;
		}
		catch (CertificateFileException | CertificateException | IOException ex) {
			logger.debug("The development certificate is made anew", ex);
			return null;
		}
	}

	private void write(Path file, String content) throws IOException {
		Path temporary = Files.createTempFile(this.folder, this.name, ".tmp", attributes("rw-------"));
		try {
			Files.writeString(temporary, content);
			Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
		}
		finally {
			Files.deleteIfExists(temporary);
		}
	}

	private FileAttribute<?>[] attributes(String permissions) {
		return isPosix()
				? new FileAttribute<?>[] {
						PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)) }
				: new FileAttribute<?>[0];
	}

	private boolean isPosix() {
		return this.folder.getFileSystem().supportedFileAttributeViews().contains("posix");
	}

	private static String pem(X509Certificate certificate) throws CertificateException {
		return pem("CERTIFICATE", certificate.getEncoded());
	}

	// RFC 7468
	private static String pem(String label, byte[] bytes) {
		return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(label,
				Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(bytes));
	}

	/**
	 * Makes a certificate.
	 */
	interface Issuer {

		IssuedCertificate issue() throws GeneralSecurityException;

	}

}
