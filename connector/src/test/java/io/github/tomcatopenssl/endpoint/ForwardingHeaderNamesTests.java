// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateEncodingException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.ForwardedCertificateHeader;
import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.internal.host.ClientMaterial;
import io.github.tomcatopenssl.internal.host.PolicySettings;
import io.github.tomcatopenssl.internal.host.RevocationChecks;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that no header reaches an application that some consumer could take for one in
 * which a proxy forwards a certificate, whichever bytes Tomcat accepts in a name.
 */
@Tag("servers")
class ForwardingHeaderNamesTests {

	/**
	 * The names of the headers as CGI and WSGI have them.
	 */
	private static final Set<String> VARIABLES = Set.of("CLIENT_CERT", "CLIENT_CERT_CHAIN", "X_FORWARDED_CLIENT_CERT");

	private final TestCertificates certificates = TestCertificates.get();

	/**
	 * The characters of a token (RFC 9110, 5.6.2) that are neither letters nor digits.
	 */
	private static final String TOKEN = "!#$%&'*+-.^_`|~";

	@ParameterizedTest
	@EnumSource
	void whenNamesFoldToThoseOfAProxyThenTheyAreRemoved(Engine engine) throws IOException {
		JavaClient stranger = new JavaClient("p256.crt");
		JavaClient proxy = new JavaClient(JavaClient.managers("proxy", "p256.crt"));
		try (ConnectorServer server = start(engine)) {
			for (Http http : Http.values()) {
				Map<String, String> headers = new TreeMap<>();
				TOKEN.chars().forEach((separator) -> headers.putAll(headers((char) separator, http)));
				assertThat(exchange(server, stranger, http, headers)).as(http.name()).contains("folded=[]");
				headers.keySet().removeAll(headers('-', http).keySet());
				headers.put("client-cert", client());
				assertThat(exchange(server, proxy, http, headers)).as(http.name()).contains("folded=[client-cert]");
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenNameHasAnyOtherByteThenItIsNoName(Http http) throws IOException {
		JavaClient stranger = new JavaClient("p256.crt");
		try (ConnectorServer server = start(Engine.JSSE)) {
			for (int separator : IntStream.concat(IntStream.range(1, 128), IntStream.of(0x80, 0x85, 0xa0, 0xad, 0xff))
				.toArray()) {
				if (TOKEN.indexOf(separator) == -1 && !Character.isLetterOrDigit(separator)) {
					assertThat(exchange(server, stranger, http, headers((char) separator, http)))
						.as(http + " " + separator)
						.satisfiesAnyOf((answer) -> assertThat(answer).doesNotContain("folded="),
								(answer) -> assertThat(answer).contains("folded=[]"));
				}
			}
		}
	}

	private static Map<String, String> headers(char separator, Http http) {
		Map<String, String> headers = new TreeMap<>();
		for (String name : List.of("Client-Cert", "CLIENT-cert-Chain", "x-forwarded-CLIENT-cert")) {
			String variant = name.replace('-', separator);
			headers.put((http == Http.H2) ? variant.toLowerCase(Locale.ROOT) : variant, "forged");
		}
		return headers;
	}

	private String client() {
		try {
			return ":%s:".formatted(
					Base64.getEncoder().encodeToString(this.certificates.certificate("client.crt").getEncoded()));
		}
		catch (CertificateEncodingException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private ConnectorServer start(Engine engine) {
		TlsSettings settings = new TlsSettings(List.of(), PolicySettings.NONE, RevocationChecks.NONE,
				(host) -> new ClientMaterial(null, List.of(), List.of(this.certificates.certificate("proxy-ca.crt"))),
				null, null, null, ForwardedCertificateHeader.CLIENT_CERT, null, false, TlsAlpnChallenges.NONE,
				(certificate) -> null);
		SSLHostConfig host = ConnectorServer.verifying(ConnectorServer.host("p256"), "optional", "ca.crt");
		return new ConnectorServer(engine).http2()
			.answer("/hello", ForwardingHeaderNamesTests::answer)
			.start(settings, host);
	}

	private static void answer(HttpServletRequest request, HttpServletResponse response) throws IOException {
		List<String> folded = new ArrayList<>(Collections.list(request.getHeaderNames()));
		folded.removeIf((name) -> !VARIABLES.contains(name.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_")));
		response.getWriter().write("folded=" + folded + "\n");
	}

	private static String exchange(ConnectorServer server, JavaClient client, Http http, Map<String, String> headers)
			throws IOException {
		try (SSLSocket socket = client.connect(server.port())) {
			SSLParameters parameters = socket.getSSLParameters();
			parameters.setApplicationProtocols(new String[] { new String(http.protocol(), StandardCharsets.US_ASCII) });
			socket.setSSLParameters(parameters);
			socket.getOutputStream().write((http == Http.H2) ? http2(headers) : http1(headers));
			StringBuilder answer = new StringBuilder();
			InputStream in = socket.getInputStream();
			int read;
			while (!answer.toString().contains("]\n") && (read = in.read()) != -1) {
				answer.append((char) read);
				// RST_STREAM and GOAWAY
				if (http == Http.H2 && answer.length() >= 9 && isReset(answer)) {
					break;
				}
			}
			return answer.toString();
		}
		catch (SocketException ex) {
			return "reset";
		}
	}

	private static boolean isReset(StringBuilder frames) {
		int position = 0;
		while (position + 9 <= frames.length()) {
			int type = frames.charAt(position + 3);
			if (type == 3 || type == 7) {
				return true;
			}
			position += 9 + (frames.charAt(position) << 16) + (frames.charAt(position + 1) << 8)
					+ frames.charAt(position + 2);
		}
		return false;
	}

	private static byte[] http1(Map<String, String> headers) {
		StringBuilder request = new StringBuilder("GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
		headers.forEach((name, value) -> request.append(name).append(": ").append(value).append("\r\n"));
		return request.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
	}

	// Literal fields, neither indexed nor compressed (RFC 7541, 6.2.2)
	private static byte[] http2(Map<String, String> headers) {
		byte[] fields = TlsBytes.concat(TlsBytes.hex("828704"), TlsBytes.vector(1, Http.ascii("/hello")),
				TlsBytes.hex("01"), TlsBytes.vector(1, Http.ascii("localhost")));
		for (Map.Entry<String, String> header : headers.entrySet()) {
			fields = TlsBytes.concat(fields, TlsBytes.hex("00"),
					TlsBytes.vector(1, header.getKey().getBytes(StandardCharsets.ISO_8859_1)),
					string(Http.ascii(header.getValue())));
		}
		return TlsBytes.concat(Http.ascii("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), Http.frame(4, 0, 0, new byte[0]),
				Http.frame(1, 5, 1, fields));
	}

	// The length is an integer with a prefix of seven bits (RFC 7541, 5.1)
	private static byte[] string(byte[] value) {
		if (value.length < 127) {
			return TlsBytes.vector(1, value);
		}
		byte[] length = TlsBytes.number(1, 127);
		int rest = value.length - 127;
		while (rest >= 128) {
			length = TlsBytes.concat(length, TlsBytes.number(1, rest % 128 + 128));
			rest /= 128;
		}
		return TlsBytes.concat(length, TlsBytes.number(1, rest), value);
	}

}
