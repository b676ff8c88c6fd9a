// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.ByteArrayInputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.ForwardedCertificateHeader;
import io.github.tomcatopenssl.internal.host.ClientVerification;
import io.github.tomcatopenssl.internal.host.ForwardedVerification;
import org.apache.coyote.Request;
import org.apache.tomcat.util.http.MimeHeaders;
import org.apache.tomcat.util.net.SSLSupport;
import org.jspecify.annotations.Nullable;

/**
 * The client certificates that proxies forward. They are verified like those of clients
 * that connect themselves, and kept for a short time, because a proxy sends them with
 * each request. Nobody but a proxy is believed: a client's own headers are removed.
 */
final class ForwardedCertificates {

	/**
	 * Why a certificate may be refused.
	 */
	static final Set<FailureReason> REASONS = Collections.unmodifiableSet(EnumSet.of(FailureReason.CERTIFICATE_MISSING,
			FailureReason.CERTIFICATE_ISSUER_UNKNOWN, FailureReason.CERTIFICATE_EXPIRED,
			FailureReason.CERTIFICATE_NOT_YET_VALID, FailureReason.CERTIFICATE_REVOKED,
			FailureReason.CERTIFICATE_REVOCATION_UNKNOWN, FailureReason.CERTIFICATE_WITHOUT_CLIENT_AUTH,
			FailureReason.CERTIFICATE_REJECTED, FailureReason.FORWARDED_CERTIFICATE_INVALID, FailureReason.TOO_LARGE));

	/**
	 * How long a certificate is accepted without another verification, unless it expires
	 * or its host is reloaded before.
	 */
	private static final Duration LONGEST_ACCEPTANCE = Duration.ofMinutes(1);

	private static final Duration LONGEST_REFUSAL = Duration.ofSeconds(10);

	/**
	 * Maximum number of verdicts that are kept of each kind.
	 */
	private static final int MOST_VERDICTS = 500;

	/**
	 * Names of all headers in which a certificate may be forwarded.
	 */
	private static final List<String> NAMES = List.of(ClientCertFields.CERTIFICATE, ClientCertFields.CHAIN,
			XForwardedClientCert.NAME);

	private static final Set<Integer> LENGTHS = NAMES.stream()
		.map(String::length)
		.collect(Collectors.toUnmodifiableSet());

	private final ForwardedCertificateHeader header;

	/**
	 * Names of the headers that count, in lower case.
	 */
	private final Set<String> configured;

	private final HandshakeCounters counters;

	private final FailureReport report;

	private final InstantSource clock;

	private final Map<Key, Verdict> accepted = new Verdicts();

	/**
	 * Apart from the others, because anybody can present certificates that are refused.
	 */
	private final Map<Key, Verdict> refused = new Verdicts();

	ForwardedCertificates(ForwardedCertificateHeader header, HandshakeCounters counters, FailureReport report,
			InstantSource clock) {
		this.header = header;
		this.configured = switch (header) {
			case CLIENT_CERT -> Set.of("client-cert", "client-cert-chain");
			case X_FORWARDED_CLIENT_CERT -> Set.of("x-forwarded-client-cert");
			case PROXY_PROTOCOL -> Set.of();
		};
		this.counters = counters;
		this.report = report;
		this.clock = clock;
	}

	/**
	 * Return whether somebody could take a field for one that forwards a certificate.
	 * CGI, WSGI and what follows them know a header by a name in which everything but
	 * letters and digits is an underscore.
	 * @param name the name of the field
	 * @return whether it could be, whichever header is configured
	 */
	static boolean isForwarding(String name) {
		return NAMES.stream().anyMatch((forwarding) -> isAlike(name.strip(), forwarding));
	}

	private static boolean isAlike(String name, String forwarding) {
		boolean alike = name.length() == forwarding.length();
		for (int i = 0; alike && i < name.length(); i++) {
			alike = (forwarding.charAt(i) == '-') ? !isLetterOrDigit(name.charAt(i))
					: name.regionMatches(true, i, forwarding, i, 1);
		}
		return alike;
	}

	private static boolean isLetterOrDigit(char character) {
		return character < 0x80 && Character.isLetterOrDigit(character);
	}

	/**
	 * Remove the headers that are not those of a proxy.
	 * @param headers the headers of a request
	 * @param proxied whether the request comes from a proxy
	 */
	void removeUnproven(MimeHeaders headers, boolean proxied) {
		for (int i = headers.size() - 1; i >= 0; i--) {
			if (LENGTHS.contains(headers.getName(i).getLength())) {
				String name = headers.getName(i).toString();
				if (isForwarding(name) && !(proxied && isConfigured(name))) {
					// Removes all fields of this name
					headers.removeHeader(name);
					i = Math.min(i, headers.size());
				}
			}
		}
	}

	private boolean isConfigured(String name) {
		return this.configured.contains(name.toLowerCase(Locale.ROOT));
	}

	/**
	 * Give a request of a proxy the certificate that it forwards.
	 * @param connection the connection of the proxy
	 * @param clients how the host of the request verifies its clients
	 * @param request the request
	 * @return whether the request may be served
	 */
	boolean apply(TlsConnection connection, ClientVerification clients, Request request) {
		try {
			X509Certificate[] chain = read(connection.proxyHeader(),
					connection.hasCertificate() && !connection.isProxy(), clients, request.getMimeHeaders());
			if (chain != null) {
				request.setAttribute(SSLSupport.CERTIFICATE_KEY, chain.clone());
				request.setAttribute(TlsHttp11NioProtocol.CLIENT_VERIFIED_ATTRIBUTE, true);
			}
			return true;
		}
		catch (RefusedForwardingException ex) {
			this.counters.refused(ex.reason());
			this.report.add(connection,
					new FailedHandshake(ex.reason(), ex.certificate(), null, -1, FailureReport.describe(ex)));
			return false;
		}
	}

	/**
	 * Read and verify the certificate that a proxy forwards with a request.
	 * @param proxyHeader the header of the connection, or {@code null}
	 * @param own whether the client of the connection is no proxy by its certificate
	 * @param clients how the host of the request verifies its clients
	 * @param headers the headers of the request
	 * @return the certificates, the client's own first, or {@code null} if none is
	 * forwarded
	 * @throws RefusedForwardingException if the request is refused
	 */
	X509Certificate @Nullable [] read(@Nullable ProxyHeader proxyHeader, boolean own, ClientVerification clients,
			MimeHeaders headers) throws RefusedForwardingException {
		ForwardedVerification verification = Objects.requireNonNull(clients.forwarded());
		Forwarded forwarded = new Forwarded(proxyHeader, values(headers, ClientCertFields.CERTIFICATE),
				values(headers, ClientCertFields.CHAIN), values(headers, XForwardedClientCert.NAME));
		byte[] bytes = forwarded.bytes(this.header);
		if (bytes.length > Handshake.MOST_BYTES) {
			throw refusal(FailureReason.TOO_LARGE, "The certificates have %d bytes".formatted(bytes.length));
		}
		X509Certificate[] chain = (bytes.length > 0) ? chain(verification, digest(bytes), forwarded) : null;
		if (chain != null && own) {
			throw invalid("The client of the connection has presented another certificate", null);
		}
		if (chain == null && clients.isRequired() && !own) {
			throw refusal(FailureReason.CERTIFICATE_MISSING, "The proxy forwards no certificate");
		}
		return chain;
	}

	private static RefusedForwardingException refusal(FailureReason reason, String message) {
		return new RefusedForwardingException(reason, null, message);
	}

	private static List<String> values(MimeHeaders headers, String name) {
		return (headers.getHeader(name) != null) ? Collections.list(headers.values(name)) : List.of();
	}

	private X509Certificate @Nullable [] chain(ForwardedVerification verification, byte[] digest, Forwarded forwarded)
			throws RefusedForwardingException {
		Key key = new Key(verification.trustManager(), ByteBuffer.wrap(digest));
		long now = this.clock.millis();
		Verdict verdict = known(this.accepted, key, now);
		if (verdict == null) {
			verdict = known(this.refused, key, now);
		}
		if (verdict == null) {
			verdict = verify(verification, forwarded, now);
			Map<Key, Verdict> verdicts = (verdict.refusal() != null) ? this.refused : this.accepted;
			synchronized (verdicts) {
				verdicts.put(key, verdict);
			}
		}
		Refusal refusal = verdict.refusal();
		if (refusal != null) {
			throw new RefusedForwardingException(refusal.reason(), refusal.certificate(), refusal.message());
		}
		return verdict.chain();
	}

	/**
	 * Drop the verdicts that are out of date.
	 */
	void dropOutdated() {
		long now = this.clock.millis();
		for (Map<Key, Verdict> verdicts : List.of(this.accepted, this.refused)) {
			synchronized (verdicts) {
				verdicts.values().removeIf((verdict) -> now >= verdict.end());
			}
		}
	}

	private static @Nullable Verdict known(Map<Key, Verdict> verdicts, Key key, long now) {
		synchronized (verdicts) {
			Verdict verdict = verdicts.get(key);
			return (verdict != null && now < verdict.end()) ? verdict : null;
		}
	}

	private Verdict verify(ForwardedVerification verification, Forwarded forwarded, long now) {
		try {
			List<byte[]> encoded = forwarded.read(this.header);
			if (encoded.isEmpty()) {
				return new Verdict(null, null, now + LONGEST_ACCEPTANCE.toMillis());
			}
			X509Certificate[] chain = chain(encoded);
			verify(verification, chain);
			long end = verification.trust().endOf(chain).toEpochMilli();
			return new Verdict(chain, null, Math.min(end, now + LONGEST_ACCEPTANCE.toMillis()));
		}
		catch (RefusedForwardingException ex) {
			return new Verdict(null, Refusal.of(ex), now + LONGEST_REFUSAL.toMillis());
		}
	}

	private static X509Certificate[] chain(List<byte[]> encoded) throws RefusedForwardingException {
		if (encoded.size() > ClientVerification.MOST_CERTIFICATES) {
			throw invalid("There are %d certificates".formatted(encoded.size()), null);
		}
		try {
			CertificateFactory factory = CertificateFactory.getInstance("X.509");
			X509Certificate[] chain = new X509Certificate[encoded.size()];
			for (int i = 0; i < chain.length; i++) {
				chain[i] = (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(encoded.get(i)));
				// The factory also reads PEM, and leaves what follows
				if (!Arrays.equals(chain[i].getEncoded(), encoded.get(i))) {
					throw invalid("A certificate is not in DER, or something follows it", null);
				}
			}
			return chain;
		}
		catch (CertificateException | RuntimeException ex) {
			throw invalid("A certificate cannot be read", ex);
		}
		catch (StackOverflowError ex) {
			throw invalid("A certificate is nested too deeply", null);
		}
	}

	private static void verify(ForwardedVerification verification, X509Certificate[] chain)
			throws RefusedForwardingException {
		try {
			verification.trustManager().checkClientTrusted(chain, chain[0].getPublicKey().getAlgorithm());
		}
		catch (CertificateException | RuntimeException ex) {
			RefusedCertificate refused = RefusedCertificate.of(chain, ex, true);
			throw new RefusedForwardingException(refused.reason(), refused.toString(),
					message("The certificate is not trusted", ex));
		}
	}

	private static RefusedForwardingException invalid(String message, @Nullable Exception cause) {
		return refusal(FailureReason.FORWARDED_CERTIFICATE_INVALID, message(message, cause));
	}

	private static String message(String message, @Nullable Exception cause) {
		String detail = (cause != null) ? FailureReport.describe(cause) : null;
		return (detail != null) ? message + ": " + detail : message;
	}

	private static byte[] digest(byte[] bytes) {
		try {
			return MessageDigest.getInstance("SHA-256").digest(bytes);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * What a proxy forwards with a request.
	 */
	private record Forwarded(@Nullable ProxyHeader proxyHeader, List<String> certificate, List<String> chain,
			List<String> xForwarded) {

		/**
		 * Return all that a verdict depends on.
		 * @param header the header that counts
		 * @return the bytes, none if there is no header
		 */
		byte[] bytes(ForwardedCertificateHeader header) {
			return switch (header) {
				case CLIENT_CERT -> (this.certificate.isEmpty() && this.chain.isEmpty()) ? new byte[0]
						: bytes(this.certificate, this.chain);
				case X_FORWARDED_CLIENT_CERT -> this.xForwarded.isEmpty() ? new byte[0] : bytes(this.xForwarded);
				case PROXY_PROTOCOL -> (this.proxyHeader != null) ? bytes(this.proxyHeader) : new byte[0];
			};
		}

		// No value contains a line break
		@SafeVarargs
		private static byte[] bytes(List<String>... fields) {
			StringBuilder text = new StringBuilder();
			for (List<String> values : fields) {
				values.forEach((value) -> text.append(value).append('\n'));
				text.append('\n');
			}
			return text.toString().getBytes(StandardCharsets.UTF_8);
		}

		private static byte[] bytes(ProxyHeader proxyHeader) {
			ByteBuffer bytes = ByteBuffer
				.allocate(proxyHeader.tls().stream().mapToInt((tls) -> Integer.BYTES + tls.remaining()).sum());
			proxyHeader.tls().forEach((tls) -> bytes.putInt(tls.remaining()).put(tls.duplicate()));
			return bytes.array();
		}

		List<byte[]> read(ForwardedCertificateHeader header) throws RefusedForwardingException {
			try {
				return switch (header) {
					case CLIENT_CERT -> ClientCertFields.read(this.certificate, this.chain);
					case X_FORWARDED_CLIENT_CERT -> XForwardedClientCert.read(this.xForwarded);
					case PROXY_PROTOCOL ->
						(this.proxyHeader != null) ? this.proxyHeader.clientCertificate() : List.of();
				};
			}
			catch (IllegalArgumentException | BufferUnderflowException | IndexOutOfBoundsException ex) {
				throw invalid(String.valueOf(ex.getMessage()), ex);
			}
		}

	}

	/**
	 * What a verdict is about. A host that was reloaded has another trust manager.
	 */
	private record Key(X509TrustManager verifier, ByteBuffer digest) {

	}

	/**
	 * The outcome of a verification.
	 *
	 * @param chain the certificates, the client's own first, or {@code null} if none was
	 * forwarded or they were refused
	 * @param refusal why they were refused, or {@code null}
	 * @param end until when it holds, in milliseconds since the epoch
	 */
	private record Verdict(X509Certificate @Nullable [] chain, @Nullable Refusal refusal, long end) {

	}

	/**
	 * What is kept of a refusal: no exception, which holds what it is about.
	 *
	 * @param reason the reason
	 * @param certificate the certificate, in a form that is safe to log, or {@code null}
	 * @param message what is wrong
	 */
	private record Refusal(FailureReason reason, @Nullable String certificate, String message) {

		static Refusal of(RefusedForwardingException refusal) {
			return new Refusal(refusal.reason(), refusal.certificate(), String.valueOf(refusal.getMessage()));
		}

	}

	/**
	 * The latest verdicts.
	 */
	private static final class Verdicts extends LinkedHashMap<Key, Verdict> {

		private static final long serialVersionUID = 1L;

		Verdicts() {
			super(16, 0.75f, true);
		}

		@Override
		protected boolean removeEldestEntry(Map.Entry<Key, Verdict> eldest) {
			return size() > MOST_VERDICTS;
		}

	}

}
