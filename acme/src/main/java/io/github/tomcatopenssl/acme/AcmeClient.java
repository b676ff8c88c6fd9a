// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

import javax.security.auth.x500.X500Principal;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.AccountBuilder;
import org.shredzone.acme4j.Authorization;
import org.shredzone.acme4j.Certificate;
import org.shredzone.acme4j.Login;
import org.shredzone.acme4j.Order;
import org.shredzone.acme4j.OrderBuilder;
import org.shredzone.acme4j.PollableResource;
import org.shredzone.acme4j.Problem;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.Status;
import org.shredzone.acme4j.challenge.Challenge;
import org.shredzone.acme4j.connector.Connection;
import org.shredzone.acme4j.connector.DefaultConnection;
import org.shredzone.acme4j.connector.NetworkSettings;
import org.shredzone.acme4j.connector.Resource;
import org.shredzone.acme4j.exception.AcmeException;
import org.shredzone.acme4j.exception.AcmeProtocolException;
import org.shredzone.acme4j.exception.AcmeRateLimitedException;
import org.shredzone.acme4j.exception.AcmeServerException;
import org.shredzone.acme4j.provider.GenericAcmeProvider;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.StringUtils;

/**
 * Obtains certificates from a CA. What an order needs is stored before the CA is asked,
 * so that an order that was interrupted is continued.
 */
class AcmeClient {

	private static final Log logger = LogFactory.getLog(AcmeClient.class);

	/**
	 * How long the CA may take for one step, such as verifying a domain.
	 */
	private static final Duration PATIENCE = Duration.ofMinutes(5);

	/**
	 * How long to wait before the CA is asked again about one step, unless it says so
	 * itself.
	 */
	private static final Duration PAUSE = Duration.ofSeconds(3);

	private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

	/**
	 * The only profile with which Let's Encrypt issues certificates for addresses.
	 */
	private static final String SHORT_LIVED = "shortlived";

	private final AcmeProperties properties;

	private final List<String> domains;

	private final AcmeStore store;

	private final ChallengeSolver solver;

	private final CaClock clock;

	private final Session session;

	private @Nullable Login login;

	AcmeClient(AcmeProperties properties, List<String> domains, AcmeStore store, ChallengeSolver solver, CaClock clock,
			@Nullable SslBundle trust) {
		this.properties = properties;
		this.domains = domains;
		this.store = store;
		this.solver = solver;
		this.clock = clock;
		this.session = new Session(properties.directoryUrl(), new GenericAcmeProvider() {

			@Override
			public HttpClient createHttpClient(NetworkSettings settings) {
				HttpClient.Builder client = HttpClient.newBuilder()
					.followRedirects(HttpClient.Redirect.NORMAL)
					.connectTimeout(settings.getTimeout());
				return ((trust != null) ? client.sslContext(trust.createSslContext()) : client).build();
			}

			@Override
			public Connection connect(URI server, NetworkSettings settings, HttpClient client) {
				return new DefaultConnection(createHttpConnector(settings, client)) {

					@Override
					protected void sendRequest(Session session, URL url, Consumer<HttpRequest.Builder> body)
							throws IOException {
						super.sendRequest(session, url, body);
						if (this.lastResponse != null) {
							this.lastResponse.headers().firstValue("Date").ifPresent(clock::answered);
						}
					}

				};
			}

		});
	}

	static String fileName(AcmeKeyType keyType) {
		return keyType.name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Ask the CA what time it is, if it can be reached.
	 */
	void contact() {
		try {
			this.session.resourceUrlOptional(Resource.NEW_ORDER);
		}
		catch (AcmeException | AcmeProtocolException ex) {
			logger.debug("The CA does not answer", ex);
		}
	}

	/**
	 * Return when to renew a certificate.
	 * @param certificate the certificate
	 * @param longest how long not to ask the CA again
	 * @return the time
	 */
	RenewalTime renewal(X509Certificate certificate, Duration longest) {
		return RenewalTime.of(certificate, this.session, this.clock, longest);
	}

	/**
	 * Obtain a certificate and put it into its file.
	 * @param keyType the type of its key
	 * @param previous the certificate that it replaces, or {@code null}
	 * @return the certificate
	 * @throws AcmeException if the CA does not issue it
	 * @throws AcmeRefusedException if the CA refuses it
	 * @throws IOException if a file cannot be written
	 * @throws InterruptedException if the application stops
	 */
	X509Certificate obtain(AcmeKeyType keyType, @Nullable X509Certificate previous)
			throws AcmeException, IOException, InterruptedException {
		String type = fileName(keyType);
		Order order = continued(type);
		boolean continued = order != null;
		KeyPair key;
		if (order == null) {
			key = createKey(keyType);
			this.store.write(this.store.orderKey(type), AcmeStore.pem(key));
			order = create(previous);
			this.store.write(this.store.order(type), order.getLocation().toString());
		}
		else {
			key = AcmeStore.key(String.valueOf(AcmeStore.read(this.store.orderKey(type))));
		}
		List<X509Certificate> chain;
		try {
			complete(order, key);
			chain = sorted(chain(order.getCertificate()));
			if (!chain.get(0).getPublicKey().equals(key.getPublic())) {
				throw new AcmeRefusedException("The CA has issued a certificate for another key", "Contact the CA");
			}
		}
		catch (AcmeRefusedException | AcmeServerException ex) {
			// The next attempt begins with a new order
			if (ex instanceof AcmeRefusedException || continued && !isTemporary(ex)) {
				AcmeStore.delete(this.store.order(type));
			}
			throw ex;
		}
		X509Certificate leaf = chain.get(0);
		Instant now = this.clock.instant();
		if (now.isBefore(leaf.getNotBefore().toInstant()) || now.isAfter(leaf.getNotAfter().toInstant())) {
			// One that is not valid yet can be used once a wrong clock is right
			if (now.isAfter(leaf.getNotAfter().toInstant())) {
				AcmeStore.delete(this.store.order(type));
			}
			throw new AcmeRefusedException(
					"The CA has issued a certificate that is valid from %s to %s, which is not now"
						.formatted(leaf.getNotBefore().toInstant(), leaf.getNotAfter().toInstant()),
					"Correct the clock of this machine");
		}
		String content = AcmeCertificate.content(this.properties.directoryUrl().toString(),
				AcmeStore.pem(key.getPrivate(), chain));
		this.store.exclusively(() -> {
			this.store.write(this.store.certificate(type), content);
			return type;
		});
		AcmeStore.delete(this.store.order(type));
		AcmeStore.delete(this.store.orderKey(type));
		logger.info("The CA has issued a certificate for %s, valid until %s".formatted(String.join(", ", this.domains),
				chain.get(0).getNotAfter().toInstant()));
		return chain.get(0);
	}

	// An outage must not cost an order
	private static boolean isTemporary(Exception ex) {
		return ex instanceof AcmeServerException refused
				&& refused.getType().toString().matches(".*:(rateLimited|serverInternal)");
	}

	private @Nullable Order continued(String type) throws AcmeException, IOException {
		String location = AcmeStore.read(this.store.order(type));
		if (location == null) {
			return null;
		}
		Login login = login();
		try {
			AcmeStore.key(String.valueOf(AcmeStore.read(this.store.orderKey(type))));
			Order order = login.bindOrder(new URI(location).toURL());
			order.fetch();
			return (order.getStatus() != Status.INVALID) ? order : null;
		}
		catch (AcmeServerException ex) {
			if (isTemporary(ex)) {
				throw ex;
			}
			// CAs forget orders
			logger.debug("The order '%s' cannot be continued".formatted(location), ex);
			return null;
		}
		catch (AcmeStoreException ex) {
			throw ex;
		}
		catch (IOException | URISyntaxException | IllegalArgumentException ex) {
			// A file is damaged
			logger.debug("The order '%s' cannot be continued".formatted(location), ex);
			return null;
		}
	}

	private Order create(@Nullable X509Certificate previous) throws AcmeException, IOException {
		boolean replaces = previous != null && this.session.resourceUrlOptional(Resource.RENEWAL_INFO).isPresent();
		try {
			return builder(replaces ? previous : null).create();
		}
		catch (AcmeServerException ex) {
			if (!replaces || ex instanceof AcmeRateLimitedException) {
				throw ex;
			}
			// It is replaced already, or of another account. That must not keep a new one
			// out
			logger.debug("The CA does not let the order replace the certificate", ex);
			return builder(null).create();
		}
	}

	private OrderBuilder builder(@Nullable X509Certificate previous) throws AcmeException, IOException {
		OrderBuilder order = login().newOrder().identifiers(this.domains.stream().map(AcmeNames::identifier).toList());
		String profile = profile();
		if (profile != null) {
			order.profile(profile);
		}
		return (previous != null) ? order.replaces(previous) : order;
	}

	private @Nullable String profile() throws AcmeException {
		String profile = this.properties.profile();
		Set<String> offered = this.session.getMetadata().getProfiles();
		if (!StringUtils.hasText(profile)) {
			return (offered.contains(SHORT_LIVED) && this.domains.stream().anyMatch(AcmeNames::isAddress)) ? SHORT_LIVED
					: null;
		}
		if (!offered.contains(profile)) {
			throw new AcmeRefusedException("The CA does not offer the profile '%s'".formatted(profile),
					offered.isEmpty() ? "Remove 'server.ssl.acme.profile'"
							: "Set 'server.ssl.acme.profile' to one of %s, or remove it".formatted(offered));
		}
		return profile;
	}

	private void complete(Order order, KeyPair key) throws AcmeException, IOException, InterruptedException {
		if (order.getStatus() == Status.PENDING) {
			for (Authorization authorization : order.getAuthorizations()) {
				if (authorization.getStatus() == Status.PENDING) {
					authorize(authorization);
				}
			}
			await(order, Status.READY, Status.VALID);
		}
		if (order.getStatus() == Status.READY) {
			order.execute(key);
		}
		if (await(order, Status.VALID) != Status.VALID) {
			throw new AcmeRefusedException("The CA refuses the order: " + describe(order.getError().orElse(null)),
					"Correct what the CA complains about");
		}
	}

	private static Status await(PollableResource resource, Status... wanted)
			throws AcmeException, InterruptedException {
		Set<Status> ends = EnumSet.of(Status.INVALID, wanted);
		long begin = System.nanoTime();
		Optional<Instant> again = resource.fetch();
		while (!ends.contains(resource.getStatus())) {
			if (System.nanoTime() - begin > PATIENCE.toNanos()) {
				throw new AcmeException("it has made no decision within %d minutes".formatted(PATIENCE.toMinutes()));
			}
			Thread.sleep(pause(again, Instant.now()));
			again = resource.fetch();
		}
		return resource.getStatus();
	}

	// Returns milliseconds. acme4j's own waiting trusts the clocks of the CA and of this
	// machine
	static long pause(Optional<Instant> again, Instant now) {
		Duration asked = again.map((time) -> Duration.between(now, time)).orElse(PAUSE);
		return Math.max(SHORTEST_PAUSE.toMillis(), Math.min(asked.toMillis(), LONGEST_PAUSE.toMillis()));
	}

	private static String describe(@Nullable Problem problem) {
		return (problem != null) ? problem.toString() : "it gives no reason";
	}

	private void authorize(Authorization authorization) throws AcmeException, IOException, InterruptedException {
		String domain = authorization.getIdentifier().getValue();
		// What the CA names becomes the name of a file or of a DNS record
		if (!this.domains.contains(domain) && !this.domains.contains("*." + domain)) {
			throw new AcmeRefusedException(
					"The CA wants to verify '%s', for which no certificate was requested".formatted(domain),
					"Check that 'server.ssl.acme.directory-url' is the CA that you want");
		}
		// There is no DNS record for an address (RFC 8738, 7)
		ChallengeSolver solver = AcmeNames.isAddress(domain) ? new TlsAlpnSolver(this.store) : this.solver;
		try (ChallengeSolver.Published published = solver.publish(authorization)) {
			verify(authorization, published.challenge(), solver.advice());
		}
	}

	private static void verify(Authorization authorization, Challenge challenge, String action)
			throws AcmeException, InterruptedException {
		challenge.trigger();
		if (await(authorization, Status.VALID) != Status.VALID) {
			challenge.fetch();
			throw new AcmeRefusedException("The CA could not verify '%s': %s".formatted(
					authorization.getIdentifier().getValue(), describe(challenge.getError().orElse(null))), action);
		}
	}

	private List<X509Certificate> chain(Certificate certificate) throws AcmeException {
		certificate.download();
		String preferred = this.properties.preferredChain();
		return (StringUtils.hasText(preferred) ? certificate.findCertificate(preferred).orElseGet(() -> {
			logger.warn(
					"The CA does not offer the chain '%s' of 'server.ssl.acme.preferred-chain', so its default chain is used"
						.formatted(preferred));
			return certificate;
		}) : certificate).getCertificateChain();
	}

	// A CA may send more than the chain, in any order (RFC 8555, 9.1 only recommends one)
	static List<X509Certificate> sorted(List<X509Certificate> sent) {
		List<X509Certificate> chain = new ArrayList<>();
		X509Certificate next = sent.get(0);
		while (next != null && !chain.contains(next)) {
			chain.add(next);
			X500Principal issuer = next.getIssuerX500Principal();
			next = sent.stream()
				.filter((certificate) -> certificate.getSubjectX500Principal().equals(issuer))
				.findFirst()
				.orElse(null);
		}
		return chain;
	}

	Login login() throws AcmeException, IOException {
		if (this.login == null) {
			AccountBuilder account = new AccountBuilder().agreeToTermsOfService().useKeyPair(accountKey());
			if (StringUtils.hasText(this.properties.email())) {
				account.addEmail(this.properties.email());
			}
			AcmeProperties.ExternalAccount external = this.properties.externalAccount();
			if (external != null && external.keyId() != null && external.hmacKey() != null) {
				// CAs expect it whatever the length of the key, from which acme4j would
				// choose
				account.withKeyIdentifier(external.keyId(), external.hmacKey()).withMacAlgorithm("HS256");
			}
			this.login = account.createLogin(this.session);
		}
		return this.login;
	}

	private KeyPair accountKey() throws IOException {
		return this.store.exclusively(this::readOrCreateAccountKey);
	}

	private KeyPair readOrCreateAccountKey() throws IOException {
		String known = AcmeStore.read(this.store.account());
		if (known != null) {
			try {
				return AcmeStore.key(known);
			}
			catch (IOException ex) {
				throw new AcmeRefusedException(
						"'%s' does not contain the key of the account".formatted(this.store.account()),
						"Restore it, or delete it, so that a new account is registered");
			}
		}
		KeyPair key = createKey(AcmeKeyType.EC);
		this.store.write(this.store.account(), AcmeStore.pem(key));
		return key;
	}

	static KeyPair createKey(AcmeKeyType type) {
		try {
			KeyPairGenerator generator = KeyPairGenerator.getInstance(type.name());
			if (type == AcmeKeyType.EC) {
				generator.initialize(new ECGenParameterSpec("secp256r1"));
			}
			else {
				generator.initialize(2048);
			}
			return generator.generateKeyPair();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("Unable to create a key", ex);
		}
	}

	/**
	 * The CA does not issue the certificate.
	 */
	static final class AcmeRefusedException extends RuntimeException {

		private final String action;

		AcmeRefusedException(String reason, String action) {
			super(reason);
			this.action = action;
		}

		String action() {
			return this.action;
		}

	}

}
