// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.SignatureScheme;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;

/**
 * A named policy, which other settings of a virtual host may narrow but not widen.
 *
 * @param policy the policy
 */
record NamedPolicy(SecurityPolicy policy) {

	void requireGroups(Collection<KeyExchangeGroup> groups) {
		requireWithin(SettingName.GROUPS, groups, this.policy.groups());
	}

	void requireSignatures(Collection<SignatureScheme> signatures) {
		requireWithin(SettingName.SIGNATURE_ALGORITHMS, signatures, this.policy.signatures());
	}

	/**
	 * Require that the policy of a virtual host is within this one.
	 * @param host the name of the virtual host
	 * @param policy the policy, with the defaults
	 * @return the policy, in which an expression of suites is replaced by them
	 * @throws TlsSettingException if it is not
	 */
	TlsPolicy requireWithin(String host, TlsPolicy policy) {
		requireNoBypass(host, policy);
		requireWithin(SettingName.ENABLED_PROTOCOLS, policy.versions(), this.policy.versions());
		requireWithin(SettingName.CIPHERS, policy.cipherSuites(), this.policy.cipherSuites());
		if (policy.groups() != null) {
			requireGroups(policy.groups());
		}
		return policy.versions().equals(List.of(ProtocolVersion.TLS_1_3)) ? policy : requireCiphers(policy);
	}

	// OpenSSL would understand an expression in its own way
	private TlsPolicy requireCiphers(TlsPolicy policy) {
		if (policy.expression() != null) {
			requireWithin(SettingName.CIPHERS,
					Arrays.stream(policy.expression().split(PolicyReader.SEPARATORS))
						.filter((word) -> word.startsWith("@"))
						.toList(),
					List.of());
		}
		requireWithin(SettingName.CIPHERS, names(policy.ciphers()), names(this.policy.ciphers()));
		return policy.withCiphers(policy.ciphers(), null);
	}

	private static List<String> names(List<Cipher> ciphers) {
		return ciphers.stream().map(Cipher::getOpenSSLAlias).toList();
	}

	private void requireNoBypass(String host, TlsPolicy policy) {
		String bypass = policy.insecureRenegotiation() ? "'insecureRenegotiation'"
				: policy.compression() ? "'disableCompression' with the value 'false'"
						: !policy.commands().isEmpty() ? "the command '%s' of the OpenSSL configuration ('OpenSSLConf')"
							.formatted(policy.commands().get(0).getName()) : null;
		if (bypass != null) {
			throw refusal(new SettingText("the virtual host '%s' has %s, which could bypass it", host, bypass),
					new SettingText("Remove whatever sets it, or remove %s", SettingName.POLICY));
		}
	}

	/**
	 * Create an exception for something that the policy cannot be kept with.
	 * @param reason what is wrong, as a clause of a sentence
	 * @param action what to do about it, as a sentence without its full stop
	 * @return the exception
	 */
	TlsSettingException refusal(SettingText reason, SettingText action) {
		return new TlsSettingException(SettingName.POLICY,
				new SettingText("it is '%s' (%s), but %s", this.policy, this.policy.source(), reason), action, null);
	}

	private void requireWithin(SettingName setting, Collection<?> values, Collection<?> allowed) {
		Set<Object> others = new LinkedHashSet<>(values);
		others.removeAll(allowed);
		if (!others.isEmpty()) {
			throw new TlsSettingException(setting,
					new SettingText("%s is '%s' (%s), which does not allow %s", SettingName.POLICY, this.policy,
							this.policy.source(), quoted(others)),
					allowed.isEmpty() ? new SettingText("Remove it, or use another policy") : new SettingText(
							"Use only %s, remove the property, or use another policy", quoted(allowed)),
					null);
		}
	}

	private static String quoted(Collection<?> values) {
		return values.stream().map((value) -> "'" + value + "'").collect(Collectors.joining(", "));
	}

}
