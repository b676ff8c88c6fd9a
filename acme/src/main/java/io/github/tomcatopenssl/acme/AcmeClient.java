// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import javax.crypto.spec.SecretKeySpec;
import javax.security.auth.x500.X500Principal;

import io.github.tomcatopenssl.internal.host.ForeignText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.AccountBuilder;
import org.shredzone.acme4j.Authorization;
import org.shredzone.acme4j.Certificate;
import org.shredzone.acme4j.Login;
import org.shredzone.acme4j.Order;
import org.shredzone.acme4j.OrderBuilder;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.Status;
import org.shredzone.acme4j.connector.Resource;
import org.shredzone.acme4j.exception.AcmeException;
import org.shredzone.acme4j.exception.AcmeLazyLoadingException;
import org.shredzone.acme4j.exception.AcmeProtocolException;
import org.shredzone.acme4j.exception.AcmeRateLimitedException;
import org.shredzone.acme4j.exception.AcmeServerException;

import org.springframework.util.StringUtils;

/**
 * Obtains certificates from a CA. Everything that an order needs is stored before the CA
 * is asked, so that an interrupted order is continued.
 */
class AcmeClient {

	private static final Log logger = LogFactory.getLog(AcmeClient.class);

	/**
	 * The only profile with which Let's Encrypt issues certificates for addresses.
	 */
	private static final String SHORT_LIVED = "shortlived";

	/**
	 * Up to which number certificates in a row are counted.
	 */
	private static final int MOST_DUE_AT_ONCE = 100;

	private final AcmeSettings settings;

	private final AcmeStore store;

	private final Session session;

	private final DomainVerifier verifier;

	private final CaClock clock;

	private final AcmeSchedule schedule;

	private @Nullable Login login;

	/**
	 * Create a new client for one attempt.
	 * @param settings what to obtain, and from which CA
	 * @param store the folder
	 * @param session the session with the CA
	 * @param verifier lets the CA verify the domains
	 * @param clock the clock of the CA
	 * @param schedule how soon a certificate can be due
	 */
	AcmeClient(AcmeSettings settings, AcmeStore store, Session session, DomainVerifier verifier, CaClock clock,
			AcmeSchedule schedule) {
		this.settings = settings;
		this.store = store;
		this.session = session;
		this.verifier = verifier;
		this.clock = clock;
		this.schedule = schedule;
	}

	/**
	 * Ask the CA what time it is, if it can be reached.
	 * @throws AcmeRateLimitedException if the CA wants to be asked later
	 */
	void contact() throws AcmeRateLimitedException {
		try {
			this.session.resourceUrlOptional(Resource.NEW_ORDER);
		}
		catch (AcmeException | AcmeProtocolException ex) {
			if (ex instanceof AcmeRateLimitedException limited) {
				throw limited;
			}
			if (ex instanceof CaException failure && failure.isLimit()) {
				throw failure;
			}
			logger.debug("The CA does not answer: " + ForeignText.of(ex));
		}
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
	AcmeCertificate obtain(AcmeKeyType keyType, @Nullable X509Certificate previous)
			throws AcmeException, IOException, InterruptedException {
		String type = keyType.toString();
		Order order = continued(type);
		boolean continued = order != null;
		KeyPair key;
		if (order == null) {
			key = keyType.createKey();
			this.store.write(this.store.orderKey(type), AcmeStore.pem(key));
			order = create(previous);
			this.store.write(this.store.order(type), order.getLocation().toString());
		}
		else {
			key = AcmeStore.key(String.valueOf(this.store.read(this.store.orderKey(type))));
		}
		List<X509Certificate> chain;
		try {
			complete(order, key);
			chain = sorted(chain(order.getCertificate()));
			// The process was killed after it had stored the certificate
			if (continued && previous != null
					&& (chain.get(0).equals(previous) || chain.get(0).getNotBefore().before(previous.getNotBefore()))) {
				this.store.delete(this.store.order(type));
				// A failure of the new order is not one of the old
				continued = false;
				return obtain(keyType, previous);
			}
			if (!chain.get(0).getPublicKey().equals(key.getPublic())) {
				throw new AcmeRefusedException("The CA has issued a certificate for another key", "Contact the CA");
			}
			List<String> missing = new AcmeCertificate("", chain.get(0)).missing(this.settings.domains());
			if (!missing.isEmpty()) {
				throw new AcmeRefusedException(
						"The CA has issued a certificate that is not for %s".formatted(String.join(", ", missing)),
						"Remove these names from '%s', or use a CA that issues certificates for them"
							.formatted(AcmeProperties.DOMAINS));
			}
		}
		catch (AcmeRefusedException | AcmeServerException | CaException ex) {
			// The next attempt begins with a new order
			if (ex instanceof AcmeRefusedException || continued && !isTemporary(ex)) {
				this.store.delete(this.store.order(type));
			}
			throw ex;
		}
		X509Certificate leaf = chain.get(0);
		Instant now = this.clock.instant();
		if (now.isBefore(leaf.getNotBefore().toInstant()) || now.isAfter(leaf.getNotAfter().toInstant())) {
			// One that is not valid yet can be used once a wrong clock is right
			if (now.isAfter(leaf.getNotAfter().toInstant())) {
				this.store.delete(this.store.order(type));
			}
			throw new AcmeRefusedException(
					"The CA has issued a certificate that is valid from %s to %s, which is not now"
						.formatted(leaf.getNotBefore().toInstant(), leaf.getNotAfter().toInstant()),
					"Correct the clock of this machine");
		}
		// Written first, so that no replica orders another one in the meantime
		int dueAtOnce = isDueAtOnce(leaf, now) ? this.store.pause(type).dueAtOnce() + 1 : 0;
		this.store.write(type, new AcmeStore.Pause(Math.min(dueAtOnce, MOST_DUE_AT_ONCE), now));
		AcmeCertificate obtained = AcmeCertificate.obtained(this.settings.ca(), this.settings.domains(),
				AcmeStore.pem(key.getPrivate(), chain), leaf, now);
		this.store.exclusively(() -> {
			this.store.write(this.store.certificate(type), obtained.pem());
			return type;
		});
		this.store.delete(this.store.order(type));
		this.store.delete(this.store.orderKey(type));
		return obtained;
	}

	private boolean isDueAtOnce(X509Certificate certificate, Instant now) {
		return RenewalTime.withoutSuggestion(certificate, now).isBefore(now.plus(this.schedule.afterOrder()));
	}

	// An outage must not cost an order
	private static boolean isTemporary(Exception ex) {
		if (ex instanceof CaException failure) {
			return !failure.isGone();
		}
		return ex instanceof AcmeServerException refused
				&& refused.getType().toString().matches(".*:(rateLimited|serverInternal)");
	}

	private @Nullable Order continued(String type) throws AcmeException, IOException {
		String location = this.store.read(this.store.order(type));
		if (location == null) {
			return null;
		}
		Login login = login();
		try {
			AcmeStore.key(String.valueOf(this.store.read(this.store.orderKey(type))));
			Order order = login.bindOrder(new URI(location).toURL());
			order.fetch();
			return (order.getStatus() != Status.INVALID) ? order : null;
		}
		catch (AcmeServerException ex) {
			if (isTemporary(ex)) {
				throw ex;
			}
			// A CA may have deleted the order
			logger.debug(
					"The order '%s' cannot be continued: %s".formatted(ForeignText.of(location), ForeignText.of(ex)));
			return null;
		}
		catch (CaException ex) {
			if (!ex.isGone()) {
				throw ex;
			}
			logger.debug(
					"The order '%s' cannot be continued: %s".formatted(ForeignText.of(location), ForeignText.of(ex)));
			return null;
		}
		catch (AcmeStoreException ex) {
			throw ex;
		}
		catch (IOException | URISyntaxException | IllegalArgumentException ex) {
			// A file is damaged
			logger.debug("The order '%s' cannot be continued".formatted(ForeignText.of(location)), ex);
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
			// The certificate is already replaced, or of another account. That must not
			// prevent a new one
			logger.debug("The CA does not let the order replace the certificate: " + ForeignText.of(ex));
			return builder(null).create();
		}
	}

	private OrderBuilder builder(@Nullable X509Certificate previous) throws AcmeException, IOException {
		OrderBuilder order = login().newOrder()
			.identifiers(this.settings.domains().stream().map(AcmeNames::identifier).toList());
		String profile = profile();
		if (profile != null) {
			order.profile(profile);
		}
		return (previous != null) ? order.replaces(previous) : order;
	}

	private @Nullable String profile() throws AcmeException {
		String profile = this.settings.properties().profile();
		Set<String> offered = this.session.getMetadata().getProfiles();
		if (!StringUtils.hasText(profile)) {
			return (offered.contains(SHORT_LIVED) && this.settings.domains().stream().anyMatch(AcmeNames::isAddress))
					? SHORT_LIVED : null;
		}
		if (!offered.contains(profile)) {
			throw new AcmeRefusedException("The CA does not offer the profile '%s'".formatted(profile),
					offered.isEmpty() ? "Remove '%s'".formatted(AcmeProperties.PROFILE)
							: "Set '%s' to one of %s, or remove it".formatted(AcmeProperties.PROFILE,
									ForeignText.message(offered.toString())));
		}
		return profile;
	}

	private void complete(Order order, KeyPair key) throws AcmeException, IOException, InterruptedException {
		if (order.getStatus() == Status.PENDING) {
			for (Authorization authorization : order.getAuthorizations()) {
				if (authorization.getStatus() == Status.PENDING) {
					this.verifier.verify(authorization);
				}
			}
			CaAnswers.await(order, Status.READY, Status.VALID);
		}
		if (order.getStatus() == Status.READY) {
			order.execute(key);
		}
		if (CaAnswers.await(order, Status.VALID) != Status.VALID) {
			throw new AcmeRefusedException(
					"The CA refuses the order: " + CaAnswers.describe(order.getError().orElse(null)),
					"Correct what the CA complains about");
		}
	}

	private List<X509Certificate> chain(Certificate certificate) throws AcmeException {
		certificate.download();
		List<X509Certificate> chain = certificate.getCertificateChain();
		String preferred = this.settings.properties().preferredChain();
		return (StringUtils.hasText(preferred) && !certificate.isIssuedBy(preferred))
				? alternate(certificate, chain, preferred) : chain;
	}

	// The certificate has been issued: it is worth more than its other chain
	private static List<X509Certificate> alternate(Certificate certificate, List<X509Certificate> chain,
			String preferred) {
		String problem = "";
		for (Certificate offered : certificate.getAlternateCertificates()) {
			try {
				List<X509Certificate> alternate = offered.getCertificateChain();
				if (offered.isIssuedBy(preferred) && alternate.get(0).equals(chain.get(0))) {
					return alternate;
				}
			}
			catch (AcmeLazyLoadingException | AcmeProtocolException ex) {
				Throwable cause = (ex.getCause() instanceof AcmeException unread) ? unread : ex;
				problem = ". One of the chains that the CA offers cannot be read: "
						+ ForeignText.message(cause.getMessage());
			}
		}
		logger.warn("The CA does not offer the chain '%s' of '%s', so its default chain is used%s".formatted(preferred,
				AcmeProperties.PREFERRED_CHAIN, problem));
		return chain;
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

	private Login login() throws AcmeException, IOException {
		if (this.login == null) {
			AccountBuilder account = new AccountBuilder().agreeToTermsOfService().useKeyPair(accountKey());
			if (StringUtils.hasText(this.settings.properties().email())) {
				account.addEmail(this.settings.properties().email());
			}
			byte[] hmacKey = null;
			AcmeProperties.ExternalAccount external = this.settings.properties().externalAccount();
			if (external != null && external.keyId() != null && external.hmacKey() != null) {
				// CAs expect HS256, whatever the length of the key, by which acme4j would
				// choose
				hmacKey = HmacKey.decode(external.hmacKey());
				account.withKeyIdentifier(external.keyId(), new SecretKeySpec(hmacKey, "HMAC"))
					.withMacAlgorithm("HS256");
			}
			try {
				this.login = account.createLogin(this.session);
			}
			catch (AcmeServerException ex) {
				AcmeRefusedException refused = refusedBinding(ex, hmacKey);
				if (refused != null) {
					throw refused;
				}
				throw ex;
			}
		}
		return this.login;
	}

	// CAs have several types for a binding that they do not accept
	private @Nullable AcmeRefusedException refusedBinding(AcmeServerException ex, byte @Nullable [] hmacKey) {
		String type = ex.getType().toString().replaceFirst(".*:", "");
		boolean isUnauthorized = type.equals("unauthorized");
		if (!type.equals("externalAccountRequired")
				&& (hmacKey == null || !isUnauthorized && !type.equals("malformed"))) {
			return null;
		}
		String properties = "'%s' and '%s'".formatted(AcmeProperties.KEY_ID, AcmeProperties.HMAC_KEY);
		if (hmacKey == null) {
			return new AcmeRefusedException(
					"The CA requires you to have an account with it: " + ForeignText.message(ex.getMessage()),
					"Set %s to what the CA gives its customers".formatted(properties));
		}
		String action = "Check that %s belong to the same account with the CA, have not been used before and have not expired"
			.formatted(properties);
		if (HmacKey.isText(hmacKey)) {
			action += ". '%s' may be encoded twice: decode it once and try again".formatted(AcmeProperties.HMAC_KEY);
		}
		if (isUnauthorized) {
			action += ". If the ACME account was deactivated, delete '%s', so that a new one is registered"
				.formatted(this.store.describe(this.store.account()));
		}
		return new AcmeRefusedException(
				"The CA does not register the ACME account: " + ForeignText.message(ex.getMessage()), action);
	}

	private KeyPair accountKey() throws IOException {
		return this.store.exclusively(this::readOrCreateAccountKey);
	}

	private KeyPair readOrCreateAccountKey() throws IOException {
		String known = this.store.read(this.store.account());
		if (known != null) {
			try {
				return AcmeStore.key(known);
			}
			catch (IOException ex) {
				throw new AcmeRefusedException(
						"'%s' does not contain the key of the account"
							.formatted(this.store.describe(this.store.account())),
						"Restore it, or delete it, so that a new account is registered");
			}
		}
		KeyPair key = AcmeKeyType.EC.createKey();
		this.store.write(this.store.account(), AcmeStore.pem(key));
		return key;
	}

}
