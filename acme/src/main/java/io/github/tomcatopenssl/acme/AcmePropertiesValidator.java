// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.certificate.PrivateFiles;
import io.github.tomcatopenssl.internal.certificate.SystemUser;
import org.jspecify.annotations.Nullable;

import org.springframework.core.env.Environment;
import org.springframework.util.CollectionUtils;
import org.springframework.util.StringUtils;

/**
 * Checks the properties before anything is written or ordered.
 */
final class AcmePropertiesValidator {

	private static final Pattern DOMAIN = Pattern
		.compile("(\\*\\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?");

	private static final Pattern EMAIL = Pattern.compile("[\\w.+'-]+@[\\w.-]+");

	/**
	 * 255 octets in DNS, with the length of each label and of the root.
	 */
	private static final int LONGEST_NAME = 253;

	private static final int MOST_ORDERS = 1_000_000;

	private final AcmeProperties properties;

	private final Environment environment;

	private final BooleanSupplier overDns;

	private final @Nullable Path copies;

	/**
	 * Create a new instance.
	 * @param properties the properties
	 * @param environment the environment variables and system properties
	 * @param overDns whether the CA can verify domains over DNS; asked only if that
	 * matters
	 */
	AcmePropertiesValidator(AcmeProperties properties, Environment environment, BooleanSupplier overDns) {
		this(properties, environment, overDns, null);
	}

	/**
	 * Create a new instance.
	 * @param properties the properties
	 * @param environment the environment variables and system properties
	 * @param overDns whether the CA can verify domains over DNS; asked only if that
	 * matters
	 * @param copies the folder for what is copied from a database, or {@code null} if
	 * everything is in a folder
	 */
	AcmePropertiesValidator(AcmeProperties properties, Environment environment, BooleanSupplier overDns,
			@Nullable Path copies) {
		this.properties = properties;
		this.environment = environment;
		this.overDns = overDns;
		this.copies = copies;
	}

	/**
	 * Check the properties.
	 * @return the settings of the default host
	 * @throws TlsSettingException if a property cannot be used
	 */
	AcmeSettings validate() {
		AcmeProperties properties = this.properties;
		List<String> domains = CollectionUtils.isEmpty(properties.domains()) ? List.of()
				: domains("domains", properties.domains());
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
		if (properties.ordersPerHour() < 1 || properties.ordersPerHour() > MOST_ORDERS) {
			throw failure("orders-per-hour", null, "it is not between 1 and " + MOST_ORDERS,
					"Set it to what the CA allows, or remove it");
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
		if (account != null) {
			validateHmacKey(String.valueOf(account.hmacKey()));
		}
		if (StringUtils.hasText(properties.email()) && !EMAIL.matcher(properties.email()).matches()) {
			throw failure("email", null, "'%s' is not an email address".formatted(properties.email()),
					"Set it to a single address such as 'admin@example.com', or remove it");
		}
		return new AcmeSettings(properties, domains, directory(properties.directory()));
	}

	/**
	 * Check the domains of the other certificates.
	 * @return the domains of each, as the CA expects them
	 * @throws TlsSettingException if they cannot be used
	 */
	List<List<String>> others() {
		List<List<String>> others = new ArrayList<>();
		for (AcmeProperties.Certificate certificate : this.properties.certificates()) {
			others.add(domains("certificates[%d].domains".formatted(others.size()), certificate.domains()));
		}
		return others;
	}

	/**
	 * Check the domains of a certificate.
	 * @param property the name of their property
	 * @param domains the domains
	 * @return the domains, as the CA expects them
	 * @throws TlsSettingException if they cannot be used
	 */
	List<String> domains(String property, List<String> domains) {
		if (domains.isEmpty()) {
			throw failure(property, null, "it is not set", "Set it to the host names of the certificate");
		}
		return domains.stream().map((domain) -> domain(property, domain)).distinct().toList();
	}

	private static void validateHmacKey(String text) {
		int length;
		try {
			length = HmacKey.decode(text).length;
		}
		catch (IllegalArgumentException ex) {
			throw failure("external-account.hmac-key", null, String.valueOf(ex.getMessage()),
					"Copy the complete HMAC key from the CA again, without quotes");
		}
		if (length < HmacKey.SHORTEST) {
			throw failure("external-account.hmac-key", null,
					"it has %d bytes, but HS256 needs %d (RFC 7518, 3.2)".formatted(length, HmacKey.SHORTEST),
					"Copy the complete HMAC key from the CA again. If it really is this short, ask the CA for another one");
		}
	}

	private String domain(String property, String domain) {
		String name = AcmeNames.canonical(domain);
		if (AcmeNames.isAddress(name)) {
			return name;
		}
		if (!DOMAIN.matcher(name).matches()) {
			throw failure(property, null, "'%s' is neither a host name nor an IP address".formatted(domain),
					"Set it to host names such as 'www.example.com' or addresses such as '192.0.2.1', without scheme, port and path");
		}
		if (name.length() > LONGEST_NAME) {
			throw failure(property, null,
					"a name has %d characters, but host names have %d at most (RFC 1035, 2.3.4): '%s'"
						.formatted(name.length(), LONGEST_NAME, domain),
					"Correct or remove it");
		}
		if (name.startsWith("*.") && !this.overDns.getAsBoolean()) {
			throw failure(property, null, "'%s' is a wildcard, which a CA verifies only over DNS".formatted(domain),
					"Set '%s' to your name server if it takes dynamic updates, define a bean of type '%s', or list the host names instead"
						.formatted(AcmeProperties.DNS_UPDATE + ".server", DnsChallengeProvider.class.getName()));
		}
		return name;
	}

	private Path directory(@Nullable String directory) {
		String service = this.environment.getProperty("STATE_DIRECTORY");
		try {
			if (StringUtils.hasText(directory)) {
				return former(Path.of(directory).toAbsolutePath());
			}
			if (this.copies != null) {
				return this.copies;
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
					.formatted(SystemUser.name()),
				"Set it to a folder that survives a restart");
	}

	// Without what is there, another certificate would be ordered
	private Path former(Path directory) {
		if (this.copies != null && !Files.isDirectory(directory)) {
			throw failure("directory", directory.toString(),
					"there is no such folder, from which to move to the database of '%s'"
						.formatted(AcmeProperties.STORE),
					"Correct the path, or remove the property if no replica uses the folder any more");
		}
		return directory;
	}

	private static TlsSettingException failure(String property, @Nullable String file, String reason, String action) {
		return new TlsSettingException(AcmeProperties.PREFIX + "." + property, file, reason, action, null);
	}

}
