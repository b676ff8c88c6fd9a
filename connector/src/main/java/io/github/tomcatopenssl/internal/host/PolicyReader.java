// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.openssl.OpenSSLConfCmd;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.apache.tomcat.util.net.openssl.ciphers.OpenSSLCipherConfigurationParser;
import org.jspecify.annotations.Nullable;

/**
 * Reads the policy of a virtual host: the only place where names become versions, cipher
 * suites and groups. Tomcat's defaults are replaced with the values of a named policy, as
 * far as the engine has them. A value that differs from Tomcat's was set by the user.
 *
 * @param defaults the named policy
 * @param engine what the engine can do that serves
 */
record PolicyReader(SecurityPolicy defaults, EngineCapabilities engine) {

	/**
	 * The names of single suites. Other words of OpenSSL stand for several.
	 */
	private static final Set<String> SUITES = Arrays.stream(Cipher.values())
		.flatMap((cipher) -> Stream.of(cipher.name(), cipher.getOpenSSLAlias()))
		.collect(Collectors.toUnmodifiableSet());

	/**
	 * What separates the names of suites.
	 */
	static final String SEPARATORS = "[:, ]+";

	private static final String TOMCAT_CIPHERS = new SSLHostConfig().getCiphers();

	private static final String TOMCAT_CIPHER_SUITES = new SSLHostConfig().getCipherSuites();

	private static final Set<String> TOMCAT_PROTOCOLS = Set.copyOf(new SSLHostConfig().getProtocols());

	// OpenSSL refuses earlier versions from security level 1 on
	// (SSL_CTX_set_security_level)
	private static final String SECURITY_LEVEL_0 = "@SECLEVEL=0";

	// Only announce renegotiation and a fallback. JSSE counts them as suites
	private static final Set<String> SIGNALS = Set.of("TLS_EMPTY_RENEGOTIATION_INFO_SCSV", "TLS_FALLBACK_SCSV");

	/**
	 * Commands of OpenSSL for the verification of clients, which this project does
	 * itself.
	 */
	private static final Set<String> VERIFICATION_COMMANDS = Set.of("verifymode", "verifycafile", "verifycapath",
			"verifycastore", "clientcafile", "clientcapath", "clientcastore", "requestcafile", "requestcapath",
			"requestcastore", OpenSSLConfCmd.NO_OCSP_CHECK.toLowerCase(Locale.ROOT),
			OpenSSLConfCmd.OCSP_SOFT_FAIL.toLowerCase(Locale.ROOT),
			OpenSSLConfCmd.OCSP_TIMEOUT.toLowerCase(Locale.ROOT),
			OpenSSLConfCmd.OCSP_VERIFY_FLAGS.toLowerCase(Locale.ROOT));

	/**
	 * Read what a virtual host negotiates.
	 * @param config the virtual host
	 * @return its policy
	 * @throws TlsSettingException if a name is not known
	 */
	TlsPolicy read(SSLHostConfig config) {
		List<OpenSSLConfCmd> commands = commands(config);
		List<ProtocolVersion> versions = versions(config, commands);
		String names = config.getCiphers();
		boolean own = !names.isEmpty() && !names.equals(TOMCAT_CIPHERS);
		boolean expression = own && !SUITES.containsAll(List.of(names.split(SEPARATORS)));
		// OpenSSL refuses an empty list, also if TLS 1.2 is turned off
		SecurityPolicy unnamed = this.defaults.ciphers().isEmpty() ? SecurityPolicy.INTERMEDIATE : this.defaults;
		List<Cipher> ciphers = own ? ciphers(config.getHostName(), names) : available(unnamed.ciphers());
		return new TlsPolicy(versions, ciphers, expression ? names : null, cipherSuites(config.getCipherSuites()),
				groups(config), List.of(), config.getHonorCipherOrder(), !config.getDisableSessionTickets(),
				config.getSessionCacheSize(), config.getSessionTimeout(), !config.getDisableCompression(),
				config.getInsecureRenegotiation(), config.getSslProtocol(), commands);
	}

	private static List<OpenSSLConfCmd> commands(SSLHostConfig config) {
		List<OpenSSLConfCmd> commands = (config.getOpenSslConf() != null) ? config.getOpenSslConf().getCommands()
				: List.of();
		for (OpenSSLConfCmd command : commands) {
			if (command.getName() == null || command.getValue() == null) {
				throw new IllegalArgumentException(
						"A command of the OpenSSL configuration ('OpenSSLConf') of the virtual host '%s' has no name or no value: '%s'"
							.formatted(config.getHostName(), command.getName()));
			}
			if (VERIFICATION_COMMANDS.contains(command.getName().toLowerCase(Locale.ROOT))) {
				throw new TlsSettingException(SettingName.CLIENT_AUTH, new SettingText(
						"'%s' of the OpenSSL configuration ('OpenSSLConf') of the virtual host '%s' has no effect",
						command.getName(), config.getHostName()),
						new SettingText("Remove the command, and use %s, %s and %s", SettingName.CLIENT_AUTH,
								SettingName.CA_CERTIFICATES, SettingName.OCSP),
						null);
			}
		}
		return commands;
	}

	// Spring Boot sorts the suites by version, and leaves a list empty if the user has
	// named only suites of the other versions. JSSE then negotiates those only. OpenSSL
	// refuses an empty list, or every client. If no version is left, the settings
	// contradict each other
	private List<ProtocolVersion> versions(SSLHostConfig config, List<OpenSSLConfCmd> commands) {
		boolean lowered = config.getCiphers().contains(SECURITY_LEVEL_0) || !commands.isEmpty();
		List<ProtocolVersion> versions = config.getProtocols().equals(TOMCAT_PROTOCOLS) ? this.defaults.versions()
				: versions(config.getProtocols(),
						lowered ? this.engine.versionsWithoutSecurityLevel() : this.engine.versions());
		return versions.stream()
			.filter((version) -> version != ProtocolVersion.TLS_1_3 || !config.getCipherSuites().isEmpty())
			.filter((version) -> version == ProtocolVersion.TLS_1_3 || !config.getCiphers().isEmpty())
			.toList();
	}

	private List<ProtocolVersion> versions(Set<String> names, List<ProtocolVersion> known) {
		List<ProtocolVersion> versions = new ArrayList<>();
		List<String> unknown = new ArrayList<>();
		for (String name : names.stream().sorted().toList()) {
			ProtocolVersion version = ProtocolVersion.of(name);
			if (version != null && (known.contains(version) || version == ProtocolVersion.SSL_2_HELLO)) {
				versions.add(version);
			}
			else {
				unknown.add(name);
			}
		}
		if (!unknown.isEmpty()) {
			throw new TlsSettingException(SettingName.ENABLED_PROTOCOLS,
					new SettingText("%s, which serves TLS, does not support '%s'", this.engine.name(),
							String.join("', '", unknown)),
					new SettingText("Use only '%s', in this spelling, or remove the property", join("' and '", known)),
					null);
		}
		versions.retainAll(this.engine.versionsWithoutSecurityLevel());
		if (!this.engine.versionGaps()) {
			requireNoGap(versions);
		}
		return versions;
	}

	// Tomcat Native sets the highest version and the lowest without a gap below it
	private void requireNoGap(List<ProtocolVersion> versions) {
		if (!versions.isEmpty() && versions.get(versions.size() - 1).id() - versions.get(0).id() >= versions.size()) {
			throw new TlsSettingException(SettingName.ENABLED_PROTOCOLS,
					new SettingText("%s, which serves TLS, cannot leave out a version between two others: '%s'",
							this.engine.name(), join("', '", versions)),
					new SettingText("Name all versions from the lowest to the highest, or only one"), null);
		}
	}

	private static String join(String separator, List<?> values) {
		return values.stream().map(Object::toString).collect(Collectors.joining(separator));
	}

	private static List<Cipher> ciphers(String host, String names) {
		List<String> unknown = Arrays.stream(names.split(SEPARATORS)).filter((name) -> !isKnown(name)).toList();
		if (!unknown.isEmpty()) {
			throw new TlsSettingException(SettingName.CIPHERS,
					new SettingText("there is no cipher suite with the name '%s'", String.join("', '", unknown)),
					new SettingText("Use names from the TLS registry, such as '%s', or remove the property", join(
							"', '",
							Stream.of(SecurityPolicy.INTERMEDIATE.cipherSuites(), SecurityPolicy.INTERMEDIATE.ciphers())
								.flatMap(List::stream)
								.toList())),
					null);
		}
		List<Cipher> ciphers = List.copyOf(OpenSSLCipherConfigurationParser.parse(names));
		if (ciphers.isEmpty()) {
			throw new TlsSettingException(SettingName.CIPHERS,
					new SettingText("none of the cipher suites of the virtual host '%s' is known: '%s'", host, names),
					new SettingText(
							"Use names from the TLS registry, such as 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', or remove the property"),
					null);
		}
		return ciphers;
	}

	// Expressions that remove, sort or select suites are left to the engine
	private static boolean isKnown(String cipher) {
		return cipher.isEmpty() || !Character.isLetter(cipher.charAt(0)) || cipher.contains("=")
				|| SIGNALS.contains(cipher) || !OpenSSLCipherConfigurationParser.parse(cipher).isEmpty();
	}

	private List<Cipher> cipherSuites(String names) {
		return (names.isEmpty() || names.equals(TOMCAT_CIPHER_SUITES)) ? available(this.defaults.cipherSuites())
				: List.copyOf(OpenSSLCipherConfigurationParser.parse(names));
	}

	private List<Cipher> available(List<Cipher> suites) {
		return suites.stream().filter(this.engine.suites()::contains).toList();
	}

	private @Nullable List<KeyExchangeGroup> groups(SSLHostConfig config) {
		if (config.getGroups() != null) {
			return Arrays.stream(config.getGroups().split(",")).map(PolicyReader::group).distinct().toList();
		}
		List<KeyExchangeGroup> groups = this.defaults.groups().stream().filter(this.engine.groups()::contains).toList();
		return groups.isEmpty() ? null : groups;
	}

	private static KeyExchangeGroup group(String name) {
		KeyExchangeGroup group = KeyExchangeGroup.of(name);
		if (group == null) {
			throw new TlsSettingException(SettingName.GROUPS,
					new SettingText("'%s' is not the name of a group", name.strip()),
					new SettingText("Remove whatever sets it"), null);
		}
		return group;
	}

}
