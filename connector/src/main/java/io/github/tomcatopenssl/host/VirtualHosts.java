// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.KeyManagementException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.library.EngineGroups;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.tomcat.jni.SSL;
import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.openssl.OpenSSLSessionContext;
import org.jspecify.annotations.Nullable;

/**
 * The virtual hosts of a connector: the rules that all of them follow, applied in order
 * whenever the contexts of one are created (at startup, when a host is added, and at a
 * reload), and those contexts.
 */
public final class VirtualHosts {

	/**
	 * Stands for the trust managers of an SSL bundle.
	 */
	static final String BUNDLE_TRUST_MANAGERS = "SslManagerBundle";

	private static final Log logger = LogFactory.getLog(VirtualHosts.class);

	private final List<Consumer<SSLHostConfig>> rules = new ArrayList<>();

	/**
	 * The rules of a host that answers an ACME challenge, which carries no data: neither
	 * the groups that are required nor client authentication keep a CA away.
	 */
	private final List<Consumer<SSLHostConfig>> challengeRules = new ArrayList<>();

	private final boolean openSsl;

	private final TlsSettings settings;

	/**
	 * The groups of the engine, or empty if they cannot be configured.
	 */
	private final Set<KeyExchangeGroup> available;

	/**
	 * The contexts that were created here. All others are the user's.
	 */
	private final Set<SSLContext> created = Collections.newSetFromMap(new WeakHashMap<>());

	/**
	 * What the contexts were created from, by the name of the virtual host.
	 */
	private final Map<String, HostSettings> served = new ConcurrentHashMap<>();

	/**
	 * When the contexts came into use, by the name of the virtual host.
	 */
	private final Map<String, Instant> since = new ConcurrentHashMap<>();

	/**
	 * What clients are verified against, by the name of the virtual host.
	 */
	private final Map<String, ClientTrust> trusts = new ConcurrentHashMap<>();

	/**
	 * Create a new instance.
	 * @param openSsl whether OpenSSL serves, which must be loaded, rather than JSSE
	 * @param settings the settings of the connector
	 */
	public VirtualHosts(boolean openSsl, TlsSettings settings) {
		this.openSsl = openSsl;
		this.settings = settings;
		Set<KeyExchangeGroup> available = openSsl ? EngineGroups.ofOpenSsl() : EngineGroups.ofJsse();
		this.available = available;
		// X25519MLKEM768 and ML-DSA both came with OpenSSL 3.5. JSSE got only the former
		if (!openSsl || !available.contains(KeyExchangeGroup.X25519MLKEM768)) {
			this.rules.add(VirtualHosts::requireNoMlDsa);
		}
		this.rules.add((host) -> setVerification(host, settings.clientVerification().get(host.getHostName())));
		this.rules.add(this::nameTrustManagers);
		this.rules.add((host) -> requireTrustAnchors(host, openSsl));
		this.rules.add((host) -> settings.revocation().applyTo(host, hasProvidedContext(host)));
		this.rules.add((host) -> IntermediateTlsProfile.applyTo(host, available));
		this.challengeRules.add((host) -> IntermediateTlsProfile.applyTo(host, available));
		this.rules.add((host) -> ProtocolsAndCiphers.requireKnownNames(host, openSsl));
		if (!settings.groups().isEmpty()) {
			this.rules.add(new RequiredGroups(settings.groups())::applyTo);
		}
		this.rules.add(ProtocolsAndCiphers::requireKnownSuite);
		this.rules.add(ProtocolsAndCiphers::requireSuites);
		if (settings.fips()) {
			this.rules.add(FipsRequirement::applyTo);
			this.challengeRules.add(FipsRequirement::applyTo);
		}
	}

	/**
	 * Return whether OpenSSL can use the keys of a virtual host, which it needs outside
	 * of their key store.
	 * @param host the virtual host
	 * @return whether the keys can be exported
	 */
	public static boolean hasExportableKeys(SSLHostConfig host) {
		return host.getCertificates().stream().allMatch(HostKeys::isExportable);
	}

	/**
	 * Return whether a virtual host has keys of several types in one key store.
	 * @param host the virtual host
	 * @return whether Tomcat has to serve a certificate for each key (see {@link #adapt})
	 */
	public static boolean hasSeveralKeys(SSLHostConfig host) {
		return MultiKeyHost.isNeededFor(host);
	}

	/**
	 * Return whether the user has provided the context of a certificate.
	 * @param certificate the certificate
	 * @return whether its context must be left as it is
	 */
	public synchronized boolean isProvided(SSLHostConfigCertificate certificate) {
		return certificate.getSslContext() != null && !this.created.contains(certificate.getSslContext());
	}

	/**
	 * Return the settings of the connector.
	 * @return the settings
	 */
	public TlsSettings settings() {
		return this.settings;
	}

	/**
	 * Return whether a virtual host uses the session ticket key that replicas share.
	 * @param host the virtual host
	 * @return whether it does
	 */
	public boolean sharesTicketKey(SSLHostConfig host) {
		return this.settings.ticketKey() != null && TicketScope.hasTickets(host);
	}

	/**
	 * Return since when a virtual host uses its certificates, and its own session ticket
	 * keys.
	 * @param host the virtual host
	 * @return when its contexts came into use, or {@code null} if it has none
	 */
	public @Nullable Instant since(SSLHostConfig host) {
		return this.since.get(host.getHostName());
	}

	/**
	 * Return what a virtual host verifies its clients against.
	 * @param hostName the name of the virtual host
	 * @return what it trusts, or {@code null} if it does not verify clients
	 */
	public @Nullable ClientTrust clientTrust(String hostName) {
		return this.trusts.get(hostName);
	}

	/**
	 * Take over what a virtual host verifies its clients against. A connection must not
	 * count as verified by the new trust while it can still get an old context.
	 * @param host the virtual host, whose new contexts are in use
	 */
	public void updateClientTrust(SSLHostConfig host) {
		SSLContext context = host.getCertificates()
			.stream()
			.map(SSLHostConfigCertificate::getSslContext)
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
		if (verifiesClients(host) && context != null) {
			this.trusts.put(host.getHostName(), trustOf(host, context));
		}
		else {
			this.trusts.remove(host.getHostName());
		}
	}

	private ClientTrust trustOf(SSLHostConfig host, SSLContext context) {
		TrustManager[] own = trustManagers(host);
		if (own != null) {
			return ClientTrust.inVerifier(List.of(own));
		}
		boolean anchorsDecide = host.getTrustManagerClassName() == null && !hasProvidedContext(host);
		X509Certificate[] anchors = anchorsDecide ? context.getAcceptedIssuers() : null;
		if (anchors != null) {
			return ClientTrust.inAnchors(anchors);
		}
		// OpenSSL reads 'caCertificateFile' itself
		boolean anyone = anchorsDecide && host.getCertificateVerification() == CertificateVerification.OPTIONAL_NO_CA;
		return anyone ? ClientTrust.inAnyone() : ClientTrust.inVerifier(context);
	}

	/**
	 * Return whether a virtual host verifies its clients.
	 * @param host the virtual host
	 * @return whether it requires a certificate or asks for one
	 */
	public static boolean verifiesClients(SSLHostConfig host) {
		return host.getCertificateVerification() != CertificateVerification.NONE;
	}

	/**
	 * Apply the rules to a virtual host.
	 * @param host the virtual host
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	public void configure(SSLHostConfig host) {
		this.rules.forEach((rule) -> rule.accept(host));
	}

	/**
	 * Return the certificate of a virtual host that answers an ACME challenge.
	 * @param challenge has the certificate and its key, without a password
	 * @return the certificate
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	public SSLHostConfigCertificate challengeCertificate(KeyStore challenge) {
		SSLHostConfig host = new SSLHostConfig();
		SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(host,
				SSLHostConfigCertificate.Type.UNDEFINED);
		certificate.setCertificateKeystore(challenge);
		certificate.setCertificateKeystorePassword("");
		host.addCertificate(certificate);
		this.challengeRules.forEach((rule) -> rule.accept(host));
		HostKeys.nameOnlyKey(host);
		return certificate;
	}

	/**
	 * Give a virtual host the canonical form of its name.
	 * @param host the virtual host
	 * @throws TlsSettingException if no client can ask for its name
	 */
	public static void requireName(SSLHostConfig host) {
		try {
			host.setHostName(HostNames.configured(host.getHostName()));
		}
		catch (IllegalArgumentException ex) {
			throw new TlsSettingException(SettingName.SERVER_NAME,
					"there is a virtual host '%s', but no client can ask for this name".formatted(host.getHostName()),
					"Name it as clients do: " + HostNames.EXAMPLES, ex);
		}
	}

	/**
	 * Prepare a virtual host for being added to a connector.
	 * @param host the virtual host
	 * @param added whether the connector has it already, so that it is being replaced
	 * @return the host to add in its place
	 */
	public static SSLHostConfig adapt(SSLHostConfig host, boolean added) {
		if (added) {
			HostKeys.dropOutdatedAlias(host);
		}
		return MultiKeyHost.isNeededFor(host) ? new MultiKeyHost(host) : host;
	}

	/**
	 * Create the contexts of a virtual host, perform handshakes with them in memory, and
	 * put them into use. If this fails, the host keeps its old contexts. Certificates and
	 * the ticket key may be replaced at the same time.
	 * @param host the virtual host
	 * @param factory creates a context of the engine
	 * @throws TlsSettingException if a setting cannot be enforced, or no client could
	 * connect
	 */
	public void createContexts(SSLHostConfig host, ContextFactory factory) {
		SharedTicketKey ticketKey = this.settings.ticketKey();
		if (ticketKey != null) {
			ticketKey.exclusively(() -> create(host, factory));
		}
		else {
			create(host, factory);
		}
	}

	private synchronized void create(SSLHostConfig host, ContextFactory factory) {
		boolean added = !this.served.containsKey(host.getHostName());
		SharedTicketKey ticketKey = this.settings.ticketKey();
		Runnable publication = prepare(host, (ticketKey != null) ? ticketKey.get() : null, factory, true);
		HostSettings served = HostSettings.of(host);
		publication.run();
		this.served.put(host.getHostName(), served);
		if (added && this.settings.ticketKey() != null && !TicketScope.hasTickets(host)) {
			logger.info(
					"The session ticket key is not used for the virtual host '%s', because it verifies its clients and therefore resumes no session"
						.formatted(host.getHostName()));
		}
	}

	// Returns whether the keys or the CAs may have changed since handshakes were
	// performed
	private boolean isFromFiles(SSLHostConfig host) {
		HostSettings served = this.served.get(host.getHostName());
		return served == null || !served.hasAllOf(host);
	}

	/**
	 * Prepare the contexts of virtual hosts for another ticket key.
	 * @param hosts the virtual hosts
	 * @param key the key
	 * @param factory creates a context of the engine
	 * @return the action that puts the contexts into use, as long as the key
	 * {@linkplain SharedTicketKey#replace is being replaced}
	 */
	public synchronized Runnable prepare(Collection<SSLHostConfig> hosts, SessionTicketKey key,
			ContextFactory factory) {
		List<Runnable> prepared = hosts.stream().map((host) -> prepare(host, key, factory, isFromFiles(host))).toList();
		return () -> {
			synchronized (this) {
				prepared.forEach(Runnable::run);
			}
		};
	}

	// Creates the contexts of a host, and returns the action that puts them into use
	private Runnable prepare(SSLHostConfig host, @Nullable SessionTicketKey key, ContextFactory factory,
			boolean tried) {
		configure(host);
		HostKeys.nameOnlyKey(host);
		Map<SSLHostConfigCertificate, SSLContext> contexts = new LinkedHashMap<>();
		try (RevocationLists lists = this.settings.revocation().listsOf(host)) {
			lists.applyTo(host);
			byte[] ticketKey = (key != null) ? TicketScope.derive(key, host) : null;
			for (SSLHostConfigCertificate certificate : (host instanceof MultiKeyHost several)
					? several.certificatesOfKeys() : host.getCertificates(true)) {
				SSLContext context = createContext(certificate, ticketKey, factory);
				contexts.put(certificate, context);
				if (tried && this.created.contains(context)) {
					new TrialHandshake(certificate, context, this.available).require();
				}
			}
			return () -> {
				// Whoever sees the new contexts sees since when
				this.since.put(host.getHostName(), Instant.now());
				contexts.forEach(SSLHostConfigCertificate::setSslContext);
				if (host instanceof MultiKeyHost several) {
					several.serve(contexts.keySet());
				}
			};
		}
		catch (Exception ex) {
			contexts.values().stream().filter(this.created::contains).forEach(SSLContext::destroy);
			throw (ex instanceof RuntimeException failure) ? failure
					: new IllegalArgumentException("The TLS context cannot be created", ex);
		}
	}

	private SSLContext createContext(SSLHostConfigCertificate certificate, byte @Nullable [] ticketKey,
			ContextFactory factory) throws Exception {
		boolean provided = isProvided(certificate);
		SSLContext context;
		try {
			context = factory.create(certificate);
		}
		catch (KeyManagementException | SSLException ex) {
			throw this.openSsl ? OpenSslRefusal.of(certificate, this.settings.origin(), ex) : ex;
		}
		if (!provided) {
			this.created.add(context);
			if (context.getServerSessionContext() instanceof OpenSSLSessionContext sessions) {
				if (ticketKey != null) {
					sessions.setTicketKeys(ticketKey);
				}
				if (verifiesClients(certificate.getSSLHostConfig())) {
					resumeNoSession(certificate.getSSLHostConfig(), sessions);
				}
			}
		}
		return context;
	}

	// A resumed session would outlive the client's certificate, its CA, and what is known
	// about its revocation. Tomcat warns if 'disableSessionTickets' is set next to a key
	// store. Versions before 11.0.27 do not have the successor of 'setOptions'
	@SuppressWarnings("deprecation")
	private static void resumeNoSession(SSLHostConfig host, OpenSSLSessionContext sessions) {
		sessions.setSessionCacheEnabled(false);
		org.apache.tomcat.jni.SSLContext.setOptions(host.getOpenSslContext(), (int) SSL.SSL_OP_NO_TICKET);
	}

	/**
	 * Restore the settings of a virtual host that could not be replaced. It keeps its old
	 * contexts, but a new ticket key creates contexts again.
	 * @param host the virtual host
	 */
	public synchronized void restore(SSLHostConfig host) {
		HostSettings settings = this.served.get(host.getHostName());
		if (settings != null) {
			settings.applyTo(host);
		}
	}

	/**
	 * Destroy the contexts of a virtual host.
	 * @param host the virtual host
	 */
	public void destroyContexts(SSLHostConfig host) {
		for (SSLHostConfigCertificate certificate : host.getCertificates()) {
			if (certificate.getSslContext() != null && !isProvided(certificate)) {
				certificate.getSslContext().destroy();
			}
		}
	}

	private boolean hasProvidedContext(SSLHostConfig host) {
		return host.getCertificates().stream().anyMatch(this::isProvided);
	}

	private static void requireNoMlDsa(SSLHostConfig host) {
		for (SSLHostConfigCertificate certificate : host.getCertificates()) {
			if (HostKeys.isMlDsa(certificate)) {
				throw new TlsSettingException(SettingName.CERTIFICATE,
						"the virtual host '%s' has an ML-DSA key, which only OpenSSL 3.5 or later can serve"
							.formatted(host.getHostName()),
						"Serve TLS with OpenSSL 3.5 or later (see {MODE}), or remove the certificate with that key",
						null);
			}
		}
	}

	private static void setVerification(SSLHostConfig host, @Nullable CertificateVerification verification) {
		if (verification != null) {
			host.setCertificateVerification(verification.name());
		}
	}

	// Tomcat knows own trust managers by the name of a class
	private void nameTrustManagers(SSLHostConfig host) {
		boolean own = trustManagers(host) != null;
		if (own && host.getTrustManagerClassName() == null) {
			host.setTrustManagerClassName(BUNDLE_TRUST_MANAGERS);
		}
		else if (!own && BUNDLE_TRUST_MANAGERS.equals(host.getTrustManagerClassName())) {
			host.setTrustManagerClassName(null);
		}
	}

	/**
	 * Return the trust managers of a virtual host that do not come from its trust store.
	 * @param host the virtual host
	 * @return the trust managers, or {@code null} for those of the trust store, or if no
	 * client is verified
	 */
	public TrustManager @Nullable [] trustManagers(SSLHostConfig host) {
		boolean named = host.getTrustManagerClassName() == null
				|| BUNDLE_TRUST_MANAGERS.equals(host.getTrustManagerClassName());
		return (named && host.getCertificateVerification() != CertificateVerification.NONE)
				? this.settings.trustManagers().find(host.getHostName()) : null;
	}

	private static void requireTrustAnchors(SSLHostConfig host, boolean openSsl) {
		if (host.getCertificateVerification() == CertificateVerification.NONE
				|| host.getTrustManagerClassName() != null) {
			return;
		}
		boolean files = host.getCaCertificateFile() != null || host.getCaCertificatePath() != null;
		if (files && openSsl || hasTrustStore(host)) {
			return;
		}
		// JSSE would verify clients against the CAs of the JDK
		String reason = files
				? "its CAs are set with 'caCertificateFile' or 'caCertificatePath', which only OpenSSL reads"
				: "it has no CA to verify them against";
		throw new TlsSettingException(SettingName.CLIENT_AUTH,
				"the virtual host '%s' must verify clients, but %s".formatted(host.getHostName(), reason),
				"Give it a CA with {CA_CERTIFICATES} or the trust store of its SSL bundle, or remove {CLIENT_AUTH}",
				null);
	}

	private static boolean hasTrustStore(SSLHostConfig host) {
		try {
			return host.getTruststore() != null;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Creates contexts of the engine.
	 */
	@FunctionalInterface
	public interface ContextFactory {

		/**
		 * Create the context of a certificate, and set what its virtual host enables.
		 * @param certificate the certificate
		 * @return the context, which is the one that the user has provided if there is
		 * one
		 * @throws Exception if it cannot be created
		 */
		SSLContext create(SSLHostConfigCertificate certificate) throws Exception;

	}

}
