// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.util.List;

import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.openssl.ciphers.Authentication;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.jspecify.annotations.Nullable;

/**
 * The rules that the policies of all virtual hosts of a connector follow. Settings that
 * cannot hold are refused here, for both engines.
 */
final class PolicyRules {

	private final TlsSettings settings;

	private final EngineCapabilities engine;

	private final @Nullable NamedPolicy named;

	private final SecurityPolicy defaults;

	PolicyRules(TlsSettings settings, EngineCapabilities engine) {
		this.settings = settings;
		this.engine = engine;
		this.named = settings.policy().named();
		this.defaults = (this.named != null) ? this.named.policy() : SecurityPolicy.INTERMEDIATE;
	}

	/**
	 * Return the policy of a virtual host.
	 * @param config the virtual host
	 * @param keys its keys
	 * @return the policy to serve with
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	TlsPolicy of(SSLHostConfig config, List<HostKey> keys) {
		return applyTo(config.getHostName(), keys, read(config));
	}

	/**
	 * Return what a virtual host is configured to negotiate.
	 * @param config the virtual host
	 * @return the policy, to which no rule is applied yet
	 */
	TlsPolicy read(SSLHostConfig config) {
		return new PolicyReader(this.defaults, this.engine).read(config);
	}

	/**
	 * Apply the rules to what a host is configured to negotiate.
	 * @param host the name of the host
	 * @param keys its keys
	 * @param policy what it is configured to negotiate
	 * @return the policy to serve with
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	TlsPolicy applyTo(String host, List<HostKey> keys, TlsPolicy policy) {
		requireServable(host, keys);
		TlsPolicy applied = policy;
		if (this.named != null) {
			applied = requireNamed(this.named, host, keys, applied);
		}
		if (!this.settings.groups().isEmpty()) {
			applied = new RequiredGroups(this.settings.groups()).applyTo(host, applied);
		}
		requireSuites(host, keys, applied);
		applied = new Signatures(this.engine, this.settings.policy()).applyTo(host, keys, applied);
		return requireFips(host, keys, applied);
	}

	private TlsPolicy requireNamed(NamedPolicy named, String host, List<HostKey> keys, TlsPolicy policy) {
		named.requireGroups(this.settings.groups());
		TlsPolicy required = named.requireWithin(host, policy);
		new CertificateRules(named.policy()).require(host, keys);
		if (required.groups() != null || !this.settings.groups().isEmpty()) {
			return required;
		}
		// JSSE before Java 20 does not say which groups it has. It has had these since
		// Java 13, and none of the others
		boolean unsaid = this.engine.groups().isEmpty();
		List<KeyExchangeGroup> groups = named.policy()
			.groups()
			.stream()
			.filter((group) -> unsaid && isClassical(group))
			.toList();
		if (groups.isEmpty()) {
			throw named.refusal(
					new SettingText("%s, which serves TLS, supports none of its groups: %s", this.engine.name(),
							named.policy().groups()),
					new SettingText("Serve TLS with OpenSSL 3.5 or later (see %s), or use another policy",
							SettingName.MODE));
		}
		return required.withGroups(groups);
	}

	private static boolean isClassical(KeyExchangeGroup group) {
		return !group.isPostQuantum() && !group.name().startsWith("BRAINPOOL") && group != KeyExchangeGroup.CURVESM2;
	}

	/**
	 * Apply the rules to the verification of clients.
	 * @param host the name of the virtual host
	 * @param clients how it verifies clients
	 * @return how it verifies them by the rules
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	ClientVerification applyTo(String host, ClientVerification clients) {
		if (this.named == null || !clients.isActive()) {
			return clients;
		}
		X509TrustManager manager = clients.trustManager();
		if (manager == null) {
			throw this.named
				.refusal(new SettingText("the virtual host '%s' has no trust manager that could enforce it for clients",
						host), new SettingText("Remove whatever sets it, or remove %s", SettingName.POLICY));
		}
		CertificateRules rules = new CertificateRules(this.named.policy());
		rules.requireIssuers(host, manager.getAcceptedIssuers());
		ForwardedVerification forwarded = clients.forwarded();
		return new ClientVerification(clients.mode(), rules.enforcedBy(manager), clients.trust(),
				clients.checksPurpose(),
				(forwarded != null)
						? new ForwardedVerification(rules.enforcedBy(forwarded.trustManager()), forwarded.trust())
						: null);
	}

	/**
	 * Require that a context that a user provides does not bypass the policy.
	 * @param host the name of the virtual host
	 * @throws TlsSettingException if it could
	 */
	void rejectProvided(String host) {
		if (this.named != null || !this.settings.policy().signatures().isEmpty()) {
			SettingName setting = (this.named != null) ? SettingName.POLICY : SettingName.SIGNATURE_ALGORITHMS;
			throw new TlsSettingException(setting,
					new SettingText("the virtual host '%s' has its own 'SSLContext', which would not enforce it", host),
					new SettingText("Remove whatever sets 'sslContext', or remove %s", setting), null);
		}
	}

	/**
	 * Return the policy of a host that answers an ACME challenge, which carries no data:
	 * neither the groups that are required nor a suite that a key lacks keep a CA away.
	 * @param config the virtual host
	 * @param keys its keys
	 * @return the policy to serve with
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	TlsPolicy ofChallenge(SSLHostConfig config, List<HostKey> keys) {
		return requireFips(config.getHostName(), keys,
				new PolicyReader(SecurityPolicy.INTERMEDIATE, this.engine).read(config));
	}

	private TlsPolicy requireFips(String host, List<HostKey> keys, TlsPolicy policy) {
		if (this.settings.fips()) {
			FipsRequirement.require(host, policy, keys, this.engine.suites());
		}
		return policy;
	}

	private void requireServable(String host, List<HostKey> keys) {
		if (keys.stream()
			.map(HostKey::type)
			.anyMatch((type) -> type.isMlDsa() && !this.engine.signatures().containsAll(type.schemes()))) {
			throw new TlsSettingException(SettingName.CERTIFICATE,
					new SettingText(
							"the virtual host '%s' has an ML-DSA key, which only OpenSSL 3.5 or later can serve", host),
					new SettingText(
							"Serve TLS with OpenSSL 3.5 or later (see %s), or remove the certificate with that key",
							SettingName.MODE),
					null);
		}
	}

	// A handshake must be possible with each version and key type. Suites of TLS 1.3 fit
	// all keys. Names are compared, because a client in memory has limits of its own
	private static void requireSuites(String host, List<HostKey> keys, TlsPolicy policy) {
		if (policy.versions().isEmpty()) {
			throw new TlsSettingException(SettingName.CIPHERS,
					new SettingText("its cipher suites are all for a version of TLS that %s turns off",
							SettingName.ENABLED_PROTOCOLS),
					new SettingText("Name suites for an enabled version, or remove one of the two properties"), null);
		}
		if (!policy.versions().contains(ProtocolVersion.TLS_1_2) || policy.ciphers().isEmpty()) {
			return;
		}
		for (HostKey entry : keys) {
			Authentication authentication = authentication(entry.type());
			if (authentication != null
					&& policy.ciphers().stream().noneMatch((cipher) -> cipher.getAu().equals(authentication))) {
				throw new TlsSettingException(SettingName.CIPHERS, new SettingText(
						"none of its TLS 1.2 cipher suites fits the %s key of the virtual host '%s', so that all clients with TLS 1.2 would be refused",
						entry.type(), host),
						new SettingText("Add a suite such as '%s', set %s to 'TLSv1.3', or remove the property",
								(authentication == Authentication.ECDSA)
										? Cipher.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
										: Cipher.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
								SettingName.ENABLED_PROTOCOLS),
						null);
			}
		}
	}

	// ML-DSA keys are for TLS 1.3 only. The needs of other keys are left to the engine
	private static @Nullable Authentication authentication(KeyType type) {
		return switch (type) {
			case EC -> Authentication.ECDSA;
			case RSA -> Authentication.RSA;
			default -> null;
		};
	}

}
