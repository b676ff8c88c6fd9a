// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.ServerNameCertificate;
import io.github.tomcatopenssl.certificate.CertificateFiles;
import io.github.tomcatopenssl.certificate.CertificateSource;
import io.github.tomcatopenssl.certificate.ConfiguredFile;
import io.github.tomcatopenssl.certificate.VirtualHostFiles;
import io.github.tomcatopenssl.host.HostNames;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.web.server.Ssl;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Reads the hosts from the properties of the certificate files, the default host first,
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
		CertificateFileConflicts.rejectManagement(environment);
		UnknownProperties.reject(environment, (acme != null) ? acme.propertiesType() : null);
		List<VirtualHostFiles> hosts = new ArrayList<>(ofMainServer(properties, ssl, environment, acme));
		VirtualHostFiles management = ManagementCertificate.host(properties, ssl, environment);
		if (management != null) {
			hosts.add(management);
		}
		return hosts;
	}

	private static List<VirtualHostFiles> ofMainServer(TomcatOpenSslProperties properties, Ssl ssl,
			Environment environment, @Nullable CertificateSource acme) {
		if (!ssl.isEnabled()) {
			return List.of();
		}
		CertificateFileConflicts conflicts = new CertificateFileConflicts(properties, ssl, environment);
		conflicts.rejectHostHeader();
		CertificateFileConflicts.rejectAcmeWithoutDomains(properties, environment);
		ServerSslProperty.requireEffect(properties);
		if (!ServerSslProperty.isAnySet(properties)) {
			// For example from an empty environment variable
			if (properties.acme() != null && ssl.getBundle() == null && ssl.getKeyStore() == null
					&& ssl.getCertificate() == null) {
				throw new TlsSettingException(ServerSslProperty.ACME + ".domains", null,
						"it is empty, and no other certificate is set",
						"Set it to the host names of the certificate, or remove the properties of 'server.ssl.acme'",
						null);
			}
			return List.of();
		}
		conflicts.rejectContradictions();
		ConfiguredHosts configured = new ConfiguredHosts(properties);
		List<CertificateFiles> certificates;
		if (properties.developmentCertificate()) {
			certificates = provided(ServerSslProperty.DEVELOPMENT_CERTIFICATE.toString(),
					CertificateSource.development(environment, properties.developmentCertificateNames(),
							properties.developmentCertificateInProduction()));
		}
		else if (ServerSslProperty.ACME.isSet(properties)) {
			certificates = provided(ServerSslProperty.ACME + ".key-types[%d]", requireSource(acme));
		}
		else {
			certificates = configured.certificates();
		}
		List<VirtualHostFiles> hosts = new ArrayList<>();
		hosts.add(configured.host(null, certificates));
		hosts.addAll(configured.otherHosts());
		conflicts.reject(hosts);
		return hosts;
	}

	private static CertificateSource requireSource(@Nullable CertificateSource acme) {
		if (acme == null) {
			throw ServerSslProperty.ACME.failure("the dependency that obtains certificates is missing",
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
		// A profile has no other way to unset it
		if (this.properties.certificateFile() != null && certificates.isEmpty()) {
			locations.add(locations(PREFIX, this.properties.files()));
		}
		for (int i = 0; i < certificates.size(); i++) {
			locations.add(locations(PREFIX + "certificates[%d].".formatted(i), certificates.get(i)));
		}
		if (locations.isEmpty()) {
			ServerSslProperty dependent = ServerSslProperty.DEPENDENT.stream()
				.filter((property) -> property.isSet(this.properties))
				.findFirst()
				.orElseThrow();
			throw ServerSslProperty.CERTIFICATE_FILE.failure(
					"it is not set, but '%s' is, which depends on it".formatted(dependent),
					"Set '%s' to the certificate of the default host, or remove '%s'"
						.formatted(ServerSslProperty.CERTIFICATE_FILE, dependent));
		}
		return locations;
	}

	private List<VirtualHostFiles> otherHosts() {
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
			hosts.merge(serverName, host, (first, next) -> merge(prefix, first, next));
		}
		return List.copyOf(hosts.values());
	}

	static String serverName(String property, String configured) {
		try {
			return HostNames.configured(configured);
		}
		catch (IllegalArgumentException ex) {
			throw new TlsSettingException(property, null, "no client can ask for the name '%s'".formatted(configured),
					"Set it to " + HostNames.EXAMPLES, ex);
		}
	}

	private VirtualHostFiles otherHost(String serverName, String prefix, ServerNameCertificate certificate) {
		VirtualHostFiles defaults = host(serverName, List.of(locations(prefix, certificate.files())));
		ConfiguredFile caCertificates = file(prefix + "trust-certificate-file", certificate.trustCertificateFile());
		ConfiguredFile revocationLists = file(prefix + "certificate-revocation-list-file",
				certificate.certificateRevocationListFile());
		if (caCertificates == null) {
			caCertificates = defaults.caCertificates();
			revocationLists = (revocationLists != null) ? revocationLists : defaults.revocationLists();
		}
		return new VirtualHostFiles(serverName, defaults.certificates(), caCertificates, revocationLists,
				certificate.clientAuth());
	}

	// Clients of a host are verified in one way, whichever of its certificates they get
	private static VirtualHostFiles merge(String prefix, VirtualHostFiles first, VirtualHostFiles next) {
		if (first.clientAuth() != next.clientAuth() || !isSame(first.caCertificates(), next.caCertificates())
				|| !isSame(first.revocationLists(), next.revocationLists())) {
			throw new TlsSettingException(prefix + "client-auth", null,
					"the certificates of the host name '%s' differ in 'client-auth', 'trust-certificate-file' or 'certificate-revocation-list-file'"
						.formatted(first.serverName()),
					"Set these properties to the same values for each certificate of the host name", null);
		}
		List<CertificateFiles> certificates = new ArrayList<>(first.certificates());
		certificates.addAll(next.certificates());
		return new VirtualHostFiles(first.serverName(), List.copyOf(certificates), first.caCertificates(),
				first.revocationLists(), first.clientAuth());
	}

	private static boolean isSame(@Nullable ConfiguredFile one, @Nullable ConfiguredFile other) {
		return (one != null && other != null) ? one.location().equals(other.location()) : one == other;
	}

	private VirtualHostFiles host(@Nullable String serverName, List<CertificateFiles> locations) {
		return new VirtualHostFiles(serverName, List.copyOf(locations), caCertificates(this.properties),
				revocationLists(this.properties), null);
	}

	static @Nullable ConfiguredFile caCertificates(TomcatOpenSslProperties properties) {
		return file(ServerSslProperty.CA_CERTIFICATE_FILE.toString(), properties.caCertificateFile());
	}

	static @Nullable ConfiguredFile revocationLists(TomcatOpenSslProperties properties) {
		return file(ServerSslProperty.CERTIFICATE_REVOCATION_LIST_FILE.toString(),
				properties.certificateRevocationListFile());
	}

	private static @Nullable ConfiguredFile file(String property, @Nullable String location) {
		return (location != null) ? new ConfiguredFile(property, location) : null;
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
