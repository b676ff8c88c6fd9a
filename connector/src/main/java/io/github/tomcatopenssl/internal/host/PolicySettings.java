// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.util.Collection;
import java.util.List;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SignatureScheme;
import org.jspecify.annotations.Nullable;

/**
 * The policy of a connector, as the user has set it.
 *
 * @param policy the policy that must hold, or {@code null} if other settings may go
 * beyond the default
 * @param signatures the only signature algorithms of handshakes; empty for those of the
 * policy
 * @param preview the policy whose refusals are counted, or {@code null}
 */
public record PolicySettings(@Nullable SecurityPolicy policy, List<SignatureScheme> signatures,
		@Nullable SecurityPolicy preview) {

	/**
	 * Nothing is set.
	 */
	public static final PolicySettings NONE = new PolicySettings(null, List.of(), null);

	/**
	 * Create the settings with an unmodifiable copy of the signature algorithms.
	 */
	public PolicySettings {
		signatures = List.copyOf(signatures);
	}

	/**
	 * Require that groups are within the policy.
	 * @param groups the groups
	 * @throws io.github.tomcatopenssl.TlsSettingException if one of them is not
	 */
	public void requireGroups(Collection<KeyExchangeGroup> groups) {
		NamedPolicy named = named();
		if (named != null) {
			named.requireGroups(groups);
		}
	}

	@Nullable NamedPolicy named() {
		return (this.policy != null) ? new NamedPolicy(this.policy) : null;
	}

}
