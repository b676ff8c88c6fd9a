// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.autoconfigure.UnknownProperties.KnownNames;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.web.server.Ssl;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.ObjectUtils;

/**
 * Properties with the names of TLS settings below another prefix, where nothing reads
 * them. The prefixes are a closed list, because libraries and applications have
 * properties of the same names below prefixes of their own.
 */
final class MisplacedProperties {

	private static final Log logger = LogFactory.getLog(MisplacedProperties.class);

	private static final KnownNames OF_SERVER = KnownNames.of(Ssl.class, TomcatOpenSslProperties.class);

	private static final KnownNames ONLY_OURS = KnownNames.of(TomcatOpenSslProperties.class);

	private static final KnownNames OF_MANAGEMENT = KnownNames.of(Ssl.class,
			TomcatOpenSslProperties.CertificateFiles.class);

	private final List<Misplaced> properties;

	private MisplacedProperties(List<Misplaced> properties) {
		this.properties = properties;
	}

	static MisplacedProperties of(Environment environment) {
		List<Misplaced> properties = new ArrayList<>();
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			if (source instanceof IterableConfigurationPropertySource iterable) {
				boolean variables = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
				for (ConfigurationPropertyName name : iterable) {
					for (Prefix prefix : Prefix.values()) {
						prefix.meant(name, variables)
							.map((meant) -> misplaced(iterable, name, meant))
							.ifPresent(properties::add);
					}
				}
			}
		}
		return new MisplacedProperties(properties);
	}

	private static @Nullable Misplaced misplaced(ConfigurationPropertySource source, ConfigurationPropertyName name,
			String meant) {
		ConfigurationProperty property = source.getConfigurationProperty(name);
		return (property != null && asksForSomething(property.getValue()))
				? new Misplaced(UnknownProperties.shownName(property), String.valueOf(property.getOrigin()), meant)
				: null;
	}

	private static boolean asksForSomething(@Nullable Object value) {
		return !ObjectUtils.isEmpty(value) && !"false".equals(String.valueOf(value));
	}

	/**
	 * Refuse the properties, because the server serves no TLS.
	 * @throws TlsSettingException if there are any; the exceptions for others are
	 * suppressed in it
	 */
	void reject() {
		this.properties.stream().map(Misplaced::failure).reduce((failure, next) -> {
			failure.addSuppressed(next);
			return failure;
		}).ifPresent((failure) -> {
			throw failure;
		});
	}

	/**
	 * Warn about the properties.
	 */
	void warn() {
		this.properties.forEach((property) -> logger.warn(
				"'%s' (%s) does not configure the web server. Did you mean '%s'? Correct the name, or remove the property"
					.formatted(property.name(), property.origin(), property.meant())));
	}

	/**
	 * A property that is set.
	 *
	 * @param name its name
	 * @param origin where it is set
	 * @param meant the name that configures the server
	 */
	private record Misplaced(String name, String origin, String meant) {

		TlsSettingException failure() {
			return new TlsSettingException(this.name, null,
					"it does not configure the web server (%s), which serves no TLS. Did you mean '%s'?"
						.formatted(this.origin, this.meant),
					"Correct the name, or remove the property. If the application is meant to serve HTTP, set 'server.ssl.enabled' to 'false'",
					null);
		}

	}

	/**
	 * A prefix that is easily taken for that of the TLS settings. But for {@code ssl},
	 * they belong to Spring Boot.
	 */
	private enum Prefix {

		// Other libraries have properties below 'ssl' too
		ROOT("ssl", "server.ssl", ONLY_OURS) {

			@Override
			Optional<String> find(String path, boolean variable) {
				return super.find(path, false).filter(
						(known) -> !variable && !known.equals("certificates") && ServerSslProperty.turnsTlsOn(known));
			}

		},

		// Spring Boot's own names are below 'spring.ssl.bundle' and 'server.tomcat'
		SPRING_SSL("spring.ssl", "server.ssl", ONLY_OURS), SERVER_TOMCAT("server.tomcat", "server.ssl", ONLY_OURS),

		SERVER_TLS("server.tls", "server.ssl", OF_SERVER), SERVER_HTTPS("server.https", "server.ssl", OF_SERVER),

		SERVER_TOMCAT_SSL("server.tomcat.ssl", "server.ssl", OF_SERVER),

		SPRING_SERVER_SSL("spring.server.ssl", "server.ssl", OF_SERVER),

		MANAGEMENT_SERVER("management.server", "management.server.ssl",
				KnownNames.of(TomcatOpenSslProperties.CertificateFiles.class)),

		MANAGEMENT_SERVER_TLS("management.server.tls", "management.server.ssl", OF_MANAGEMENT),

		MANAGEMENT_SSL("management.ssl", "management.server.ssl", OF_MANAGEMENT),

		MANAGEMENT_TLS("management.tls", "management.server.ssl", OF_MANAGEMENT),

		SPRING_MANAGEMENT_SERVER_SSL("spring.management.server.ssl", "management.server.ssl", OF_MANAGEMENT);

		private final ConfigurationPropertyName prefix;

		private final String target;

		private final KnownNames names;

		Prefix(String prefix, String target, KnownNames names) {
			this.prefix = ConfigurationPropertyName.of(prefix);
			this.target = target;
			this.names = names;
		}

		/**
		 * Return the name that configures the server.
		 * @param name the name that is set
		 * @param variable whether it is that of an environment variable
		 * @return the name that is meant, unless the other may be for something else
		 */
		Optional<String> meant(ConfigurationPropertyName name, boolean variable) {
			return !this.prefix.isAncestorOf(name) ? Optional.empty()
					: find(UnknownProperties.path(this.prefix, name), variable)
						.map((known) -> this.target + "." + UnknownProperties.withIndex(this.prefix, known, name));
		}

		// A variable such as SERVER_TLS_ENABLED may be for another program
		Optional<String> find(String path, boolean variable) {
			KnownNames known = variable ? ONLY_OURS : this.names;
			return known.find(path, variable).filter((found) -> !known.groups().contains(found));
		}

	}

}
