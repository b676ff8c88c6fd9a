// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CRLException;
import java.security.cert.X509CRL;
import java.util.Base64;
import java.util.Collection;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.jspecify.annotations.Nullable;

/**
 * Hands the validated revocation lists of a virtual host to Tomcat, which reads them from
 * a file while it creates a context. The file exists only for that time, so nothing is
 * used that is written to the user's file later.
 */
final class RevocationLists implements AutoCloseable {

	private final @Nullable Path file;

	RevocationLists(Collection<X509CRL> lists) {
		try {
			this.file = lists.isEmpty() ? null : Files.createTempFile("revocation-lists-", ".pem");
			if (this.file != null) {
				write(lists, this.file);
			}
		}
		catch (IOException | CRLException ex) {
			throw new TlsSettingException(SettingName.REVOCATION_LISTS,
					"the revocation lists cannot be handed to Tomcat, which reads them from a file in '%s': %s"
						.formatted(System.getProperty("java.io.tmpdir"), ex),
					"Make sure that this folder ('java.io.tmpdir') exists and has space, and that the application can write to it",
					ex);
		}
	}

	private void write(Collection<X509CRL> lists, Path file) throws IOException, CRLException {
		try (OutputStream out = Files.newOutputStream(file)) {
			for (X509CRL list : lists) {
				out.write("-----BEGIN X509 CRL-----\n".getBytes(StandardCharsets.US_ASCII));
				out.write(Base64.getMimeEncoder().encode(list.getEncoded()));
				out.write("\n-----END X509 CRL-----\n".getBytes(StandardCharsets.US_ASCII));
			}
		}
		catch (IOException | CRLException ex) {
			Files.deleteIfExists(file);
			throw ex;
		}
	}

	void applyTo(SSLHostConfig host) {
		if (this.file != null) {
			host.setCertificateRevocationListFile(this.file.toString());
		}
	}

	@Override
	public void close() throws IOException {
		if (this.file != null) {
			Files.deleteIfExists(this.file);
		}
	}

}
