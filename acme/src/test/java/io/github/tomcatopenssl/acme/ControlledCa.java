// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.math.BigInteger;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.internal.host.PemBlocks;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.test.CatalinaHome;
import io.github.tomcatopenssl.test.TestCertificates;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequest;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.toolbox.JSON;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;

/**
 * An ACME server whose time, answers and outages a test decides. It verifies no
 * signatures; how the client speaks the protocol, {@link Pebble} judges.
 */
final class ControlledCa implements AutoCloseable {

	private static final X500Name NAME = new X500Name("CN=Controlled CA");

	private static final X500Name OTHER = new X500Name("CN=Other CA");

	private static final SSLContext TRUSTING_ALL = trustingAll();

	/**
	 * How far its clock is ahead.
	 */
	volatile Duration ahead = Duration.ZERO;

	volatile Duration backdated = Duration.ofHours(1);

	volatile Duration lifetime = Duration.ofDays(90);

	volatile State state = State.UP;

	/**
	 * When to renew a certificate; {@code null} if the CA does not say it.
	 */
	volatile @Nullable Function<X509Certificate, Instant> renewal;

	/**
	 * What the CA says about renewal instead, as JSON; {@code null} if it says when.
	 */
	volatile @Nullable String suggestion;

	/**
	 * The header of answers about renewal, and of limits.
	 */
	volatile @Nullable String retryAfter;

	/**
	 * The first part of the path of requests that a proxy in front of the CA answers;
	 * {@code null} if there is none.
	 */
	volatile @Nullable String proxied;

	/**
	 * The first part of the path of requests whose answers do not end; {@code null} if
	 * there is none.
	 */
	volatile @Nullable String unfinished;

	/**
	 * The status of the proxy's answers.
	 */
	volatile int proxyStatus = 429;

	/**
	 * Addresses that the directory lists instead of the CA's own, by their names in the
	 * directory.
	 */
	volatile Map<String, String> listed = Map.of();

	/**
	 * Whether each answer has a nonce, and not only one that is asked for.
	 */
	volatile boolean nonces = true;

	/**
	 * Where requests for {@code /moved} are sent.
	 */
	volatile @Nullable String redirection;

	/**
	 * Changes the names of a certificate.
	 */
	volatile UnaryOperator<Set<String>> issuedNames = UnaryOperator.identity();

	/**
	 * Changes the key of a certificate.
	 */
	volatile UnaryOperator<PublicKey> issuedKey = UnaryOperator.identity();

	/**
	 * The first parts of the paths of alternate chains: {@code cross} is one of another
	 * root, {@code root} has no leaf, {@code forged} is refused with a line that looks
	 * like one of the log, and at any other there is none.
	 */
	volatile List<String> alternates = List.of();

	/**
	 * Whether certificates have a subject, which is a common name.
	 */
	volatile boolean named = true;

	/**
	 * Changes the name that is to be verified.
	 */
	volatile Function<String, String> identifier = Function.identity();

	/**
	 * Whether the CA has verified all names before, as CAs remember for weeks.
	 */
	volatile boolean verifiedBefore;

	/**
	 * Whether a name can be verified.
	 */
	volatile Function<String, Boolean> verification = (name) -> true;

	final List<Issued> issued = new CopyOnWriteArrayList<>();

	final AtomicInteger requests = new AtomicInteger();

	final AtomicInteger orderRequests = new AtomicInteger();

	final AtomicInteger verifications = new AtomicInteger();

	/**
	 * The names of all orders.
	 */
	final List<Set<String>> ordered = new CopyOnWriteArrayList<>();

	/**
	 * The keys of the accounts, as JSON.
	 */
	final Set<String> accountKeys = ConcurrentHashMap.newKeySet();

	final X509Certificate root;

	/**
	 * The certificate of its key by {@link #OTHER}.
	 */
	final X509Certificate cross;

	private final Map<String, Order> orders = new ConcurrentHashMap<>();

	private final Map<String, X509Certificate> certificates = new ConcurrentHashMap<>();

	private final KeyPair key;

	private final Tomcat tomcat = new Tomcat();

	private final AtomicInteger last = new AtomicInteger();

	ControlledCa(Path folder) throws Exception {
		this(folder, "p256");
	}

	/**
	 * Start the server.
	 * @param folder the folder of Tomcat
	 * @param tlsCertificate the name of the server's own certificate
	 */
	@SuppressWarnings("serial")
	ControlledCa(Path folder, String tlsCertificate) throws Exception {
		KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
		generator.initialize(256);
		this.key = generator.generateKeyPair();
		this.root = issue(NAME, this.key.getPublic(), Set.of(), Duration.ofDays(365));
		this.cross = issue(OTHER, this.key.getPublic(), Set.of(), Duration.ofDays(365));
		CatalinaHome.forget();
		this.tomcat.setBaseDir(Files.createDirectories(folder).toString());
		Connector connector = new Connector();
		connector.setPort(0);
		connector.setSecure(true);
		connector.setScheme("https");
		connector.setProperty("SSLEnabled", "true");
		SSLHostConfig tls = new SSLHostConfig();
		SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(tls, SSLHostConfigCertificate.Type.EC);
		certificate.setCertificateFile(TestCertificates.get().file(tlsCertificate + ".crt").toString());
		certificate.setCertificateKeyFile(TestCertificates.get().file(tlsCertificate + ".key").toString());
		tls.addCertificate(certificate);
		connector.addSslHostConfig(tls);
		this.tomcat.setConnector(connector);
		Context context = this.tomcat.addContext("", null);
		Tomcat.addServlet(context, "acme", new HttpServlet() {

			@Override
			protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
				try {
					answer(request, response);
				}
				catch (GeneralSecurityException | OperatorCreationException ex) {
					throw new IllegalStateException(ex);
				}
			}

		});
		context.addServletMapping("/*", "acme");
		this.tomcat.start();
	}

	private static SSLContext trustingAll() {
		try {
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(null, new TrustManager[] { new X509TrustManager() {

				@Override
				public void checkClientTrusted(X509Certificate[] chain, String type) {
				}

				@Override
				public void checkServerTrusted(X509Certificate[] chain, String type) {
				}

				@Override
				public X509Certificate[] getAcceptedIssuers() {
					return new X509Certificate[0];
				}

			} }, null);
			return context;
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return a context of clients that trust this CA and no other.
	 */
	SSLContext trust() {
		return SslBundle.of(new PemSslStoreBundle(null, PemSslStoreDetails.forCertificate(PemBlocks.of(this.root))))
			.createSslContext();
	}

	URI directoryUrl() {
		return URI.create(url("dir"));
	}

	private String listed(String name, String path) {
		return this.listed.getOrDefault(name, url(path));
	}

	String url(String path) {
		return "https://localhost:%d/%s".formatted(this.tomcat.getConnector().getLocalPort(), path);
	}

	/**
	 * Return the properties of a server that gets its certificate here.
	 * @param directory the folder of its certificates
	 * @return the properties
	 */
	List<String> properties(Path directory) {
		return List.of("server.ssl.acme.directory-url=" + directoryUrl(), "server.ssl.acme.directory=" + directory,
				"server.ssl.acme.terms-of-service-agreed=true", "server.ssl.acme.ssl-bundle=ca",
				"spring.ssl.bundle.pem.ca.truststore.certificate=" + TestCertificates.get().file("p256.crt"));
	}

	/**
	 * Have the CA verify names at a port of this machine.
	 * @param port the port of the server
	 */
	void verifyAt(int port) {
		this.verification = (name) -> isVerified(name, port);
	}

	static boolean isVerified(String name, int port) {
		try (SSLSocket socket = (SSLSocket) TRUSTING_ALL.getSocketFactory()
			.createSocket(new Socket("localhost", port), name, port, true)) {
			SSLParameters parameters = socket.getSSLParameters();
			parameters.setApplicationProtocols(new String[] { TlsAlpnChallenges.APPLICATION_PROTOCOL });
			parameters.setServerNames(List.of(new SNIHostName(name)));
			socket.setSSLParameters(parameters);
			socket.setSoTimeout(5000);
			socket.startHandshake();
			return TlsAlpnChallenges.APPLICATION_PROTOCOL.equals(socket.getApplicationProtocol());
		}
		catch (IOException ex) {
			return false;
		}
	}

	Instant now() {
		return Instant.now().plus(this.ahead);
	}

	static String date(Instant time) {
		return DateTimeFormatter.RFC_1123_DATE_TIME.format(time.atOffset(ZoneOffset.UTC));
	}

	private void answer(HttpServletRequest request, HttpServletResponse response)
			throws IOException, GeneralSecurityException, OperatorCreationException {
		String[] path = request.getRequestURI().substring(1).split("/");
		response.setHeader("Date", date(now()));
		if (this.nonces || path[0].equals("nonce")) {
			response.setHeader("Replay-Nonce", "nonce" + this.last.incrementAndGet());
		}
		this.requests.incrementAndGet();
		if (path[0].equals(this.proxied)) {
			if (this.retryAfter != null) {
				response.setHeader("Retry-After", this.retryAfter);
			}
			response.setStatus(this.proxyStatus);
			response.setContentType("text/html");
			write(response, "<html>Too many requests</html>");
			return;
		}
		if (path[0].equals(this.unfinished)) {
			json(response, "{");
			response.flushBuffer();
			while (path[0].equals(this.unfinished)) {
				LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
			}
			return;
		}
		if (this.state == State.UNAVAILABLE) {
			response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
			return;
		}
		if (this.state == State.INTERNAL_ERROR && request.getMethod().equals("POST")) {
			if (this.retryAfter != null) {
				response.setHeader("Retry-After", this.retryAfter);
			}
			problem(response, HttpServletResponse.SC_SERVICE_UNAVAILABLE, "serverInternal", "busy");
			return;
		}
		JSON jws = JSON.empty();
		JSON payload = JSON.empty();
		if (request.getMethod().equals("POST")) {
			jws = JSON.parse(request.getInputStream());
			String content = decode(jws.get("payload").asString());
			payload = content.isEmpty() ? JSON.empty() : JSON.parse(content);
		}
		switch (path[0]) {
			case "dir" -> json(response, """
					{"newNonce": "%s", "newAccount": "%s", "newOrder": "%s"%s,
					"meta": {"profiles": {"classic": ""}}}""".formatted(listed("newNonce", "nonce"),
					listed("newAccount", "account"), listed("newOrder", "new-order"),
					(this.renewal != null) ? ", \"renewalInfo\": \"" + listed("renewalInfo", "renewal") + "\"" : ""));
			case "moved" -> response.sendRedirect(this.redirection);
			case "nonce" -> response.setStatus(HttpServletResponse.SC_OK);
			case "account" -> {
				this.accountKeys
					.add(JSON.parse(decode(jws.get("protected").asString())).get("jwk").asObject().toString());
				response.setHeader("Location", url("accounts/1"));
				json(response, "{\"status\": \"valid\"}");
			}
			case "new-order" -> order(payload, response);
			case "order" -> show(path[1], response);
			case "authorization" -> json(response, this.orders.get(path[1]).authorization(path[2]));
			case "challenge" -> {
				verify(this.orders.get(path[1]), path[2]);
				json(response, this.orders.get(path[1]).challenge(path[2]));
			}
			case "finalize" -> {
				finish(this.orders.get(path[1]), payload.get("csr").asString());
				show(path[1], response);
			}
			case "certificate" -> {
				for (String alternate : this.alternates) {
					response.addHeader("Link", "<%s>;rel=\"alternate\"".formatted(url(alternate + "/" + path[1])));
				}
				chain(response, this.certificates.get(path[1]), this.root);
			}
			case "cross" -> chain(response, this.certificates.get(path[1]), this.cross);
			case "root" -> chain(response, this.cross);
			case "forged" -> problem(response, HttpServletResponse.SC_NOT_FOUND, "malformed", "gone\\nWARN forged");
			case "renewal" -> renewal(path[1], response);
			default -> response.sendError(HttpServletResponse.SC_NOT_FOUND);
		}
	}

	private static String decode(String text) {
		return new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
	}

	private static void write(HttpServletResponse response, String content) throws IOException {
		response.getOutputStream().write(content.getBytes(StandardCharsets.UTF_8));
	}

	private static void chain(HttpServletResponse response, X509Certificate... certificates) throws IOException {
		response.setContentType("application/pem-certificate-chain");
		write(response, Stream.of(certificates).map(PemBlocks::of).collect(Collectors.joining()));
	}

	private static void json(HttpServletResponse response, String json) throws IOException {
		response.setContentType("application/json");
		write(response, json);
	}

	private static void problem(HttpServletResponse response, int status, String type, String detail)
			throws IOException {
		response.setStatus(status);
		response.setContentType("application/problem+json");
		write(response, "{\"type\": \"urn:ietf:params:acme:error:%s\", \"detail\": \"%s\"}".formatted(type, detail));
	}

	private void order(JSON payload, HttpServletResponse response) throws IOException {
		this.orderRequests.incrementAndGet();
		if (this.state == State.RATE_LIMITED) {
			if (this.retryAfter != null) {
				response.setHeader("Retry-After", this.retryAfter);
			}
			problem(response, 429, "rateLimited", "too many certificates");
			return;
		}
		if (this.state == State.REJECTING) {
			problem(response, HttpServletResponse.SC_BAD_REQUEST, "rejectedIdentifier", "not with this profile");
			return;
		}
		String id = "order" + this.last.incrementAndGet();
		Set<String> names = payload.get("identifiers")
			.asArray()
			.stream()
			.map((name) -> name.asObject().get("value").asString())
			.collect(Collectors.toSet());
		this.ordered.add(names);
		this.orders.put(id, new Order(id, names));
		response.setStatus(HttpServletResponse.SC_CREATED);
		response.setHeader("Location", url("order/" + id));
		show(id, response);
	}

	private void show(String id, HttpServletResponse response) throws IOException {
		Order order = this.orders.get(id);
		if (order == null) {
			problem(response, HttpServletResponse.SC_NOT_FOUND, "malformed", "no such order");
			return;
		}
		response.setHeader("Location", url("order/" + id));
		json(response, order.json());
	}

	/**
	 * Forget all orders.
	 */
	void forgetOrders() {
		this.orders.clear();
	}

	private void verify(Order order, String name) {
		this.verifications.incrementAndGet();
		order.verified.put(name, this.verification.apply(name));
	}

	private void finish(Order order, String request)
			throws IOException, GeneralSecurityException, OperatorCreationException {
		PublicKey key = new JcaPKCS10CertificationRequest(Base64.getUrlDecoder().decode(request)).getPublicKey();
		X509Certificate certificate = issue(NAME, this.issuedKey.apply(key), this.issuedNames.apply(order.names),
				this.lifetime);
		this.certificates.put(order.id, certificate);
		this.issued.add(new Issued(Instant.now(), order.names, certificate));
	}

	private void renewal(String id, HttpServletResponse response) throws IOException {
		BigInteger serial = new BigInteger(Base64.getUrlDecoder().decode(id.split("\\.")[1]));
		Function<X509Certificate, Instant> renewal = this.renewal;
		X509Certificate known = this.certificates.values()
			.stream()
			.filter((certificate) -> certificate.getSerialNumber().equals(serial))
			.findFirst()
			.orElse(null);
		if (known == null || renewal == null) {
			problem(response, HttpServletResponse.SC_NOT_FOUND, "malformed", "no such certificate");
			return;
		}
		Instant start = renewal.apply(known);
		if (this.retryAfter != null) {
			response.setHeader("Retry-After", this.retryAfter);
		}
		json(response, (this.suggestion != null) ? this.suggestion
				: "{\"suggestedWindow\": {\"start\": \"%s\", \"end\": \"%s\"}}".formatted(start, start.plusSeconds(1)));
	}

	private X509Certificate issue(X500Name issuer, PublicKey subject, Set<String> names, Duration lifetime)
			throws GeneralSecurityException, IOException, OperatorCreationException {
		Instant notBefore = now().minus(this.backdated);
		JcaX509v3CertificateBuilder certificate = new JcaX509v3CertificateBuilder(issuer,
				new BigInteger(100, new SecureRandom()), Date.from(notBefore), Date.from(notBefore.plus(lifetime)),
				names.isEmpty() ? NAME : subject(names), subject);
		certificate.addExtension(Extension.authorityKeyIdentifier, false,
				new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(this.key.getPublic()));
		if (names.isEmpty()) {
			certificate.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
		}
		else {
			certificate.addExtension(Extension.subjectAlternativeName, !this.named,
					new GeneralNames(names.stream()
						.map((name) -> new GeneralName(GeneralName.dNSName, name))
						.toArray(GeneralName[]::new)));
		}
		return new JcaX509CertificateConverter().getCertificate(
				certificate.build(new JcaContentSignerBuilder("SHA256withECDSA").build(this.key.getPrivate())));
	}

	private X500Name subject(Set<String> names) {
		return this.named ? new X500Name("CN=" + names.iterator().next()) : new X500Name(new RDN[0]);
	}

	@Override
	public void close() {
		this.unfinished = null;
		try {
			this.tomcat.stop();
			this.tomcat.destroy();
		}
		catch (LifecycleException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String identifierJson(String name) {
		return "{\"type\": \"dns\", \"value\": \"%s\"}".formatted(name);
	}

	/**
	 * How the CA answers.
	 */
	enum State {

		/**
		 * As it should.
		 */
		UP,

		/**
		 * Its load balancer says that there is nobody behind it.
		 */
		UNAVAILABLE,

		/**
		 * It says itself that it has a problem.
		 */
		INTERNAL_ERROR,

		/**
		 * It accepts no orders.
		 */
		RATE_LIMITED,

		/**
		 * It issues no certificates for the names.
		 */
		REJECTING

	}

	/**
	 * A certificate that was issued.
	 *
	 * @param at when, by a clock that is right
	 * @param domains its names
	 * @param certificate the certificate
	 */
	record Issued(Instant at, Set<String> domains, X509Certificate certificate) {

	}

	private final class Order {

		private final String id;

		private final Set<String> names;

		private final Map<String, Boolean> verified = new ConcurrentHashMap<>();

		private Order(String id, Set<String> names) {
			this.id = id;
			this.names = names;
			if (ControlledCa.this.verifiedBefore) {
				names.forEach((name) -> this.verified.put(name, true));
			}
		}

		private String status() {
			if (this.verified.containsValue(false)) {
				return "invalid";
			}
			if (ControlledCa.this.certificates.containsKey(this.id)) {
				return "valid";
			}
			return (this.verified.size() == this.names.size()) ? "ready" : "pending";
		}

		private String json() {
			return """
					{"status": "%s", "identifiers": [%s], "authorizations": [%s], "finalize": "%s", "certificate": "%s"}
					""".formatted(status(),
					this.names.stream().map(ControlledCa::identifierJson).collect(Collectors.joining(",")),
					this.names.stream()
						.map((name) -> "\"" + url("authorization/" + this.id + "/" + name) + "\"")
						.collect(Collectors.joining(",")),
					url("finalize/" + this.id), url("certificate/" + this.id));
		}

		private String authorization(String name) {
			return "{\"status\": \"%s\", \"identifier\": %s, \"challenges\": [%s]}".formatted(status(name),
					identifierJson(ControlledCa.this.identifier.apply(name)), challenge(name));
		}

		private String challenge(String name) {
			return """
					{"type": "tls-alpn-01", "status": "%s", "url": "%s", "token": "tokenOf%s"}
					""".formatted(status(name), url("challenge/" + this.id + "/" + name),
					name.replace(".", "").toLowerCase(Locale.ROOT));
		}

		private String status(String name) {
			Boolean verified = this.verified.get(name);
			if (verified == null) {
				return "pending";
			}
			return verified ? "valid" : "invalid";
		}

	}

}
