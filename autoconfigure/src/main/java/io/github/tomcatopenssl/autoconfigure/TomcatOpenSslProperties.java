/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.LibrarySource;
import io.github.tomcatopenssl.OpenSslMode;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties that stand beside Spring Boot's own {@code server.ssl} properties. The names
 * of the certificate files are those of Tomcat's attributes.
 */
@ConfigurationProperties("server.ssl")
public class TomcatOpenSslProperties extends CertificateFileProperties {

	static final Duration DEFAULT_HANDSHAKE_TIMEOUT = Duration.ofSeconds(10);

	/**
	 * PEM file with the CAs that client certificates are verified against. A file path or
	 * a resource location. Goes with 'server.ssl.client-auth'.
	 */
	private @Nullable String caCertificateFile;

	/**
	 * PEM file with the certificate revocation lists of the CAs. Client certificates are
	 * then refused when they are revoked, or when their CA has no list in the file.
	 */
	private @Nullable String certificateRevocationListFile;

	/**
	 * Whether client certificates are checked with the Online Certificate Status
	 * Protocol, at the responder that they name. Instead of revocation lists.
	 */
	private boolean ocspEnabled;

	/**
	 * Whether a client certificate is accepted when its OCSP responder does not answer.
	 */
	private boolean ocspSoftFail;

	/**
	 * Certificates of different key types (EC, RSA), instead of 'certificate-file'. The
	 * first is the preferred one.
	 */
	private final List<CertificateFileProperties> certificates = new ArrayList<>();

	/**
	 * Certificates for the host names that clients ask for (SNI). Several with the same
	 * host name have different key types.
	 */
	private final List<ServerNameCertificate> serverNameCertificates = new ArrayList<>();

	/**
	 * Whether the files are used anew when they change.
	 */
	private boolean reloadOnUpdate = true;

	/**
	 * How long a client may take for its handshake.
	 */
	private Duration handshakeTimeout = DEFAULT_HANDSHAKE_TIMEOUT;

	private final Openssl openssl = new Openssl();

	public @Nullable String getCaCertificateFile() {
		return this.caCertificateFile;
	}

	public void setCaCertificateFile(@Nullable String caCertificateFile) {
		this.caCertificateFile = caCertificateFile;
	}

	public @Nullable String getCertificateRevocationListFile() {
		return this.certificateRevocationListFile;
	}

	public void setCertificateRevocationListFile(@Nullable String certificateRevocationListFile) {
		this.certificateRevocationListFile = certificateRevocationListFile;
	}

	public boolean isOcspEnabled() {
		return this.ocspEnabled;
	}

	public void setOcspEnabled(boolean ocspEnabled) {
		this.ocspEnabled = ocspEnabled;
	}

	public boolean isOcspSoftFail() {
		return this.ocspSoftFail;
	}

	public void setOcspSoftFail(boolean ocspSoftFail) {
		this.ocspSoftFail = ocspSoftFail;
	}

	public List<CertificateFileProperties> getCertificates() {
		return this.certificates;
	}

	public List<ServerNameCertificate> getServerNameCertificates() {
		return this.serverNameCertificates;
	}

	public boolean isReloadOnUpdate() {
		return this.reloadOnUpdate;
	}

	public void setReloadOnUpdate(boolean reloadOnUpdate) {
		this.reloadOnUpdate = reloadOnUpdate;
	}

	public Duration getHandshakeTimeout() {
		return this.handshakeTimeout;
	}

	public void setHandshakeTimeout(Duration handshakeTimeout) {
		this.handshakeTimeout = handshakeTimeout;
	}

	public Openssl getOpenssl() {
		return this.openssl;
	}

	/**
	 * The files of a certificate for a host name.
	 */
	public static class ServerNameCertificate extends CertificateFileProperties {

		/**
		 * Host name that clients ask for, or a wildcard such as '*.example.com'.
		 */
		private @Nullable String serverName;

		public @Nullable String getServerName() {
			return this.serverName;
		}

		public void setServerName(@Nullable String serverName) {
			this.serverName = serverName;
		}

	}

	/**
	 * The TLS engine.
	 */
	public static class Openssl {

		/**
		 * When OpenSSL serves TLS.
		 */
		private OpenSslMode mode = OpenSslMode.WHEN_AVAILABLE;

		/**
		 * Where Tomcat Native, the library behind it, comes from.
		 */
		private LibrarySource library = LibrarySource.AUTO;

		/**
		 * File of Tomcat Native (libtcnative-2), or the folder it is in. No other is
		 * tried.
		 */
		private @Nullable String libraryPath;

		/**
		 * Folder that the bundled library is extracted into while it is loaded. By
		 * default, the folder of temporary files.
		 */
		private @Nullable String workDir;

		public OpenSslMode getMode() {
			return this.mode;
		}

		public void setMode(OpenSslMode mode) {
			this.mode = mode;
		}

		public LibrarySource getLibrary() {
			return this.library;
		}

		public void setLibrary(LibrarySource library) {
			this.library = library;
		}

		public @Nullable String getLibraryPath() {
			return this.libraryPath;
		}

		public void setLibraryPath(@Nullable String libraryPath) {
			this.libraryPath = libraryPath;
		}

		public @Nullable String getWorkDir() {
			return this.workDir;
		}

		public void setWorkDir(@Nullable String workDir) {
			this.workDir = workDir;
		}

	}

}
