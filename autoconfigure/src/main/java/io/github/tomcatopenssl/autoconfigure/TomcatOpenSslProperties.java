// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.LibrarySource;
import io.github.tomcatopenssl.OpenSslMode;
import io.github.tomcatopenssl.UnknownServerName;
import io.github.tomcatopenssl.autoconfigure.CertificateFileProperties.ServerNameCertificate;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * Properties that stand beside Spring Boot's own {@code server.ssl} properties. The names
 * of the certificate files are those of Tomcat's attributes.
 *
 * @param certificateFile PEM file with the certificate, or with the full chain, the leaf
 * certificate first. A file path or a resource location. Turns HTTPS on.
 * @param certificateKeyFile PEM file with the private key. A file path or a resource
 * location. By default, the key stands in the certificate file.
 * @param certificateKeyPassword Password of an encrypted private key.
 * @param certificateChainFile PEM file with the intermediate certificates, when they are
 * not in the certificate file. A file path or a resource location.
 * @param caCertificateFile PEM file with the CAs that client certificates are verified
 * against. A file path or a resource location. Goes with 'server.ssl.client-auth'.
 * @param certificateRevocationListFile PEM file with the certificate revocation lists of
 * the CAs. Client certificates are then refused when they are revoked, or when their CA
 * has no list in the file.
 * @param ocspEnabled Whether client certificates are checked with the Online Certificate
 * Status Protocol, at the responder that they name. Instead of revocation lists.
 * @param ocspSoftFail Whether a client certificate is accepted when its OCSP responder
 * does not answer.
 * @param developmentCertificate Whether the server has a certificate for this machine
 * that clients have to be told to trust, made without a tool and kept in the user's cache
 * folder. Turns HTTPS on. Not for production.
 * @param developmentCertificateNames Host names and IP addresses that the development
 * certificate is for, besides localhost, 127.0.0.1, ::1 and the host name of this
 * machine.
 * @param developmentCertificateInProduction Whether the development certificate may be
 * used where a profile named 'prod' or 'production' is active, or in Kubernetes.
 * @param certificates Certificates of different key types (EC, RSA), instead of
 * 'certificate-file'. The first is the preferred one.
 * @param serverNameCertificates Certificates for the host names that clients ask for
 * (SNI). Several with the same host name have different key types.
 * @param reloadOnUpdate Whether the files are used anew when they change.
 * @param handshakeTimeout How long a client may take for its handshake, at least a
 * second. A number without a unit is in seconds.
 * @param groups Groups of the key exchange, in the names of the TLS registry, the
 * preferred one first. Clients that have none of them are refused. By default,
 * X25519MLKEM768 where OpenSSL has it, x25519, secp256r1 and secp384r1.
 * @param sessionTicketKeyFiles Files of the keys of session tickets, which replicas
 * share, each of 48 or 80 random bytes. The first encrypts, all decrypt. File paths or
 * resource locations. By default, OpenSSL makes a key of its own.
 * @param unknownServerName What becomes of clients that ask for a server name (SNI) that
 * no certificate is for, or for none.
 * @param unknownServerNameAllowed Clients that 'unknown-server-name: reject' lets
 * through: names that they ask for, and addresses or ranges of addresses (CIDR) of those
 * that ask for none, such as health checks.
 * @param openssl TLS engine.
 */
@ConfigurationProperties("server.ssl")
public record TomcatOpenSslProperties(@Nullable String certificateFile, @Nullable String certificateKeyFile,
		@Nullable String certificateKeyPassword, @Nullable String certificateChainFile,
		@Nullable String caCertificateFile, @Nullable String certificateRevocationListFile, boolean ocspEnabled,
		boolean ocspSoftFail, boolean developmentCertificate, @DefaultValue List<String> developmentCertificateNames,
		boolean developmentCertificateInProduction, @DefaultValue List<CertificateFileProperties> certificates,
		@DefaultValue List<ServerNameCertificate> serverNameCertificates, @DefaultValue("true") boolean reloadOnUpdate,
		@DurationUnit(ChronoUnit.SECONDS) @Nullable Duration handshakeTimeout,
		@DefaultValue List<KeyExchangeGroup> groups, @DefaultValue List<String> sessionTicketKeyFiles,
		@DefaultValue("accept") UnknownServerName unknownServerName,
		@DefaultValue List<String> unknownServerNameAllowed, @DefaultValue Openssl openssl) {

	CertificateFileProperties files() {
		return new CertificateFileProperties(this.certificateFile, this.certificateKeyFile, this.certificateKeyPassword,
				this.certificateChainFile);
	}

	/**
	 * Does not show the password.
	 */
	@Override
	public String toString() {
		return "TomcatOpenSslProperties";
	}

	/**
	 * The TLS engine.
	 *
	 * @param mode When OpenSSL serves TLS.
	 * @param library Where Tomcat Native, the library behind it, comes from.
	 * @param libraryPath File of Tomcat Native (libtcnative-2), or the folder it is in.
	 * No other is tried.
	 * @param workDir Folder that the bundled library is extracted into while it is
	 * loaded. By default, the folder of temporary files.
	 * @param fipsMode Whether TLS is served with the FIPS provider of OpenSSL 3 only.
	 * Needs a library of the system whose OpenSSL is configured for it.
	 */
	public record Openssl(@DefaultValue("when-available") OpenSslMode mode, @DefaultValue("auto") LibrarySource library,
			@Nullable String libraryPath, @Nullable String workDir, @DefaultValue("off") FipsMode fipsMode) {

	}

}
