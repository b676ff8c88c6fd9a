// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.security.KeyPair;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.connector.DefaultConnection;
import org.shredzone.acme4j.connector.HttpConnector;
import org.shredzone.acme4j.exception.AcmeException;
import org.shredzone.acme4j.exception.AcmeNetworkException;
import org.shredzone.acme4j.exception.AcmeProtocolException;
import org.shredzone.acme4j.exception.AcmeRateLimitedException;
import org.shredzone.acme4j.exception.AcmeServerException;
import org.shredzone.acme4j.toolbox.JSON;
import org.shredzone.acme4j.toolbox.JSONBuilder;

/**
 * A connection to the CA that keeps what acme4j leaves out of its exceptions: which
 * address failed, and when to ask again. It uses only HTTPS addresses (RFC 8555, 6.1).
 */
final class CaConnection extends DefaultConnection {

	private static final Set<Integer> REDIRECTIONS = Set.of(301, 302, 303, 307, 308);

	private static final int MOST_REDIRECTIONS = 5;

	private final CaClock clock;

	private final UnaryOperator<String> names;

	/**
	 * Create a new connection.
	 * @param connector sends requests, and does not follow redirections
	 * @param clock the clock of the CA, which each answer sets
	 * @param names says in a message which address of the CA one is
	 */
	CaConnection(HttpConnector connector, CaClock clock, UnaryOperator<String> names) {
		super(connector);
		this.clock = clock;
		this.names = names;
	}

	@Override
	protected void sendRequest(Session session, URL url, Consumer<HttpRequest.Builder> request) throws IOException {
		HttpResponse<InputStream> answer = send(session, url, request);
		for (int i = 0; i < MOST_REDIRECTIONS && redirection(answer).isPresent(); i++) {
			answer.body().close();
			answer = send(session, redirection(answer).get().toURL(), request);
		}
		int status = answer.statusCode();
		if (status < HttpURLConnection.HTTP_MULT_CHOICE || status == HttpURLConnection.HTTP_NOT_MODIFIED
				|| isProblem(answer)) {
			return;
		}
		answer.body().close();
		Instant askAgain = getRetryAfter().orElse(null);
		String what = (status == CaException.TOO_MANY_REQUESTS) ? "limits requests"
				: (askAgain != null) ? "is not available for now" : "does not answer as it should";
		throw new CaException("%s %s: HTTP %d".formatted(name(answer.uri().toString()), what, status), status,
				askAgain);
	}

	private HttpResponse<InputStream> send(Session session, URL url, Consumer<HttpRequest.Builder> request) {
		if (!isHttps(url)) {
			throw new CaException(
					"%s is not an HTTPS address, which ACME requires (RFC 8555, 6.1). Correct it in the configuration of the CA, or of the proxy in front of the CA"
						.formatted(name(url.toString())),
					null);
		}
		try {
			super.sendRequest(session, url, request);
		}
		catch (IOException ex) {
			throw unreachable(url.toString(), ex);
		}
		HttpResponse<InputStream> answer = Objects.requireNonNull(this.lastResponse);
		answer.headers().firstValue("Date").ifPresent(this.clock::answered);
		// The JDK's HTTP client waits without limit for the rest of an answer
		CompletableFuture.delayedExecutor(session.networkSettings().getTimeout().toMillis(), TimeUnit.MILLISECONDS)
			.execute(() -> close(answer.body()));
		return answer;
	}

	private static void close(InputStream body) {
		try {
			body.close();
		}
		catch (IOException ex) {
			// It is of no use any more
		}
	}

	private static boolean isHttps(URL url) {
		try {
			URI uri = url.toURI();
			return "https".equalsIgnoreCase(uri.getScheme()) && uri.getHost() != null;
		}
		catch (URISyntaxException ex) {
			return false;
		}
	}

	private static Optional<URI> redirection(HttpResponse<?> answer) {
		try {
			return answer.headers()
				.firstValue("Location")
				.filter((location) -> REDIRECTIONS.contains(answer.statusCode()))
				.map((location) -> answer.uri().resolve(location))
				.filter((location) -> location.getScheme().matches("(?i)https?"));
		}
		catch (IllegalArgumentException ex) {
			return Optional.empty();
		}
	}

	// An answer to HEAD has no content
	private static boolean isProblem(HttpResponse<?> answer) {
		return !answer.request().method().equals("HEAD") && answer.headers()
			.firstValue("Content-Type")
			.filter((type) -> type.toLowerCase(Locale.ROOT).startsWith("application/problem+json"))
			.isPresent();
	}

	@Override
	public int sendRequest(URL url, Session session, @Nullable ZonedDateTime ifModifiedSince) throws AcmeException {
		try {
			return super.sendRequest(url, session, ifModifiedSince);
		}
		catch (AcmeServerException ex) {
			throw limited(ex);
		}
	}

	@Override
	protected int sendSignedRequest(URL url, @Nullable JSONBuilder claims, Session session, KeyPair key,
			@Nullable URL account, String accept) throws AcmeException {
		try {
			return super.sendSignedRequest(url, claims, session, key, account, accept);
		}
		catch (AcmeServerException ex) {
			throw limited(ex);
		}
	}

	// A CA that has a problem of its own may also say how long it will take
	private AcmeServerException limited(AcmeServerException ex) {
		int status = (this.lastResponse != null) ? this.lastResponse.statusCode() : 0;
		boolean isBusy = status == CaException.TOO_MANY_REQUESTS || status >= HttpURLConnection.HTTP_INTERNAL_ERROR;
		return (!isBusy || ex instanceof AcmeRateLimitedException) ? ex
				: getRetryAfter()
					.<AcmeServerException>map((time) -> new AcmeRateLimitedException(ex.getProblem(), time, List.of()))
					.orElse(ex);
	}

	@Override
	public Optional<Instant> getRetryAfter() {
		return Optional.ofNullable(this.lastResponse)
			.flatMap((answer) -> answer.headers().firstValue("Retry-After"))
			.flatMap((value) -> RetryAfter.parse(value, this.clock.instant()));
	}

	@Override
	public JSON readJsonResponse() throws AcmeException {
		return read(super::readJsonResponse);
	}

	@Override
	public List<X509Certificate> readCertificates() throws AcmeException {
		return read(super::readCertificates);
	}

	private <T> T read(Reading<T> reading) throws AcmeException {
		String url = Objects.requireNonNull(this.lastResponse).uri().toString();
		try {
			return reading.read();
		}
		catch (AcmeNetworkException ex) {
			throw unreachable(url, Objects.requireNonNullElse(ex.getCause(), ex));
		}
		catch (AcmeProtocolException ex) {
			throw new CaException("%s does not answer as it should: %s".formatted(name(url), ex.getMessage()), ex);
		}
	}

	private CaException unreachable(String url, Throwable cause) {
		Throwable root = cause;
		while (root.getCause() != null) {
			root = root.getCause();
		}
		if (root instanceof CertificateExpiredException || root instanceof CertificateNotYetValidException) {
			return new CaException(
					"%s cannot be reached: one of its certificates %s by the clock of this machine, which shows %s. Correct this clock, or the certificate of the ACME server"
						.formatted(name(url),
								(root instanceof CertificateExpiredException) ? "has expired" : "is not valid yet",
								this.clock.machine().instant()),
					cause);
		}
		String reason = (root instanceof UnresolvedAddressException) ? "its host name cannot be resolved"
				: cause.toString();
		return new CaException(
				"%s cannot be reached: %s. Check the network, the proxy ('https.proxyHost'), and, for a private CA, '%s'"
					.formatted(name(url), reason, AcmeProperties.SSL_BUNDLE),
				cause);
	}

	private String name(String url) {
		return this.names.apply(url);
	}

	private interface Reading<T> {

		T read() throws AcmeException;

	}

}
