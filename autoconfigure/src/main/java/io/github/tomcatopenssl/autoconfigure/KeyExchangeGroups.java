// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.internal.engine.TlsEngine;
import io.github.tomcatopenssl.internal.host.EngineCapabilities;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The groups in {@code server.ssl.groups}. A group that the engine does not support is
 * left out.
 */
class KeyExchangeGroups {

	private static final Log logger = LogFactory.getLog(KeyExchangeGroups.class);

	private final Set<KeyExchangeGroup> required;

	private final AtomicBoolean reported = new AtomicBoolean();

	/**
	 * Create a new instance.
	 * @param required the groups, the preferred one first; empty for the default
	 */
	KeyExchangeGroups(List<KeyExchangeGroup> required) {
		this.required = new LinkedHashSet<>(required);
	}

	/**
	 * Return the groups for the virtual hosts of an engine.
	 * @param engine what the engine can do
	 * @return the groups; empty for the default
	 * @throws InvalidConfigurationPropertyValueException if the engine supports none of
	 * the groups, or does not let its groups be configured
	 */
	List<KeyExchangeGroup> of(EngineCapabilities engine) {
		if (this.required.isEmpty()) {
			return List.of();
		}
		Set<KeyExchangeGroup> available = engine.groups();
		if (available.isEmpty()) {
			throw failure("JSSE serves TLS, and the groups of JSSE in Java %d cannot be set. "
				.formatted(Runtime.version().feature())
					+ "Use Java 20 or later, serve TLS with OpenSSL, or remove the property");
		}
		List<KeyExchangeGroup> groups = this.required.stream().filter(available::contains).toList();
		if (groups.isEmpty()) {
			throw failure("%s, which serves TLS, supports none of these groups. It supports: %s"
				.formatted(engine.name(), names(available)));
		}
		if (groups.size() < this.required.size() && this.reported.compareAndSet(false, true)) {
			logger.warn(
					"'%s': %s, which serves TLS, does not support %s and uses only %s. %s, or remove the unsupported groups from the property"
						.formatted(ServerSslProperty.GROUPS, engine.name(),
								names(this.required.stream().filter((group) -> !available.contains(group)).toList()),
								names(groups), engine.name().equals(TlsEngine.OPENSSL)
										? "Use a library with a later OpenSSL" : "Serve TLS with OpenSSL"));
		}
		return groups;
	}

	private InvalidConfigurationPropertyValueException failure(String reason) {
		return new InvalidConfigurationPropertyValueException(ServerSslProperty.GROUPS.toString(), names(this.required),
				reason + ".");
	}

	static String names(Collection<KeyExchangeGroup> groups) {
		return groups.stream().map(KeyExchangeGroup::toString).collect(Collectors.joining(", "));
	}

}
