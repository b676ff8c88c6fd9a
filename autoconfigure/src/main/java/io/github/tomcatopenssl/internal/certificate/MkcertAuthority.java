// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.Set;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * The CA that the {@code mkcert} command has created, and that the browsers of this
 * machine trust.
 */
final class MkcertAuthority {

	private static final Log logger = LogFactory.getLog(MkcertAuthority.class);

	private static final int KEY_CERT_SIGN = 5;

	private MkcertAuthority() {
	}

	/**
	 * Return the CA. A CA that cannot issue certificates is logged.
	 * @param environment the environment variables and system properties
	 * @param now the current time
	 * @return the CA, or {@code null} if there is none that can issue certificates
	 */
	static @Nullable KeyMaterial find(Environment environment, Instant now) {
		Path folder = folder(environment);
		Path file = folder.resolve("rootCA.pem");
		// False if this cannot be determined: reading the file then reports the reason
		if (Files.notExists(file)) {
			return null;
		}
		try {
			KeyMaterial ca = KeyMaterial.read(new CertificateFiles("mkcert.", file.toString(),
					folder.resolve("rootCA-key.pem").toString(), null, null));
			String problem = problem(ca.certificates().get(0), ca.keyAlgorithm(), now);
			if (problem == null) {
				return ca;
			}
			warn(file.toString(), problem);
		}
		catch (TlsSettingException ex) {
			warn(ex.getFile(), ex.getReason(SettingName::toString));
		}
		return null;
	}

	// As the command determines it
	static Path folder(Environment environment) {
		String folder = environment.getProperty("CAROOT");
		return StringUtils.hasText(folder) ? Path.of(folder) : PrivateFiles.dataFolder(environment).resolve("mkcert");
	}

	private static @Nullable String problem(X509Certificate certificate, String keyAlgorithm, Instant now) {
		boolean[] keyUsage = certificate.getKeyUsage();
		if (certificate.getBasicConstraints() < 0 || keyUsage != null && !keyUsage[KEY_CERT_SIGN]) {
			return "it is not the certificate of a CA";
		}
		if (!Set.of("EC", "RSA").contains(keyAlgorithm)) {
			return "its key is of the type '%s', not EC or RSA".formatted(keyAlgorithm);
		}
		try {
			certificate.checkValidity(Date.from(now));
			return null;
		}
		catch (CertificateException ex) {
			return "it is valid only from %s until %s".formatted(certificate.getNotBefore().toInstant(),
					certificate.getNotAfter().toInstant());
		}
	}

	private static void warn(@Nullable String file, String reason) {
		logger.warn(
				"The CA of mkcert cannot issue the development certificate, which is self-signed instead. '%s': %s. Correct the file, or remove it and run 'mkcert -install'"
					.formatted(file, reason));
	}

}
