// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.check;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.github.tomcatopenssl.autoconfigure.TlsFailureAnalysis;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.CertificateDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.CertificateHostsDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.ClientAuthenticationDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.ConnectorDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.HostDescriptor;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.json.JsonWriter;

/**
 * The result of a {@link TlsCheck}.
 *
 * @param outcome the outcome
 * @param connectors the connectors that would serve TLS
 * @param library the library that would serve TLS, or {@code null} if none would
 * @param due the names of the certificates that would be ordered at once
 * @param failure why the application would not start, or {@code null} if it would
 * @param warnings what an operator has to know
 */
record TlsCheckReport(Outcome outcome, List<ConnectorDescriptor> connectors, @Nullable String library, List<String> due,
		@Nullable FailureAnalysis failure, List<String> warnings) {

	private static final String NOT_SEEN = "Not checked: the port, and what beans of the application change or add, such as customizers and certificates.";

	static TlsCheckReport of(List<ConnectorDescriptor> connectors, @Nullable String library, List<String> due,
			List<String> warnings) {
		return new TlsCheckReport(connectors.isEmpty() ? Outcome.NO_TLS : Outcome.SERVED, connectors, library, due,
				null, warnings);
	}

	static TlsCheckReport unknown(String reason) {
		return new TlsCheckReport(Outcome.UNKNOWN, List.of(), null, List.of(), null, List.of(reason));
	}

	static TlsCheckReport nothing(String reason) {
		return new TlsCheckReport(Outcome.NOTHING, List.of(), null, List.of(), null, List.of(reason));
	}

	static TlsCheckReport refused(FailureAnalysis failure, List<String> warnings) {
		return new TlsCheckReport(Outcome.REFUSED, List.of(), null, List.of(), failure, warnings);
	}

	/**
	 * Return the exit status of the process.
	 * @return 1 if the application would not start, 2 if nothing was checked, otherwise 0
	 */
	int status() {
		return (this.outcome == Outcome.NOTHING) ? 2 : (this.failure != null) ? 1 : 0;
	}

	/**
	 * Return the result in words.
	 * @return several lines
	 */
	String text() {
		StringBuilder text = new StringBuilder(this.outcome.sentence).append("%n".formatted());
		if (this.failure != null) {
			text.append("%n%s%n".formatted(this.failure.getDescription().strip()));
			if (this.failure.getAction() != null) {
				text.append("%n%s%n".formatted(this.failure.getAction().strip()));
			}
		}
		this.connectors.forEach((connector) -> append(connector, text));
		this.due.forEach((names) -> text.append("%nA certificate for %s would be ordered.%n".formatted(names)));
		this.warnings.forEach((warning) -> text.append("%nWarning: %s.%n".formatted(warning)));
		return text.append("%n%s".formatted(NOT_SEEN)).toString();
	}

	private void append(ConnectorDescriptor connector, StringBuilder text) {
		text.append("%nPort %d (%s): %s%s".formatted(connector.port(), connector.scheme(),
				(connector.tomcatNative() == null) ? connector.engine() + " " : "", connector.version()));
		if (connector.tomcatNative() != null) {
			text.append(", Tomcat Native %s, library %s".formatted(connector.tomcatNative(), this.library));
		}
		text.append(Boolean.TRUE.equals(connector.fips()) ? ", FIPS" : "");
		text.append((connector.policy() != null) ? "; policy " + connector.policy() : "").append("%n".formatted());
		connector.hosts().forEach((host) -> append(host, text));
		CertificateHostsDescriptor others = connector.certificateHosts();
		if (others != null && others.certificates() > 0) {
			text.append("  %d more certificates for %d names, the first of which expires at %s%n"
				.formatted(others.certificates(), others.names(), others.firstExpiry()));
		}
	}

	private static void append(HostDescriptor host, StringBuilder text) {
		text.append("  Host %s: %s; client-auth %s%n".formatted(host.name(), String.join(", ", host.protocols()),
				host.clientAuthentication().mode()));
		for (CertificateDescriptor certificate : host.certificates()) {
			text.append("    Certificate %s (%s%s) for %s, valid until %s%n".formatted(certificate.subject(),
					certificate.keyAlgorithm(), (certificate.keySize() != null) ? " " + certificate.keySize() : "",
					certificate.names().isEmpty() ? "no name" : String.join(", ", certificate.names()),
					certificate.notAfter()));
		}
	}

	/**
	 * Return the result as JSON.
	 * @return a line
	 */
	String json() {
		Map<String, Object> json = new LinkedHashMap<>();
		json.put("result", this.outcome.name().toLowerCase(Locale.ROOT));
		if (this.failure != null) {
			put(json, "problems", (this.failure instanceof TlsFailureAnalysis tls)
					? tls.problems().stream().map(TlsCheckReport::json).toList() : null);
			put(json, "description", this.failure.getDescription());
			put(json, "action", this.failure.getAction());
		}
		else {
			json.put("connectors", this.connectors.stream().map(TlsCheckReport::json).toList());
			put(json, "library", this.library);
			json.put("due", this.due);
		}
		json.put("warnings", this.warnings);
		return JsonWriter.standard().writeToString(json);
	}

	private static Map<String, Object> json(TlsFailureAnalysis.Problem problem) {
		Map<String, Object> json = new LinkedHashMap<>();
		json.put("property", problem.property());
		put(json, "value", problem.value());
		put(json, "file", problem.file());
		json.put("reason", problem.reason());
		return json;
	}

	// As the endpoint 'tls' shows it
	private static Map<String, Object> json(ConnectorDescriptor connector) {
		Map<String, Object> json = new LinkedHashMap<>();
		json.put("port", connector.port());
		json.put("scheme", connector.scheme());
		put(json, "policy", connector.policy());
		put(json, "policyPreview", connector.policyPreview());
		json.put("engine", connector.engine());
		put(json, "version", connector.version());
		put(json, "tomcatNative", connector.tomcatNative());
		put(json, "fips", connector.fips());
		json.put("hosts", connector.hosts().stream().map(TlsCheckReport::json).toList());
		CertificateHostsDescriptor others = connector.certificateHosts();
		if (others != null) {
			Map<String, Object> summary = new LinkedHashMap<>();
			summary.put("certificates", others.certificates());
			summary.put("names", others.names());
			put(summary, "firstExpiry", others.firstExpiry());
			json.put("certificateHosts", summary);
		}
		return json;
	}

	private static Map<String, Object> json(HostDescriptor host) {
		Map<String, Object> json = new LinkedHashMap<>();
		json.put("name", host.name());
		json.put("protocols", host.protocols());
		json.put("cipherSuites", host.cipherSuites());
		put(json, "groups", host.groups());
		json.put("certificates", host.certificates().stream().map(TlsCheckReport::json).toList());
		json.put("clientAuthentication", json(host.clientAuthentication()));
		return json;
	}

	private static Map<String, Object> json(CertificateDescriptor certificate) {
		Map<String, Object> json = new LinkedHashMap<>();
		json.put("subject", certificate.subject());
		json.put("names", certificate.names());
		json.put("issuer", certificate.issuer());
		json.put("serialNumber", certificate.serialNumber());
		json.put("keyAlgorithm", certificate.keyAlgorithm());
		put(json, "keySize", certificate.keySize());
		json.put("signatureAlgorithm", certificate.signatureAlgorithm());
		json.put("notBefore", certificate.notBefore());
		json.put("notAfter", certificate.notAfter());
		put(json, "bundle", certificate.bundle());
		return json;
	}

	private static Map<String, Object> json(ClientAuthenticationDescriptor clients) {
		Map<String, Object> json = new LinkedHashMap<>();
		json.put("mode", clients.mode());
		put(json, "revocationLists", clients.revocationLists());
		put(json, "ocsp", clients.ocsp());
		put(json, "ocspSoftFail", clients.ocspSoftFail());
		return json;
	}

	private static void put(Map<String, Object> json, String name, @Nullable Object value) {
		if (value != null) {
			json.put(name, value);
		}
	}

	/**
	 * The outcome of a check.
	 */
	enum Outcome {

		/**
		 * Handshakes have succeeded.
		 */
		SERVED("TLS would be served."),

		/**
		 * No connector serves TLS.
		 */
		NO_TLS("TLS would not be served."),

		/**
		 * The web server is not Tomcat, and no handshake was tried.
		 */
		UNKNOWN("The application would start, but no handshake was tried."),

		/**
		 * There is no web server.
		 */
		NOTHING("Nothing was checked."),

		/**
		 * The application would not start.
		 */
		REFUSED("The application would not start.");

		private final String sentence;

		Outcome(String sentence) {
			this.sentence = sentence;
		}

	}

}
