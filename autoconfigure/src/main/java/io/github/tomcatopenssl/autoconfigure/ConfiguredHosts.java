// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.ServerNameCertificate;
import io.github.tomcatopenssl.internal.certificate.CertificateFiles;
import io.github.tomcatopenssl.internal.certificate.CertificateSource;
import io.github.tomcatopenssl.internal.certificate.ConfiguredFile;
import io.github.tomcatopenssl.internal.certificate.VirtualHostFiles;
import io.github.tomcatopenssl.internal.host.HostNames;
import io.github.tomcatopenssl.internal.pem.PemSource.Content;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.web.server.Ssl;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Makes the hosts from the properties of the certificate files, the default host first,
 * and that of the management server last. There are no hosts if none of these properties
 * is set or if TLS is turned off. The auto-configuration has no condition for this,
 * because ahead-of-time processing would evaluate it when the application is built.
 */
final class ConfiguredHosts {

	private static final String PREFIX = "server.ssl.";

	private final TomcatOpenSslProperties properties;

	private ConfiguredHosts(TomcatOpenSslProperties properties) {
		this.properties = properties;
	}

	static List<VirtualHostFiles> of(TomcatOpenSslProperties properties, Ssl ssl, Environment environment,
			@Nullable CertificateSource acme) {
		CertificateFileConflicts.reject(properties, ssl, environment, acme);
		List<VirtualHostFiles> hosts = new ArrayList<>();
		if (ssl.isEnabled() && ServerSslProperty.isAnySet(properties)) {
			ConfiguredHosts configured = new ConfiguredHosts(properties);
			hosts.add(configured.defaultHost(environment, acme));
			hosts.addAll(configured.otherHosts(ssl));
			if (ServerSslProperty.ACME_CERTIFICATES.isSet(properties)) {
				requireSource(ServerSslProperty.ACME_CERTIFICATES, acme);
			}
			if (acme != null && acme.hasOthers()) {
				acme.serveOthers();
			}
		}
		VirtualHostFiles management = ManagementCertificate.host(properties, ssl, environment);
		if (management != null) {
			hosts.add(management);
		}
		return hosts;
	}

	private VirtualHostFiles defaultHost(Environment environment, @Nullable CertificateSource acme) {
		List<CertificateFiles> certificates;
		if (this.properties.developmentCertificate()) {
			certificates = provided(ServerSslProperty.DEVELOPMENT_CERTIFICATE.toString(),
					CertificateSource.development(environment, this.properties.developmentCertificateNames(),
							this.properties.developmentCertificateInProduction()));
		}
		else if (ServerSslProperty.ACME.isSet(this.properties)) {
			certificates = provided(ServerSslProperty.ACME + ".key-types[%d]",
					requireSource(ServerSslProperty.ACME, acme));
		}
		else {
			certificates = certificates();
		}
		return new VirtualHostFiles(null, certificates, ServerSslProperty.CA_CERTIFICATE_FILE.cas(this.properties),
				ServerSslProperty.CERTIFICATE_REVOCATION_LIST_FILE.revocationLists(this.properties),
				proxyCaCertificates(), null);
	}

	private @Nullable ConfiguredFile proxyCaCertificates() {
		return ServerSslProperty.FORWARDED_CLIENT_CERTIFICATE_PROXY_CA_CERTIFICATE_FILE.cas(this.properties);
	}

	private static CertificateSource requireSource(ServerSslProperty property, @Nullable CertificateSource acme) {
		if (acme == null) {
			throw property.failure("the dependency that obtains certificates is missing",
					"Add the dependency 'io.github.tomcatopenssl:tomcat-openssl-acme', or remove the properties");
		}
		return acme;
	}

	private static List<CertificateFiles> provided(String property, CertificateSource source) {
		List<CertificateFiles> locations = new ArrayList<>();
		source.validateAndWriteFiles()
			.forEach((file) -> locations
				.add(new CertificateFiles(property.formatted(locations.size()), file.toString())));
		return locations;
	}

	private List<CertificateFiles> certificates() {
		List<TomcatOpenSslProperties.CertificateFiles> certificates = this.properties.certificates();
		List<CertificateFiles> locations = new ArrayList<>();
		if (this.properties.certificateFile() != null && certificates.isEmpty()) {
			locations.add(locations(PREFIX, this.properties.files()));
		}
		for (int i = 0; i < certificates.size(); i++) {
			locations.add(locations(PREFIX + "certificates[%d].".formatted(i), certificates.get(i)));
		}
		return locations;
	}

	private List<VirtualHostFiles> otherHosts(Ssl ssl) {
		List<String> bundles = ssl.getServerNameBundles()
			.stream()
			.map((bundle) -> serverName("server.ssl.server-name-bundles", bundle.serverName()))
			.toList();
		Map<String, VirtualHostFiles> hosts = new LinkedHashMap<>();
		List<ServerNameCertificate> certificates = this.properties.serverNameCertificates();
		for (int i = 0; i < certificates.size(); i++) {
			String prefix = PREFIX + "server-name-certificates[%d].".formatted(i);
			ServerNameCertificate certificate = certificates.get(i);
			if (!StringUtils.hasText(certificate.serverName())) {
				throw new TlsSettingException(prefix + "server-name", null, "it is not set",
						"Set it to the host name that the certificate is for", null);
			}
			String serverName = serverName(prefix + "server-name", certificate.serverName());
			VirtualHostFiles host = otherHost(serverName, prefix, certificate);
			if (bundles.contains(serverName)) {
				throw host.certificates()
					.get(0)
					.failure("'server.ssl.server-name-bundles' has a bundle for the host name '%s' as well"
						.formatted(serverName), "Remove one of the two");
			}
			hosts.merge(serverName, host, (first, next) -> merge(prefix, first, next));
		}
		return List.copyOf(hosts.values());
	}

	private static String serverName(String property, String configured) {
		try {
			return HostNames.configured(configured);
		}
		catch (IllegalArgumentException ex) {
			throw new TlsSettingException(property, null, "no client can ask for the name '%s'".formatted(configured),
					"Set it to " + HostNames.EXAMPLES, ex);
		}
	}

	private VirtualHostFiles otherHost(String serverName, String prefix, ServerNameCertificate certificate) {
		ConfiguredFile caCertificates = cas(prefix + "trust-certificate-file", certificate.trustCertificateFile());
		List<ConfiguredFile> revocationLists = ConfiguredFile
			.revocationLists(prefix + "certificate-revocation-list-file", certificate.certificateRevocationListFile());
		if (caCertificates == null) {
			caCertificates = ServerSslProperty.CA_CERTIFICATE_FILE.cas(this.properties);
			revocationLists = !revocationLists.isEmpty() ? revocationLists
					: ServerSslProperty.CERTIFICATE_REVOCATION_LIST_FILE.revocationLists(this.properties);
		}
		return new VirtualHostFiles(serverName, List.of(locations(prefix, certificate.files())), caCertificates,
				revocationLists, proxyCaCertificates(), certificate.clientAuth());
	}

	// Clients of a host are verified in one way, whichever of its certificates they get
	private static VirtualHostFiles merge(String prefix, VirtualHostFiles first, VirtualHostFiles next) {
		if (first.clientAuth() != next.clientAuth() || !locations(first).equals(locations(next))) {
			throw new TlsSettingException(prefix + "client-auth", null,
					"the certificates of the host name '%s' differ in 'client-auth', 'trust-certificate-file' or 'certificate-revocation-list-file'"
						.formatted(first.serverName()),
					"Set these properties to the same values for each certificate of the host name", null);
		}
		List<CertificateFiles> certificates = new ArrayList<>(first.certificates());
		certificates.addAll(next.certificates());
		return new VirtualHostFiles(first.serverName(), List.copyOf(certificates), first.caCertificates(),
				first.revocationLists(), first.proxyCaCertificates(), first.clientAuth());
	}

	private static List<List<String>> locations(VirtualHostFiles host) {
		return Stream.of(Stream.ofNullable(host.caCertificates()), host.revocationLists().stream())
			.map((files) -> files.map(ConfiguredFile::location).toList())
			.toList();
	}

	private static @Nullable ConfiguredFile cas(String property, @Nullable String location) {
		return (location != null) ? new ConfiguredFile(property, location, Content.CAS) : null;
	}

	private static CertificateFiles locations(String prefix, TomcatOpenSslProperties.CertificateFiles certificate) {
		String certificateFile = certificate.certificateFile();
		if (certificateFile == null) {
			throw new TlsSettingException(prefix + "certificate-file", null, "it is not set",
					"Set it to a PEM file, or remove the other properties that begin with '%s'".formatted(prefix),
					null);
		}
		return new CertificateFiles(prefix, certificateFile, certificate.certificateKeyFile(),
				certificate.certificateKeyPassword(), certificate.certificateChainFile());
	}

}
