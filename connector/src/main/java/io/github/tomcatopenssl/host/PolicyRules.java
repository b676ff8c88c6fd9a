// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.util.List;

import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
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
		SecurityPolicy policy = settings.policy().policy();
		this.named = (policy != null) ? new NamedPolicy(policy) : null;
		this.defaults = (policy != null) ? policy : SecurityPolicy.INTERMEDIATE;
	}

	/**
	 * Apply the rules to the policy of a virtual host.
	 * @param host the name of the virtual host
	 * @param keys its keys
	 * @param policy what Tomcat is configured with
	 * @return the policy to serve with
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	TlsPolicy applyTo(String host, List<HostKey> keys, TlsPolicy policy) {
		requireServable(host, keys);
		TlsPolicy applied = PolicyDefaults.applyTo(this.defaults, policy, this.engine.groups());
		ProtocolsAndCiphers.requireKnownNames(applied, this.engine);
		if (this.named != null) {
			applied = requireNamed(this.named, host, keys, applied);
		}
		if (!this.settings.groups().isEmpty()) {
			applied = new RequiredGroups(this.settings.groups()).applyTo(host, applied);
		}
		ProtocolsAndCiphers.requireKnownSuite(host, applied);
		ProtocolsAndCiphers.requireSuites(host, applied, keys);
		applied = new Signatures(this.engine, this.settings.policy()).applyTo(host, keys, applied);
		return this.settings.fips() ? FipsRequirement.applyTo(host, applied, keys, this.defaults) : applied;
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
		return required.withGroups(groups.stream().map(KeyExchangeGroup::toString).toList());
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
	 * Apply the rules to the policy of a host that answers an ACME challenge, which
	 * carries no data: neither the groups that are required nor a suite that a key lacks
	 * keep a CA away.
	 * @param host the name of the virtual host
	 * @param keys its keys
	 * @param policy the policy
	 * @return the policy to serve with
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	TlsPolicy applyToChallenge(String host, List<HostKey> keys, TlsPolicy policy) {
		TlsPolicy applied = PolicyDefaults.applyTo(SecurityPolicy.INTERMEDIATE, policy, this.engine.groups());
		return this.settings.fips() ? FipsRequirement.applyTo(host, applied, keys, SecurityPolicy.INTERMEDIATE)
				: applied;
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

}
