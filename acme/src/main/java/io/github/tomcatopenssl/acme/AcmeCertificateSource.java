// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.TlsAlpnChallenges;
import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.CertificateSource;
import io.github.tomcatopenssl.certificate.PrivateFiles;
import io.github.tomcatopenssl.certificate.VirtualHostFiles;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.toolbox.AcmeUtils;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * The certificates of {@code server.ssl.acme}. Does nothing unless the server asks for
 * them. Starts after the web server, which answers the challenges, and stops before it.
 */
class AcmeCertificateSource implements CertificateSource, TlsAlpnChallenges, SmartLifecycle {

	private static final Pattern DOMAIN = Pattern
		.compile("(\\*\\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?");

	private static final Pattern EMAIL = Pattern.compile("[\\w.+'-]+@[\\w.-]+");

	private static final int SHORTEST_HMAC_KEY = 32;

	private final AcmeProperties properties;

	private final Environment environment;

	private final ObjectProvider<DnsChallengeProvider> dns;

	private final ObjectProvider<SslBundles> bundles;

	private final AcmeSchedule schedule;

	private final Clock clock;

	private volatile @Nullable AcmeCertificates certificates;

	private volatile TlsAlpnChallenges challenges = TlsAlpnChallenges.NONE;

	AcmeCertificateSource(AcmeProperties properties, Environment environment, ObjectProvider<DnsChallengeProvider> dns,
			ObjectProvider<SslBundles> bundles, AcmeSchedule schedule, Clock clock) {
		this.properties = properties;
		this.environment = environment;
		this.dns = dns;
		this.bundles = bundles;
		this.schedule = schedule;
		this.clock = clock;
	}

	@Override
	public List<Path> files() {
		AcmeProperties properties = this.properties;
		List<String> domains = Objects.requireNonNull(properties.domains())
			.stream()
			.map(this::domain)
			.distinct()
			.toList();
		if (!properties.termsOfServiceAgreed()) {
			throw failure("terms-of-service-agreed", null,
					"it is not 'true', and no certificate is ordered without your agreement",
					"Read the terms of service of the CA ('%s'), and set it to 'true' if you agree"
						.formatted(properties.directoryUrl().getHost()));
		}
		URI ca = properties.directoryUrl();
		if (!"https".equals(ca.getScheme()) || ca.getHost() == null) {
			throw failure("directory-url", null, "'%s' is not an HTTPS address".formatted(ca),
					"Set it to the ACME directory of the CA");
		}
		if (properties.keyTypes().isEmpty()
				|| Set.copyOf(properties.keyTypes()).size() != properties.keyTypes().size()) {
			throw failure("key-types", null, "it must have one or two different key types", "Correct it, or remove it");
		}
		AcmeProperties.ExternalAccount account = properties.externalAccount();
		if (account != null && !(StringUtils.hasText(account.keyId()) && StringUtils.hasText(account.hmacKey()))) {
			throw failure("external-account", null, "it needs both 'key-id' and 'hmac-key'",
					"Set both to what the CA gave you, or remove them");
		}
		if (account != null && !AcmeUtils.isValidBase64Url(account.hmacKey())) {
			throw failure("external-account.hmac-key", null, "it is not Base64 for URLs",
					"Set it to the HMAC key exactly as the CA gave it to you");
		}
		if (account != null && AcmeUtils.base64UrlDecode(account.hmacKey()).length < SHORTEST_HMAC_KEY) {
			throw failure("external-account.hmac-key", null,
					"it is shorter than the %d bytes that HS256 needs (RFC 7518, 3.2)".formatted(SHORTEST_HMAC_KEY),
					"Set it to the HMAC key exactly as the CA gave it to you");
		}
		if (StringUtils.hasText(properties.email()) && !EMAIL.matcher(properties.email()).matches()) {
			throw failure("email", null, "'%s' is not an email address".formatted(properties.email()),
					"Set it to a single address such as 'admin@example.com', or remove it");
		}
		Path directory = directory(properties.directory());
		AcmeStore store = new AcmeStore(directory, ca, domains);
		CaClock clock = new CaClock(this.clock);
		AcmeCertificates certificates = new AcmeCertificates(properties, domains, store,
				() -> new AcmeClient(properties, domains, store, solver(store), clock, trust(properties.sslBundle())),
				clock, this.schedule);
		try {
			List<Path> files = certificates.provideFiles();
			this.challenges = new AcmeChallenges(store);
			this.certificates = certificates;
			return files;
		}
		catch (IOException ex) {
			throw failure("directory", directory.toString(),
					"the certificate cannot be stored in this folder: %s".formatted(ex.getMessage()),
					AcmeStoreException.action(), ex);
		}
	}

	@Override
	public Class<?> propertiesType() {
		return AcmeProperties.class;
	}

	private ChallengeSolver solver(AcmeStore store) {
		DnsChallengeProvider dns = this.dns.getIfAvailable();
		return (dns != null) ? new DnsSolver(dns) : new TlsAlpnSolver(store);
	}

	private String domain(String domain) {
		String name = domain.strip().toLowerCase(Locale.ROOT);
		String address = AcmeNames.address(name);
		if (address != null) {
			return address;
		}
		try {
			name = name.startsWith("*.") ? "*." + AcmeUtils.toAce(name.substring(2)) : AcmeUtils.toAce(name);
		}
		catch (IllegalArgumentException ex) {
			throw invalid(domain);
		}
		if (!DOMAIN.matcher(name).matches()) {
			throw invalid(domain);
		}
		if (name.startsWith("*.") && this.dns.getIfAvailable() == null) {
			throw failure("domains", null, "'%s' is a wildcard, which a CA verifies only over DNS".formatted(domain),
					"Define a bean of type '%s', or list the host names instead"
						.formatted(DnsChallengeProvider.class.getName()));
		}
		return name;
	}

	private static CertificateFileException invalid(String domain) {
		return failure("domains", null, "'%s' is neither a host name nor an IP address".formatted(domain),
				"Set it to host names such as 'www.example.com' or addresses such as '192.0.2.1', without scheme, port and path");
	}

	private Path directory(@Nullable String directory) {
		String service = this.environment.getProperty("STATE_DIRECTORY");
		try {
			if (StringUtils.hasText(directory)) {
				return Path.of(directory).toAbsolutePath();
			}
			Path data = StringUtils.hasText(service) ? Path.of(service.split(":")[0])
					: PrivateFiles.dataFolder(this.environment);
			if (data.isAbsolute()) {
				return data.resolve("tomcat-openssl").resolve("acme");
			}
		}
		catch (InvalidPathException ex) {
			throw failure("directory", ex.getInput(), "it is not a path: " + ex.getReason(), "Correct it");
		}
		throw failure("directory", null,
				"it is not set, and the user that runs the application ('%s') has no home folder"
					.formatted(System.getProperty("user.name")),
				"Set it to a folder that survives a restart");
	}

	private @Nullable SslBundle trust(@Nullable String bundle) {
		return StringUtils.hasText(bundle) ? this.bundles.getObject().getBundle(bundle) : null;
	}

	private static CertificateFileException failure(String property, @Nullable String file, String reason,
			String action) {
		return failure(property, file, reason, action, null);
	}

	private static CertificateFileException failure(String property, @Nullable String file, String reason,
			String action, @Nullable Exception cause) {
		return new CertificateFileException(AcmeProperties.PREFIX + "." + property, file, reason, action, cause);
	}

	@Override
	public @Nullable KeyStore find(String serverName) {
		return this.challenges.find(serverName);
	}

	/**
	 * Return the certificates.
	 * @return the certificates, or {@code null} if the server does not ask for them
	 */
	@Nullable AcmeCertificates certificates() {
		return this.certificates;
	}

	/**
	 * Return the certificates that the server uses, whatever the folder has.
	 * @return the certificates; empty if there is no server
	 */
	List<AcmeCertificate> inUse() {
		return this.bundles.stream()
			.filter((bundles) -> bundles.getBundleNames().contains(VirtualHostFiles.BUNDLE_NAME))
			.flatMap((bundles) -> AcmeCertificate.of(bundles.getBundle(VirtualHostFiles.BUNDLE_NAME)).stream())
			.toList();
	}

	@Override
	public void start() {
		AcmeCertificates certificates = this.certificates;
		if (certificates == null) {
			return;
		}
		try {
			trust(certificates.properties().sslBundle());
		}
		catch (NoSuchSslBundleException ex) {
			throw failure("ssl-bundle", null, "there is no SSL bundle '%s'".formatted(ex.getBundleName()),
					"Define it with 'spring.ssl.bundle', or remove the property");
		}
		certificates.start();
	}

	@Override
	public void stop() {
		AcmeCertificates certificates = this.certificates;
		if (certificates != null) {
			certificates.stop();
		}
	}

	@Override
	public boolean isRunning() {
		AcmeCertificates certificates = this.certificates;
		return certificates != null && certificates.isRunning();
	}

}
