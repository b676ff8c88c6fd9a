// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.List;

import io.github.tomcatopenssl.KeyExchangeGroup;

import org.springframework.boot.context.properties.ConfigurationPropertiesBinding;
import org.springframework.core.convert.converter.Converter;

/**
 * Converts the name of a group, which can also be a name that OpenSSL and NGINX use.
 */
@ConfigurationPropertiesBinding
class KeyExchangeGroupConverter implements Converter<String, KeyExchangeGroup> {

	@Override
	public KeyExchangeGroup convert(String name) {
		KeyExchangeGroup group = KeyExchangeGroup.of(name);
		if (group == null) {
			throw ServerSslProperty.GROUPS.failure("'%s' is not the name of a group".formatted(name),
					"Use names from the TLS registry: " + KeyExchangeGroups.names(List.of(KeyExchangeGroup.values())));
		}
		return group;
	}

}
