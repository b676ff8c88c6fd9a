// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

import javax.security.auth.x500.X500Principal;

import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.Acme;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.Acme.AcmeKeyType;
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
import org.shredzone.acme4j.RenewalInfo;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.Status;
import org.shredzone.acme4j.challenge.Challenge;
import org.shredzone.acme4j.challenge.Dns01Challenge;
import org.shredzone.acme4j.challenge.TlsAlpn01Challenge;
import org.shredzone.acme4j.connector.NetworkSettings;
import org.shredzone.acme4j.connector.Resource;
import org.shredzone.acme4j.exception.AcmeException;
import org.shredzone.acme4j.exception.AcmeNetworkException;
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
	 * Shortest time after which the CA may want to be asked again about the renewal. RFC
	 * 9773, 4.3.2 recommends to limit it.
	 */
	private static final Duration SHORTEST = Duration.ofMinutes(1);

	/**
	 * How long not to ask the CA again when a certificate has to be renewed.
	 */
	private static final Duration LONGEST = Duration.ofHours(6);

	private final Acme properties;

	private final List<String> domains;

	private final AcmeStore store;

	private final @Nullable DnsChallengeProvider dns;

	private final Session session;

	private @Nullable Login login;

	AcmeClient(Acme properties, List<String> domains, AcmeStore store, @Nullable DnsChallengeProvider dns,
			@Nullable SslBundle trust) {
		this.properties = properties;
		this.domains = domains;
		this.store = store;
		this.dns = dns;
		this.session = new Session(properties.directoryUrl(), new GenericAcmeProvider() {

			@Override
			public HttpClient createHttpClient(NetworkSettings settings) {
				HttpClient.Builder client = HttpClient.newBuilder()
					.followRedirects(HttpClient.Redirect.NORMAL)
					.connectTimeout(settings.getTimeout());
				return ((trust != null) ? client.sslContext(trust.createSslContext()) : client).build();
			}

		});
	}

	static String fileName(AcmeKeyType keyType) {
		return keyType.name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Return when to renew a certificate: when the CA suggests it (ARI, RFC 9773), but
	 * not later than after five sixths of its lifetime; or else after two thirds of its
	 * lifetime. The time is not the same for all certificates, but for all replicas.
	 * @param certificate the certificate
	 * @param now the current time
	 * @return the time
	 */
	Renewal renewal(X509Certificate certificate, Instant now) {
		double random = new Random(certificate.getSerialNumber().hashCode()).nextDouble();
		Instant notBefore = certificate.getNotBefore().toInstant();
		Duration lifetime = Duration.between(notBefore, certificate.getNotAfter().toInstant());
		try {
			if (this.session.resourceUrlOptional(Resource.RENEWAL_INFO).isPresent()) {
				// Anyone may ask, with or without an account
				Login anybody = this.session.login(this.session.resourceUrl(Resource.RENEWAL_INFO), accountKey());
				RenewalInfo info = anybody.bindRenewalInfo(certificate);
				// In the past if the clock is wrong
				Instant askAgain = info.fetch()
					.filter((time) -> time.isAfter(now.plus(SHORTEST)))
					.orElse(now.plus(LONGEST));
				Instant suggested = between(info.getSuggestedWindowStart(), info.getSuggestedWindowEnd(), random);
				// Whatever the CA says, there has to be time for another attempt
				Instant latest = notBefore.plus(lifetime.multipliedBy(5).dividedBy(6));
				return new Renewal(suggested.isBefore(latest) ? suggested : latest, askAgain);
			}
		}
		catch (AcmeException | AcmeProtocolException | IOException ex) {
			logger.debug("The CA does not say when to renew the certificate", ex);
		}
		Instant latest = notBefore.plus(lifetime.multipliedBy(2).dividedBy(3));
		return new Renewal(between(latest.minus(lifetime.dividedBy(30)), latest, random), now.plus(LONGEST));
	}

	private static Instant between(Instant start, Instant end, double random) {
		return start.plusMillis((long) (random * Math.max(0, Duration.between(start, end).toMillis())));
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
				throw new AcmeRefusedException("The CA has issued a certificate for another key", "Ask the CA");
			}
		}
		catch (AcmeRefusedException | AcmeServerException ex) {
			// The next attempt begins with a new order
			if (ex instanceof AcmeRefusedException || continued && !(ex instanceof AcmeRateLimitedException)) {
				Files.deleteIfExists(this.store.order(type));
			}
			throw ex;
		}
		if (!isValid(chain.get(0))) {
			// Once a wrong clock is right, the same certificate can be used. The one of
			// an order that was left behind may really have expired
			if (continued) {
				Files.deleteIfExists(this.store.order(type));
			}
			throw new AcmeRefusedException(
					"The CA has issued a certificate that is valid from %s to %s, which is not now"
						.formatted(chain.get(0).getNotBefore().toInstant(), chain.get(0).getNotAfter().toInstant()),
					"Correct the clock of this machine");
		}
		this.store.write(this.store.certificate(type), AcmeStore.pem(key.getPrivate(), chain));
		Files.deleteIfExists(this.store.order(type));
		Files.deleteIfExists(this.store.orderKey(type));
		logger.info("The CA has issued a certificate for %s, valid until %s".formatted(String.join(", ", this.domains),
				chain.get(0).getNotAfter().toInstant()));
		return chain.get(0);
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
		catch (AcmeRateLimitedException | AcmeNetworkException ex) {
			throw ex;
		}
		catch (AcmeException | IOException | URISyntaxException | IllegalArgumentException ex) {
			// CAs forget orders, and a file may be damaged
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
		OrderBuilder order = login().newOrder().domains(this.domains);
		if (StringUtils.hasText(this.properties.profile())) {
			order.profile(this.properties.profile());
		}
		return (previous != null) ? order.replaces(previous) : order;
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
				throw new AcmeException("it has not decided within %d minutes".formatted(PATIENCE.toMinutes()));
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
		if (this.dns != null) {
			Dns01Challenge challenge = find(authorization, Dns01Challenge.class, Dns01Challenge.TYPE);
			String name = challenge.getRRName(authorization.getIdentifier());
			try {
				this.dns.publish(name, challenge.getDigest());
				verify(authorization, challenge, "Check that the name servers of the domain answer with the record");
			}
			finally {
				remove(this.dns, name, challenge.getDigest());
			}
			return;
		}
		TlsAlpn01Challenge challenge = find(authorization, TlsAlpn01Challenge.class, TlsAlpn01Challenge.TYPE);
		Path file = this.store.challenge(authorization.getIdentifier().getDomain());
		// The signature of the certificate is RSA's
		KeyPair key = createKey(AcmeKeyType.RSA);
		try {
			// All replicas serve it before the CA looks
			this.store.write(file, AcmeStore.pem(key.getPrivate(),
					List.of(challenge.createCertificate(key, authorization.getIdentifier()))));
			verify(authorization, challenge,
					"Check that the name resolves to this server, and that the CA reaches it on port 443 without a proxy that ends TLS");
		}
		finally {
			Files.deleteIfExists(file);
		}
	}

	private static void remove(DnsChallengeProvider dns, String name, String value) {
		try {
			dns.remove(name, value);
		}
		catch (IOException | RuntimeException ex) {
			logger.warn("The DNS record '%s' could not be removed. Remove it by hand".formatted(name), ex);
		}
	}

	private static <C extends Challenge> C find(Authorization authorization, Class<C> type, String name) {
		return authorization.findChallenge(type)
			.orElseThrow(() -> new AcmeRefusedException(
					"The CA does not offer the challenge '%s' for '%s'".formatted(name,
							authorization.getIdentifier().getDomain()),
					"Use a CA that offers it, or define a bean of type 'DnsChallengeProvider' for 'dns-01'"));
	}

	private static void verify(Authorization authorization, Challenge challenge, String action)
			throws AcmeException, InterruptedException {
		challenge.trigger();
		if (await(authorization, Status.VALID) != Status.VALID) {
			challenge.fetch();
			throw new AcmeRefusedException("The CA could not verify '%s': %s".formatted(
					authorization.getIdentifier().getDomain(), describe(challenge.getError().orElse(null))), action);
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

	private static boolean isValid(X509Certificate certificate) {
		try {
			certificate.checkValidity();
			return true;
		}
		catch (CertificateException ex) {
			return false;
		}
	}

	Login login() throws AcmeException, IOException {
		if (this.login == null) {
			AccountBuilder account = new AccountBuilder().agreeToTermsOfService().useKeyPair(accountKey());
			if (StringUtils.hasText(this.properties.email())) {
				account.addEmail(this.properties.email());
			}
			Acme.ExternalAccount external = this.properties.externalAccount();
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
		String known = AcmeStore.read(this.store.account());
		if (known != null) {
			try {
				return AcmeStore.key(known);
			}
			catch (IOException ex) {
				throw new AcmeRefusedException(
						"'%s' does not contain the key of the account".formatted(this.store.account()),
						"Restore it, or delete it, so that another account is registered");
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
	 * When to renew a certificate.
	 *
	 * @param at when to renew it
	 * @param askAgain when to ask again
	 */
	record Renewal(Instant at, Instant askAgain) {

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
