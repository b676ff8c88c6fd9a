// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.connector.Connection;
import org.shredzone.acme4j.connector.DefaultConnection;
import org.shredzone.acme4j.connector.NetworkSettings;
import org.shredzone.acme4j.provider.GenericAcmeProvider;

import org.springframework.boot.ssl.SslBundle;

/**
 * Opens sessions with the CA, whose answers set the clock.
 *
 * @param directoryUrl the ACME directory of the CA
 * @param trust verifies the ACME server, unless it returns {@code null}; Java's CAs do
 * then
 * @param clock the clock of the CA
 */
record CaSessions(URI directoryUrl, Supplier<@Nullable SslBundle> trust, CaClock clock) implements Supplier<Session> {

	@Override
	public Session get() {
		return new Session(this.directoryUrl, new Provider(this.trust.get(), this.clock));
	}

	private static final class Provider extends GenericAcmeProvider {

		private final @Nullable SslBundle trust;

		private final CaClock clock;

		private Provider(@Nullable SslBundle trust, CaClock clock) {
			this.trust = trust;
			this.clock = clock;
		}

		@Override
		public HttpClient createHttpClient(NetworkSettings settings) {
			HttpClient.Builder client = HttpClient.newBuilder()
				.followRedirects(HttpClient.Redirect.NORMAL)
				.connectTimeout(settings.getTimeout());
			return ((this.trust != null) ? client.sslContext(this.trust.createSslContext()) : client).build();
		}

		@Override
		public Connection connect(URI server, NetworkSettings settings, HttpClient client) {
			return new DefaultConnection(createHttpConnector(settings, client)) {

				@Override
				protected void sendRequest(Session session, URL url, Consumer<HttpRequest.Builder> body)
						throws IOException {
					super.sendRequest(session, url, body);
					if (this.lastResponse != null) {
						this.lastResponse.headers().firstValue("Date").ifPresent(Provider.this.clock::answered);
					}
				}

			};
		}

	}

}
