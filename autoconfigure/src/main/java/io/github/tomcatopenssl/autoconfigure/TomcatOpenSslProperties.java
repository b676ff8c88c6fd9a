// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.github.tomcatopenssl.ClientFingerprint;
import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.ForwardedCertificateHeader;
import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.LibrarySource;
import io.github.tomcatopenssl.OpenSslMode;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SignatureScheme;
import io.github.tomcatopenssl.UnknownServerName;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.boot.web.server.Ssl.ClientAuth;
import org.springframework.util.StringUtils;

/**
 * Properties that complement Spring Boot's own {@code server.ssl} properties. The
 * properties of the certificate files have the names of Tomcat's attributes.
 *
 * @param certificateFile PEM file with the certificate, or with the full chain, the leaf
 * certificate first. A file path or a resource location. Turns HTTPS on.
 * @param certificateKeyFile PEM file with the private key. A file path or a resource
 * location. By default, the key is in the certificate file.
 * @param certificateKeyPassword Password of an encrypted private key.
 * @param certificateChainFile PEM file with the intermediate certificates, if they are
 * not in the certificate file. A file path or a resource location.
 * @param certificateDirectory Folder of PEM files, each with a certificate, its chain and
 * its key: 'NAME.pem', 'NAME.crt' with 'NAME.key', or 'NAME/tls.crt' with 'NAME/tls.key'.
 * Each serves the host names and addresses that it is for. Turns HTTPS on.
 * @param caCertificateFile PEM file with the CAs that client certificates are verified
 * against. A file path or a resource location. Use it with 'server.ssl.client-auth'.
 * @param certificateRevocationListFile PEM files with the certificate revocation lists of
 * the CAs. A client certificate is refused if it is revoked, or if the files have no list
 * of its CA.
 * @param ocspEnabled Whether to check client certificates with the Online Certificate
 * Status Protocol (OCSP), at the responder that each certificate names. Cannot be
 * combined with 'certificate-revocation-list-file'.
 * @param ocspSoftFail Whether to accept a client certificate if its OCSP responder cannot
 * be reached, has an error, or does not know the certificate. Use it with 'ocsp-enabled'.
 * @param developmentCertificate Whether to use a generated certificate for this machine,
 * which clients must be told to trust. It is kept in the user's cache folder. Turns HTTPS
 * on. Not for production.
 * @param developmentCertificateNames Host names and IP addresses of the development
 * certificate, besides localhost, 127.0.0.1, ::1 and the host name of this machine.
 * @param developmentCertificateInProduction Whether to use the development certificate
 * even if a profile named 'prod' or 'production' is active, or if the application runs in
 * Kubernetes.
 * @param acme A certificate that a CA issues with the ACME protocol, such as Let's
 * Encrypt.
 * @param certificates Certificates with different key types (such as EC and RSA), instead
 * of 'certificate-file'. The first one is preferred.
 * @param serverNameCertificates Certificates for the host names that clients ask for
 * (SNI). Two entries for the same host name need different key types.
 * @param reloadOnUpdate Whether to reload certificates, keys and revocation lists when
 * their files change.
 * @param handshakeTimeout How long a client may take for its handshake, at least one
 * second. A number without a unit is in seconds.
 * @param groups Groups for the key exchange, by their names in the TLS registry, the
 * preferred one first. Clients that support none of them are refused. By default,
 * X25519MLKEM768 (if the engine supports it), x25519, secp256r1 and secp384r1.
 * @param policy Policy that TLS must follow. Other properties may narrow it but not widen
 * it, and certificates that it does not allow prevent startup. By default, the values of
 * 'intermediate' apply, which other properties may replace, and no rule for certificates.
 * @param policyPreview Policy that is not in force. Handshakes that it would have refused
 * are counted by the metric 'tomcat.ssl.policy.preview', so that you see who would be
 * locked out.
 * @param signatureAlgorithms Signature algorithms of handshakes, by their names in the
 * TLS registry. Clients that support none of them are refused. By default, those of the
 * policy, or of the engine if no policy is set.
 * @param sessionTicketKeyFile File with the session ticket key that replicas share, 48 or
 * 80 random bytes. A file path or a resource location. By default, OpenSSL generates a
 * key.
 * @param sessionTicketKeys Where session ticket keys come from that change by themselves.
 * By default, OpenSSL generates a key that no other replica has.
 * @param store Where replicas keep what they share, such as certificates of a CA.
 * @param storeKeys Keys that encrypt what is in the database, each 32 bytes in Base64, or
 * a file with them. The first one encrypts, and a second one is for what it has encrypted
 * before.
 * @param storeInitializeSchema When to create the table in the database.
 * @param unknownServerName How to treat clients whose server name (SNI) is unknown or
 * missing.
 * @param unknownServerNameAllowed Exceptions to 'unknown-server-name: reject': additional
 * server names, and IP addresses or ranges (CIDR) of clients that send no server name,
 * such as health checks.
 * @param clientFingerprint Fingerprint to compute for each client from what it offers in
 * its handshake, for the access log, the application and the log of failed handshakes.
 * @param httpRedirectPort Port that redirects HTTP to HTTPS. Clients that know the port
 * by another number, such as behind a load balancer, are redirected to port 443.
 * @param proxyProtocol Load balancers that pass on the addresses of their clients with
 * the PROXY protocol.
 * @param forwardedClientCertificate Certificates of clients that proxies forward.
 * @param openssl OpenSSL as the TLS engine.
 */
@ConfigurationProperties("server.ssl")
public record TomcatOpenSslProperties(@Nullable String certificateFile, @Nullable String certificateKeyFile,
		@Nullable String certificateKeyPassword, @Nullable String certificateChainFile,
		@Nullable String certificateDirectory, @Nullable String caCertificateFile,
		@DefaultValue List<String> certificateRevocationListFile, boolean ocspEnabled, boolean ocspSoftFail,
		boolean developmentCertificate, @DefaultValue List<String> developmentCertificateNames,
		boolean developmentCertificateInProduction, @Nullable Acme acme,
		@DefaultValue List<CertificateFiles> certificates,
		@DefaultValue List<ServerNameCertificate> serverNameCertificates, @DefaultValue("true") boolean reloadOnUpdate,
		@DurationUnit(ChronoUnit.SECONDS) @Nullable Duration handshakeTimeout,
		@DefaultValue List<KeyExchangeGroup> groups, @Nullable SecurityPolicy policy,
		@Nullable SecurityPolicy policyPreview, @DefaultValue List<SignatureScheme> signatureAlgorithms,
		@Nullable String sessionTicketKeyFile, @Nullable TicketKeys sessionTicketKeys,
		@DefaultValue("folder") StoreType store, @DefaultValue List<String> storeKeys,
		@DefaultValue("embedded") SchemaInitialization storeInitializeSchema,
		@DefaultValue("accept") UnknownServerName unknownServerName,
		@DefaultValue List<String> unknownServerNameAllowed, @Nullable ClientFingerprint clientFingerprint,
		@Nullable Integer httpRedirectPort, @DefaultValue ProxyProtocol proxyProtocol,
		@DefaultValue ForwardedClientCertificate forwardedClientCertificate, @DefaultValue Openssl openssl) {

	/**
	 * Blank values count as not set. {@link CertificateFileConflicts} refuses those that
	 * nothing takes the place of.
	 */
	public TomcatOpenSslProperties {
		certificateFile = text(certificateFile);
		certificateKeyFile = text(certificateKeyFile);
		certificateKeyPassword = text(certificateKeyPassword);
		certificateChainFile = text(certificateChainFile);
		certificateDirectory = text(certificateDirectory);
		caCertificateFile = text(caCertificateFile);
		certificateRevocationListFile = unlessBlank(certificateRevocationListFile);
		developmentCertificateNames = texts(developmentCertificateNames);
		certificates = certificates.stream().allMatch(CertificateFiles::isEmpty) ? List.of() : certificates;
		sessionTicketKeyFile = text(sessionTicketKeyFile);
		storeKeys = texts(storeKeys);
		unknownServerNameAllowed = texts(unknownServerNameAllowed);
	}

	private static @Nullable String text(@Nullable String value) {
		return StringUtils.hasText(value) ? value : null;
	}

	private static List<String> texts(List<String> values) {
		return values.stream().filter(StringUtils::hasText).toList();
	}

	// A blank file among others stays, so that it is refused
	private static List<String> unlessBlank(List<String> files) {
		return files.stream().anyMatch(StringUtils::hasText) ? files : List.of();
	}

	CertificateFiles files() {
		return new CertificateFiles(this.certificateFile, this.certificateKeyFile, this.certificateKeyPassword,
				this.certificateChainFile);
	}

	/**
	 * Return the name of the type only, so that the password is not shown.
	 */
	@Override
	public String toString() {
		return "TomcatOpenSslProperties";
	}

	/**
	 * The files of a certificate. Each is a file path or a resource location.
	 *
	 * @param certificateFile PEM file with the certificate, or with the full chain, the
	 * leaf certificate first.
	 * @param certificateKeyFile PEM file with the private key. By default, the key is in
	 * the certificate file.
	 * @param certificateKeyPassword Password of an encrypted private key.
	 * @param certificateChainFile PEM file with the intermediate certificates, if they
	 * are not in the certificate file.
	 */
	public record CertificateFiles(@Nullable String certificateFile, @Nullable String certificateKeyFile,
			@Nullable String certificateKeyPassword, @Nullable String certificateChainFile) {

		public CertificateFiles {
			certificateFile = text(certificateFile);
			certificateKeyFile = text(certificateKeyFile);
			certificateKeyPassword = text(certificateKeyPassword);
			certificateChainFile = text(certificateChainFile);
		}

		boolean isEmpty() {
			return this.certificateFile == null && this.certificateKeyFile == null
					&& this.certificateKeyPassword == null && this.certificateChainFile == null;
		}

		/**
		 * Return the name of the type only, so that the password is not shown.
		 */
		@Override
		public String toString() {
			return "CertificateFiles";
		}

	}

	/**
	 * The files of a certificate for a host name.
	 *
	 * @param serverName Host name that clients ask for, or a wildcard such as
	 * {@code *.example.com}.
	 * @param certificateFile PEM file with the certificate, or with the full chain, the
	 * leaf certificate first.
	 * @param certificateKeyFile PEM file with the private key. By default, the key is in
	 * the certificate file.
	 * @param certificateKeyPassword Password of an encrypted private key.
	 * @param certificateChainFile PEM file with the intermediate certificates, if they
	 * are not in the certificate file.
	 * @param clientAuth Whether clients of this host name need a certificate. By default,
	 * as in 'server.ssl.client-auth'.
	 * @param trustCertificateFile PEM file with the CAs that clients of this host name
	 * are verified against. By default, as in 'server.ssl.ca-certificate-file'.
	 * @param certificateRevocationListFile PEM files with the certificate revocation
	 * lists of these CAs. By default, as in
	 * 'server.ssl.certificate-revocation-list-file', if the CAs are the same.
	 */
	public record ServerNameCertificate(@Nullable String serverName, @Nullable String certificateFile,
			@Nullable String certificateKeyFile, @Nullable String certificateKeyPassword,
			@Nullable String certificateChainFile, @Nullable ClientAuth clientAuth,
			@Nullable String trustCertificateFile, @DefaultValue List<String> certificateRevocationListFile) {

		public ServerNameCertificate {
			trustCertificateFile = text(trustCertificateFile);
			certificateRevocationListFile = unlessBlank(certificateRevocationListFile);
		}

		CertificateFiles files() {
			return new CertificateFiles(this.certificateFile, this.certificateKeyFile, this.certificateKeyPassword,
					this.certificateChainFile);
		}

		/**
		 * Return the name of the type and the host name only, so that the password is not
		 * shown.
		 */
		@Override
		public String toString() {
			return "ServerNameCertificate[" + this.serverName + "]";
		}

	}

	/**
	 * A certificate that a CA issues with the ACME protocol. The module that obtains it
	 * has all of its properties; here is what turns HTTPS on.
	 *
	 * @param domains Host names and IP addresses of the certificate.
	 * @param certificates Further certificates, each for its own domains.
	 * @param termsOfServiceAgreed Whether you agree to the terms of service of the CA.
	 */
	public record Acme(@Nullable List<String> domains, @DefaultValue List<AcmeCertificate> certificates,
			boolean termsOfServiceAgreed) {

		public Acme {
			domains = (domains != null) ? texts(domains) : null;
		}

	}

	/**
	 * A certificate besides that of the default host.
	 *
	 * @param domains Host names and IP addresses of the certificate.
	 */
	public record AcmeCertificate(@DefaultValue List<String> domains) {

	}

	/**
	 * Where session ticket keys come from that change by themselves.
	 */
	public enum TicketKeys {

		/**
		 * The store that all replicas share.
		 */
		SHARED

	}

	/**
	 * Where replicas keep what they share.
	 */
	public enum StoreType {

		/**
		 * A folder: that of each replica, or one that they share.
		 */
		FOLDER,

		/**
		 * The application's database.
		 */
		JDBC

	}

	/**
	 * When to create the table in the database.
	 */
	public enum SchemaInitialization {

		/**
		 * If the database is an embedded one.
		 */
		EMBEDDED,

		/**
		 * With each start, unless it is there.
		 */
		ALWAYS,

		/**
		 * Never: a migration of the application does.
		 */
		NEVER

	}

	/**
	 * Load balancers that pass on the addresses of their clients with the PROXY protocol.
	 *
	 * @param trusted IP addresses or ranges (CIDR) of the load balancers. Each of their
	 * connections has to begin with a header of the PROXY protocol, version 1 or 2; a
	 * header from any other address is refused.
	 */
	public record ProxyProtocol(@DefaultValue List<String> trusted) {

		public ProxyProtocol {
			trusted = texts(trusted);
		}

	}

	/**
	 * Certificates of clients that proxies forward.
	 *
	 * @param header Header in which a proxy forwards the certificate of its client. It is
	 * accepted from the addresses in 'proxy-protocol.trusted', and from clients that
	 * present a certificate of a CA in 'proxy-ca-certificate-file', and removed from the
	 * requests of all others. Use it with 'server.ssl.client-auth'.
	 * @param proxyCaCertificateFile PEM file with the CAs of the proxies' certificates,
	 * which must issue no others. A file path or a resource location. Use it with
	 * 'forwarded-client-certificate.header'.
	 */
	public record ForwardedClientCertificate(@Nullable ForwardedCertificateHeader header,
			@Nullable String proxyCaCertificateFile) {

		public ForwardedClientCertificate {
			proxyCaCertificateFile = text(proxyCaCertificateFile);
		}

	}

	/**
	 * OpenSSL as the TLS engine.
	 *
	 * @param mode When OpenSSL serves TLS.
	 * @param library Where Tomcat Native, the library that lets OpenSSL serve TLS, is
	 * loaded from.
	 * @param libraryPath File of Tomcat Native (libtcnative-2), or the folder that
	 * contains it. No other library is tried.
	 * @param workDir Folder for the bundled library while it is loaded. By default, the
	 * folder for temporary files.
	 * @param fipsMode Whether TLS requires the FIPS provider of OpenSSL 3. The bundled
	 * library does not have it: use the system library, with an OpenSSL that is
	 * configured for it.
	 */
	public record Openssl(@DefaultValue("when-available") OpenSslMode mode, @DefaultValue("auto") LibrarySource library,
			@Nullable String libraryPath, @Nullable String workDir, @DefaultValue("off") FipsMode fipsMode) {

		/**
		 * Return whether OpenSSL serves TLS if it can.
		 * @return whether it is wanted
		 */
		public boolean wanted() {
			return this.mode != OpenSslMode.NEVER;
		}

		/**
		 * Return whether no other engine may serve TLS.
		 * @return whether OpenSSL is required
		 */
		public boolean required() {
			return this.mode == OpenSslMode.ALWAYS || fipsRequired();
		}

		boolean fipsRequired() {
			return this.fipsMode == FipsMode.REQUIRED;
		}

	}

}
