// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HexFormat;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.tomcatopenssl.test.TestCertificates;
import org.jspecify.annotations.Nullable;

/**
 * An OCSP responder (RFC 6960) that answers as the path says that it is asked at.
 */
final class OcspResponder implements AutoCloseable {

	private static final byte[] ECDSA_WITH_SHA256 = HexFormat.of().parseHex("300a06082a8648ce3d040302");

	private static final byte[] BASIC_RESPONSE = HexFormat.of().parseHex("06092b0601050507300101");

	private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'")
		.withZone(ZoneOffset.UTC);

	private static final int SEQUENCE = 0x30;

	private final TestCertificates certificates;

	private final ExecutorService executor = Executors.newCachedThreadPool();

	private final HttpServer server;

	OcspResponder(TestCertificates certificates) throws IOException {
		this.certificates = certificates;
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.setExecutor(this.executor);
		for (Answer answer : Answer.values()) {
			this.server.createContext("/" + answer, (exchange) -> answer(exchange, answer));
		}
		this.server.start();
	}

	/**
	 * Return what a certificate names, so that the responder gives an answer.
	 */
	@Nullable String url(Answer answer) {
		if (answer == Answer.NO_RESPONDER) {
			return null;
		}
		// The port of the discard protocol
		return (answer == Answer.UNREACHABLE) ? "http://127.0.0.1:9"
				: "http://127.0.0.1:%d/%s".formatted(this.server.getAddress().getPort(), answer);
	}

	private void answer(HttpExchange exchange, Answer answer) throws IOException {
		byte[] request = exchange.getRequestMethod().equals("GET") ? Base64.getDecoder()
			.decode(URLDecoder.decode(exchange.getRequestURI().getRawPath().substring(answer.name().length() + 2),
					StandardCharsets.UTF_8))
				: exchange.getRequestBody().readAllBytes();
		if (answer == Answer.SILENT) {
			return;
		}
		if (answer == Answer.NOT_FOUND) {
			exchange.sendResponseHeaders(404, -1);
			exchange.close();
			return;
		}
		byte[] response = response(request, answer);
		exchange.getResponseHeaders().set("Content-Type", "application/ocsp-response");
		exchange.sendResponseHeaders(200, (response.length > 0) ? response.length : -1);
		exchange.getResponseBody().write(response);
		exchange.close();
	}

	private byte[] response(byte[] request, Answer answer) {
		Instant now = Instant.now();
		byte[] id = certificateId(request);
		byte[] good = { (byte) 0x80, 0 };
		Duration hour = Duration.ofHours(1);
		return switch (answer) {
			case GOOD -> signed("ca", id, good, now, now.plus(hour));
			case WITHOUT_NEXT_UPDATE -> signed("ca", id, good, now.minus(Duration.ofDays(10)), null);
			case REVOKED -> signed("ca", id, der(0xa1, time(0x18, now.minus(hour))), now, now.plus(hour));
			case REVOKED_STALE -> signed("ca", id, der(0xa1, time(0x18, now.minus(hour))),
					now.minus(hour.multipliedBy(3)), now.minus(hour));
			case UNKNOWN -> signed("ca", id, new byte[] { (byte) 0x82, 0 }, now, now.plus(hour));
			case STALE -> signed("ca", id, good, now.minus(hour.multipliedBy(3)), now.minus(hour));
			case EARLY -> signed("ca", id, good, now.plus(hour), now.plus(hour.multipliedBy(3)));
			case SIGNED_BY_ANOTHER -> signed("other-ca", id, good, now, now.plus(hour));
			case ABOUT_ANOTHER -> {
				id[id.length - 1]++;
				yield signed("ca", id, good, now, now.plus(hour));
			}
			case MALFORMED_REQUEST -> error(1);
			case INTERNAL_ERROR -> error(2);
			case TRY_LATER -> error(3);
			case SIGNATURE_REQUIRED -> error(5);
			case UNAUTHORIZED -> error(6);
			case NO_OCSP -> "<html>Sign in</html>".getBytes(StandardCharsets.US_ASCII);
			case EMPTY -> new byte[0];
			case NOT_FOUND, SILENT, NO_RESPONDER, UNREACHABLE -> throw new IllegalArgumentException();
		};
	}

	private static byte[] error(int status) {
		return der(SEQUENCE, der(0x0a, new byte[] { (byte) status }));
	}

	// Of the only certificate that is asked about
	private static byte[] certificateId(byte[] encoded) {
		ByteBuffer request = content(content(ByteBuffer.wrap(encoded)));
		while (request.get(request.position()) != SEQUENCE) {
			content(request);
		}
		ByteBuffer id = content(content(content(request)));
		byte[] bytes = new byte[id.remaining()];
		id.get(bytes);
		return der(SEQUENCE, bytes);
	}

	// Takes the first element
	private static ByteBuffer content(ByteBuffer elements) {
		elements.get();
		int length = elements.get() & 0xff;
		if (length == 0x81) {
			length = elements.get() & 0xff;
		}
		else if (length > 0x81) {
			length = elements.getChar();
		}
		ByteBuffer content = elements.slice(elements.position(), length);
		elements.position(elements.position() + length);
		return content;
	}

	private byte[] signed(String signer, byte[] id, byte[] status, Instant from, @Nullable Instant to) {
		X509Certificate certificate = this.certificates.certificate(signer + ".crt");
		byte[] next = (to != null) ? der(0xa0, time(0x18, to)) : new byte[0];
		byte[] single = der(SEQUENCE, id, status, time(0x18, from), next);
		byte[] data = der(SEQUENCE, der(0xa1, certificate.getSubjectX500Principal().getEncoded()), time(0x18, from),
				der(SEQUENCE, single));
		byte[] basic = der(SEQUENCE, data, ECDSA_WITH_SHA256,
				der(0x03, new byte[1], sign(this.certificates.privateKey(signer), data)));
		return der(SEQUENCE, der(0x0a, new byte[1]), der(0xa0, der(SEQUENCE, BASIC_RESPONSE, der(0x04, basic))));
	}

	private static byte[] sign(PrivateKey key, byte[] data) {
		try {
			Signature signature = Signature.getInstance("SHA256withECDSA");
			signature.initSign(key);
			signature.update(data);
			return signature.sign();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static byte[] time(int tag, Instant time) {
		return der(tag, TIME.format(time).getBytes(StandardCharsets.US_ASCII));
	}

	private static byte[] der(int tag, byte[]... contents) {
		ByteArrayOutputStream content = new ByteArrayOutputStream();
		for (byte[] part : contents) {
			content.writeBytes(part);
		}
		ByteArrayOutputStream element = new ByteArrayOutputStream();
		element.write(tag);
		if (content.size() >= 0x100) {
			element.write(0x82);
			element.write(content.size() >> 8);
		}
		else if (content.size() >= 0x80) {
			element.write(0x81);
		}
		element.write(content.size());
		element.writeBytes(content.toByteArray());
		return element.toByteArray();
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.executor.shutdownNow();
	}

	/**
	 * What the responder answers.
	 */
	enum Answer {

		GOOD, WITHOUT_NEXT_UPDATE, REVOKED, REVOKED_STALE, UNKNOWN, STALE, EARLY, SIGNED_BY_ANOTHER, ABOUT_ANOTHER,
		MALFORMED_REQUEST, INTERNAL_ERROR, TRY_LATER, SIGNATURE_REQUIRED, UNAUTHORIZED, NO_OCSP, EMPTY, NOT_FOUND,
		SILENT, NO_RESPONDER, UNREACHABLE

	}

}
