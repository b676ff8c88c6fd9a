// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate.development;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.KeyMaterial;
import io.github.tomcatopenssl.certificate.PrivateFiles;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.io.ApplicationResourceLoader;

/**
 * The files of a certificate, in a folder that only the current user can enter. One file
 * contains the certificate and its key, so that the two always match. Another file
 * contains only the certificate.
 *
 * @param folder the folder
 * @param name the beginning of the file names
 */
record CertificateFiles(Path folder, String name) {

	private static final Log logger = LogFactory.getLog(CertificateFiles.class);

	/**
	 * How long a certificate must remain valid to be used again.
	 */
	private static final Duration MINIMUM_VALIDITY = Duration.ofDays(30);

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
	 * Return the certificate in the files. If the files cannot be used, issue a new
	 * certificate. Applications that start at the same time get the same certificate.
	 * @param names the host names and addresses that the certificate is for
	 * @param ca the CA that issues the certificate, or {@code null} for a self-signed one
	 * @param now the current time
	 * @return the certificate
	 * @throws CertificateFileException if the files cannot be written
	 * @throws GeneralSecurityException if Java cannot issue a certificate
	 */
	X509Certificate getOrIssue(List<String> names, @Nullable KeyMaterial ca, Instant now)
			throws GeneralSecurityException {
		try {
			PrivateFiles.createFolder(this.folder);
			X509Certificate certificate = read(now);
			return (certificate != null) ? certificate : issue(names, ca, now);
		}
		catch (IOException ex) {
			String reason = (ex instanceof AccessDeniedException) ? "access is denied"
					: (ex instanceof FileSystemException failure && failure.getReason() != null) ? failure.getReason()
							: ex.toString();
			throw new CertificateFileException(DevelopmentCertificate.PROPERTY, this.folder.toString(),
					"the certificate cannot be stored in this folder: " + reason,
					"Make the user that runs the application ('%s') the owner of the folder, or set the environment variable 'XDG_CACHE_HOME' (Windows: 'LOCALAPPDATA') to another folder"
						.formatted(System.getProperty("user.name")),
					ex);
		}
	}

	private X509Certificate issue(List<String> names, @Nullable KeyMaterial ca, Instant now)
			throws IOException, GeneralSecurityException {
		try (FileChannel channel = PrivateFiles.open(this.folder.resolve("lock"))) {
			lock(channel);
			X509Certificate made = read(now);
			if (made != null) {
				return made;
			}
			KeyMaterial issued = CertificateIssuer.issue(locations(), names, ca, now);
			String certificate = pem(issued.certificates().get(0));
			write(trusted(), certificate);
			write(file(".pem"), certificate + pem("PRIVATE KEY", issued.privateKey().getEncoded()));
			return issued.certificates().get(0);
		}
	}

	// Locks until the channel is closed. The lock belongs to the JVM, so another thread
	// of this JVM may hold it
	private static void lock(FileChannel channel) throws IOException {
		while (true) {
			try {
				channel.lock();
				return;
			}
			catch (OverlappingFileLockException ex) {
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
			}
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
			logger.debug("A new development certificate is issued", ex);
			return null;
		}
	}

	private void write(Path file, String content) throws IOException {
		PrivateFiles.replace(file, file(".tmp"), content);
	}

	private static String pem(X509Certificate certificate) throws CertificateException {
		return pem("CERTIFICATE", certificate.getEncoded());
	}

	// RFC 7468
	private static String pem(String label, byte[] bytes) {
		return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(label,
				Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(bytes));
	}

}
