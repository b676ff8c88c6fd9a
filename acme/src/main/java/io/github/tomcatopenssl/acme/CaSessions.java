// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.net.URI;
import java.net.http.HttpClient;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.tomcatopenssl.internal.host.ForeignText;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.connector.Connection;
import org.shredzone.acme4j.connector.NetworkSettings;
import org.shredzone.acme4j.connector.Resource;
import org.shredzone.acme4j.exception.AcmeException;
import org.shredzone.acme4j.provider.GenericAcmeProvider;
import org.shredzone.acme4j.toolbox.JSON;
import org.shredzone.acme4j.toolbox.JSON.Value;

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
		return new Session(this.directoryUrl, new Provider(this.directoryUrl, this.trust.get(), this.clock));
	}

	private static final class Provider extends GenericAcmeProvider {

		private final URI directoryUrl;

		private final @Nullable SslBundle trust;

		private final CaClock clock;

		private volatile JSON directory = JSON.empty();

		private Provider(URI directoryUrl, @Nullable SslBundle trust, CaClock clock) {
			this.directoryUrl = directoryUrl;
			this.trust = trust;
			this.clock = clock;
		}

		@Override
		public HttpClient createHttpClient(NetworkSettings settings) {
			HttpClient.Builder client = HttpClient.newBuilder()
				.followRedirects(HttpClient.Redirect.NEVER)
				.connectTimeout(settings.getTimeout());
			return ((this.trust != null) ? client.sslContext(this.trust.createSslContext()) : client).build();
		}

		@Override
		public @Nullable JSON directory(Session session, URI server) throws AcmeException {
			JSON directory = super.directory(session, server);
			if (directory != null) {
				this.directory = directory;
			}
			return directory;
		}

		@Override
		public Connection connect(URI server, NetworkSettings settings, HttpClient client) {
			return new CaConnection(createHttpConnector(settings, client), this.clock, this::name);
		}

		private String name(String url) {
			String server = "ACME server '%s' of '%s'".formatted(this.directoryUrl, AcmeProperties.DIRECTORY_URL);
			if (url.equals(this.directoryUrl.toString())) {
				return "The " + server;
			}
			return "'%s', which the %s %s,".formatted(ForeignText.of(url), server,
					Stream.of(Resource.values())
						.map(Resource::path)
						.filter((name) -> this.directory.get(name).map(Value::asString).filter(url::equals).isPresent())
						.findFirst()
						.map("lists as '%s'"::formatted)
						.orElse("has named"));
		}

	}

}
