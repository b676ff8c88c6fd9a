// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.TlsSetting;
import io.github.tomcatopenssl.TlsSettingException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Analyzes a {@link TlsSettingException} by the properties that its settings come from.
 */
class TlsSettingFailureAnalyzer extends AbstractFailureAnalyzer<TlsSettingException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, TlsSettingException cause) {
		return new FailureAnalysis(
				"A TLS setting of the web server cannot be enforced:%n%n    Property: %s%n    Reason: %s%n"
					.formatted(property(cause.getSetting()), cause.getReason(TlsSettingFailureAnalyzer::property)),
				cause.getAction(TlsSettingFailureAnalyzer::property) + ".", cause);
	}

	static String property(TlsSetting setting) {
		return "server.ssl" + switch (setting) {
			case CERTIFICATE -> "";
			case CERTIFICATES -> ".certificates";
			case CIPHERS -> ".ciphers";
			case CLIENT_AUTH -> ".client-auth";
			case CA_CERTIFICATES -> ".ca-certificate-file";
			case ENABLED_PROTOCOLS -> ".enabled-protocols";
			case FIPS_MODE -> ".openssl.fips-mode";
			case GROUPS -> ".groups";
			case HANDSHAKE_TIMEOUT -> ".handshake-timeout";
			case MODE -> ".openssl.mode";
			case OCSP -> ".ocsp-enabled";
			case REVOCATION_LISTS -> ".certificate-revocation-list-file";
			case SESSION_TICKET_KEYS -> ".session-ticket-key-files";
			case UNKNOWN_SERVER_NAME -> ".unknown-server-name";
		};
	}

}
