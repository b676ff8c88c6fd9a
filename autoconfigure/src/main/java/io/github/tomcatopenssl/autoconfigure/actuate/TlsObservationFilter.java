// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import java.util.function.BiConsumer;

import io.github.tomcatopenssl.endpoint.KeyExchange;
import io.github.tomcatopenssl.endpoint.RequestTls;
import io.github.tomcatopenssl.internal.host.ForeignText;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation.Context;
import io.micrometer.observation.ObservationFilter;
import jakarta.servlet.ServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.observation.ServerRequestObservationContext;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;

/**
 * Adds the TLS connection of a request to its observation, by the names of
 * OpenTelemetry's semantic conventions. It leaves the name of the observation and its
 * convention alone: a value that the convention has set stays.
 */
final class TlsObservationFilter implements ObservationFilter {

	private static final KeyValues NONE = negotiated(new KeyExchange(KeyValue.NONE_VALUE, KeyExchange.NONE, false),
			KeyValue.NONE_VALUE)
		.and("tls.resumed", KeyValue.NONE_VALUE);

	private final BiConsumer<Context, @Nullable RequestTls> values;

	private TlsObservationFilter(BiConsumer<Context, @Nullable RequestTls> values) {
		this.values = values;
	}

	/**
	 * Return a filter that adds what was negotiated. All values are of the server's
	 * choice, so there are few of them, and every request has the same keys.
	 * @return the filter
	 */
	static ObservationFilter ofConnections() {
		return new TlsObservationFilter(TlsObservationFilter::addConnection);
	}

	/**
	 * Return a filter that adds who the client is, for spans: it may be anybody.
	 * @return the filter
	 */
	static ObservationFilter ofClients() {
		return new TlsObservationFilter(TlsObservationFilter::addClient);
	}

	@Override
	public Context map(Context context) {
		if (context instanceof ServerRequestObservationContext servlet) {
			add(context, servlet.getCarrier());
		}
		else if (context instanceof org.springframework.http.server.reactive.observation.ServerRequestObservationContext reactive) {
			add(context, reactive.getCarrier());
		}
		return context;
	}

	private void add(Context context, @Nullable Object request) {
		try {
			Object known = (request instanceof ServerHttpRequest reactive)
					? ServerHttpRequestDecorator.getNativeRequest(reactive) : request;
			this.values.accept(context,
					(known instanceof ServletRequest servletRequest) ? RequestTls.of(servletRequest) : null);
		}
		catch (IllegalStateException | IllegalArgumentException | UnsupportedOperationException ex) {
			// Tomcat has taken the request back, or it is one of a test
			this.values.accept(context, null);
		}
	}

	private static void addConnection(Context context, @Nullable RequestTls tls) {
		KeyValues negotiated = (tls != null) ? negotiated(tls.keyExchange(), tls.cipherSuite()) : NONE;
		context.addLowCardinalityKeyValues(negotiated.and(context.getLowCardinalityKeyValues()));
	}

	private static KeyValues negotiated(KeyExchange exchange, String cipherSuite) {
		return KeyValues.of("tls.protocol.version", exchange.protocol().replace("TLSv", ""), "tls.cipher", cipherSuite,
				"tls.curve", exchange.group(), "tls.resumed", String.valueOf(exchange.resumed()));
	}

	private static void addClient(Context context, @Nullable RequestTls tls) {
		if (tls != null) {
			addIfKnown(context, "tls.client.server_name", tls.serverName());
			addIfKnown(context, "tls.client.subject", tls.clientSubject());
			addIfKnown(context, "tls.client.ja4", tls.clientFingerprint());
		}
	}

	private static void addIfKnown(Context context, String key, @Nullable String value) {
		if (value != null && context.getHighCardinalityKeyValue(key) == null) {
			context.addHighCardinalityKeyValue(KeyValue.of(key, ForeignText.of(value)));
		}
	}

}
