// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.host.CertificateHost;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import io.github.tomcatopenssl.internal.host.ClientTrust;
import io.github.tomcatopenssl.internal.host.ClientVerification;
import io.github.tomcatopenssl.internal.host.HostIdentity;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.HostNames;
import io.github.tomcatopenssl.internal.host.HostReader;
import io.github.tomcatopenssl.internal.host.PolicyPreview;
import io.github.tomcatopenssl.internal.host.ServerChain;
import io.github.tomcatopenssl.internal.host.SessionTicketKeys;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.host.TlsHost;
import io.github.tomcatopenssl.internal.host.TlsPolicy;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.jspecify.annotations.Nullable;

/**
 * The virtual hosts of a connector. Whenever Tomcat creates the contexts of one (at
 * startup, when a host is added, and at a reload), it is read again, gets a new context,
 * and takes the place of the old one if clients can connect to it. Beside them are the
 * hosts that come and go, which Tomcat does not know, and which are served by the rules
 * of the default host.
 */
public final class VirtualHosts implements CertificateHosts.Server {

	private static final Log logger = LogFactory.getLog(VirtualHosts.class);

	/**
	 * Native memory of a context, in bytes, as measured with OpenSSL 3.5 and EC keys.
	 */
	private static final int CONTEXT_SIZE = 40 * 1024;

	/**
	 * Maximum number of contexts of hosts that come and go: strangers choose the names,
	 * so that they take an eighth of the size of the heap at most.
	 */
	private static final int MOST_CONTEXTS = (int) Math.max(500, Runtime.getRuntime().maxMemory() / 8 / CONTEXT_SIZE);

	private final TlsEngine engine;

	private final TlsSettings settings;

	private final HostReader reader;

	/**
	 * What was logged about the certificates of each host, by its name.
	 */
	private final Map<String, List<String>> warnings = new HashMap<>();

	/**
	 * How the hosts are served that come and go; {@code null} before the default host.
	 */
	private volatile @Nullable Rules rules;

	private volatile TlsHosts current = TlsHosts.none(this::findOther);

	/**
	 * Whether a host verifies its clients, or did.
	 */
	private volatile boolean verifiesClients;

	/**
	 * Create a new instance.
	 * @param engine the engine that serves
	 * @param settings the settings of the connector
	 */
	public VirtualHosts(TlsEngine engine, TlsSettings settings) {
		this.engine = engine;
		this.settings = settings;
		this.reader = new HostReader(settings, engine.capabilities());
	}

	/**
	 * Return the engine that serves.
	 * @return the engine
	 */
	public TlsEngine engine() {
		return this.engine;
	}

	/**
	 * Return the settings of the connector.
	 * @return the settings
	 */
	public TlsSettings settings() {
		return this.settings;
	}

	/**
	 * Return the virtual hosts as they are served now.
	 * @return the virtual hosts
	 */
	public TlsHosts current() {
		return this.current;
	}

	private @Nullable HostIdentity findOther(String name) {
		CertificateHost certificate = this.settings.hosts().find(name);
		return (certificate != null) ? identify(certificate) : null;
	}

	private @Nullable HostIdentity identify(CertificateHost certificate) {
		Rules rules = this.rules;
		ServedHost made = (rules != null) ? rules.contexts.get(certificate) : null;
		return (made != null || rules == null) ? made : new UnmadeHost(certificate, rules.clients);
	}

	/**
	 * Return whether the application has to be asked for a host before a client gets one.
	 * @param serverName the canonical form of the name
	 * @return whether no virtual host has the name, nor the certificate of the default
	 * host, and it is not known whether there is another one
	 */
	public boolean isQuestion(String serverName) {
		return this.settings.hosts().isQuestion(serverName) && this.current.get(serverName) == null
				&& this.current.get(HostNames.wildcardOf(serverName)) == null
				&& !this.current.hasDefaultName(serverName);
	}

	/**
	 * Return a host by its own name.
	 * @param hostName the name of the host
	 * @return the host, or {@code null} if there is none
	 */
	public @Nullable HostIdentity identify(String hostName) {
		ServedHost served = this.current.get(hostName);
		if (served != null) {
			return served;
		}
		CertificateHost certificate = this.settings.hosts().get(hostName);
		return (certificate != null) ? identify(certificate) : null;
	}

	/**
	 * Return whether any virtual host has verified its clients.
	 * @return {@code true} also after a reload has turned it off
	 */
	public boolean verifiesClients() {
		return this.verifiesClients;
	}

	/**
	 * Return the CAs that a virtual host verifies its clients against.
	 * @param hostName the name of the virtual host
	 * @return its trust settings, or {@code null} if it does not verify clients
	 */
	public @Nullable ClientTrust clientTrust(String hostName) {
		HostIdentity host = identify(hostName);
		return (host != null) ? host.clients().trust() : null;
	}

	/**
	 * Return the session ticket keys that a virtual host shares with those of replicas.
	 * @param host the virtual host
	 * @return the keys in use, or {@code null} if the host has the engine's own, or
	 * resumes no session because it verifies its clients
	 */
	public @Nullable SessionTicketKeys sharedTicketKeys(TlsHost host) {
		Supplier<SessionTicketKeys> keys = this.settings.ticketKeys();
		return (keys != null && !host.clients().isActive()) ? keys.get() : null;
	}

	/**
	 * Require that the virtual hosts can be read, and that clients can ask for one of
	 * them, before the connector is initialized.
	 * @param configs the virtual hosts
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	public void requireReadable(Collection<SSLHostConfig> configs) {
		named(() -> requireReachable(configs.stream().map((config) -> read(config, provided(config))).toList()));
	}

	// Hosts that come and go may all be gone
	private void requireReachable(Collection<TlsHost> hosts) {
		if (this.settings.serverNames() != null && !this.settings.hosts().areUsed()) {
			this.settings.serverNames().requireReachable(hosts);
		}
	}

	/**
	 * Have Tomcat itself serve a virtual host by the rules of the settings.
	 * @param config the virtual host of a connector with another protocol
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	public void adapt(SSLHostConfig config) {
		named(() -> this.reader.adapt(config));
	}

	private void named(Runnable work) {
		try {
			work.run();
		}
		catch (TlsSettingException ex) {
			throw ex.withMessage(this.settings.names());
		}
	}

	/**
	 * Read a virtual host, create its context, perform handshakes with it in memory, and
	 * put it into use. If this fails, the host keeps its old context.
	 * @param config the virtual host
	 * @param applicationProtocols the protocols to negotiate besides HTTP/1.1
	 * @param defaultName the name of the default host
	 * @throws TlsSettingException if a setting cannot be enforced, or no client could
	 * connect
	 */
	public synchronized void create(SSLHostConfig config, List<String> applicationProtocols, String defaultName) {
		named(() -> publish(config, applicationProtocols, defaultName));
	}

	private void publish(SSLHostConfig config, List<String> applicationProtocols, String defaultName) {
		SSLContext provided = provided(config);
		TlsHost host = read(config, provided);
		List<String> protocols = new ArrayList<>(applicationProtocols);
		if (!protocols.isEmpty()) {
			protocols.add("http/1.1");
		}
		Rules rules = new Rules(this.reader.readPolicy(config), host.clients(), List.copyOf(protocols));
		TlsContext context = (provided != null) ? this.engine.createContext(host, protocols, provided)
				: createContext(host, protocols, () -> sharedTicketKeys(host));
		boolean published = false;
		try {
			List<String> warnings = requireVerifiable(host);
			if (provided == null && !host.keys().isEmpty()) {
				tryOut(host, context);
			}
			ServedHost previous = this.current.get(host.name());
			if (previous != null) {
				requireReachable(Stream
					.concat(Stream.of(host),
							this.current.all().stream().filter((other) -> other != previous).map(ServedHost::host))
					.toList());
			}
			if (previous == null && this.settings.ticketKeys() != null && host.clients().isActive()) {
				logger.info(
						"The session ticket key is not used for the virtual host '%s', because it verifies its clients and therefore resumes no session"
							.formatted(host.name()));
			}
			show(config, host, context);
			this.verifiesClients |= host.clients().isActive();
			this.current = this.current.with(new ServedHost(host, context, HostNames.of(host), preview(host),
					Instant.now(), provided != null || !host.keys().isEmpty(), false), defaultName);
			published = true;
			if (config.getHostName().equals(defaultName)) {
				apply(rules);
			}
			warn(host.name(), warnings);
			if (previous != null) {
				previous.context().close();
			}
		}
		finally {
			if (!published) {
				context.close();
			}
		}
	}

	private void apply(Rules rules) {
		Rules before = this.rules;
		if (before == null) {
			this.rules = rules;
			this.settings.hosts().started(this);
		}
		else if (!rules.areSame(before)) {
			this.rules = rules;
			before.contexts.close();
		}
	}

	/**
	 * Make the context of a host that comes and goes. One that cannot be served is
	 * refused, so that it is not found any more.
	 * @param host the host
	 */
	public void make(CertificateHost host) {
		Rules rules = this.rules;
		if (rules == null) {
			return;
		}
		try {
			rules.contexts.make(host);
		}
		catch (RuntimeException ex) {
			this.settings.hosts().refuse(host, refusal(ex));
		}
		if (this.settings.hosts().get(host.name()) != host) {
			rules.contexts.close(host);
		}
	}

	@Override
	public List<String> tryOut(CertificateHost host) {
		Rules rules = this.rules;
		if (rules == null) {
			return List.of();
		}
		try {
			TlsHost read = rules.read(host);
			List<String> warnings = requireVerifiable(read);
			try (TlsContext context = createContext(read, rules.protocols, () -> null)) {
				tryOut(read, context);
			}
			return warnings;
		}
		catch (RuntimeException ex) {
			throw refusal(ex);
		}
	}

	// JSSE throws anything for keys that it cannot use
	private TlsSettingException refusal(RuntimeException ex) {
		TlsSettingException refusal = (ex instanceof TlsSettingException setting) ? setting
				: new TlsSettingException(
						SettingName.CERTIFICATE, new SettingText("%s cannot serve the certificate: %s",
								this.engine.capabilities().name(), String.valueOf(ex.getMessage())),
						new SettingText("Use another certificate"), ex);
		return refusal.withMessage(this.settings.names());
	}

	@Override
	public void forget(CertificateHost host) {
		Rules rules = this.rules;
		if (rules != null) {
			rules.contexts.close(host);
		}
	}

	private List<String> requireVerifiable(TlsHost host) {
		List<String> warnings = new ArrayList<>();
		for (HostKey key : host.keys()) {
			warnings.addAll(new ServerChain(host.name(), key, this.settings.origin()).require(host.clients()));
		}
		String clients = ServerChain.warning(host, this.settings.origin());
		if (clients != null) {
			warnings.add(clients);
		}
		List<Cipher> missing = host.policy().suitesBesides(this.engine.capabilities().suites());
		if (!missing.isEmpty()) {
			warnings.add(
					"%s, which serves TLS, does not support these cipher suites of the virtual host '%s', and leaves them out: %s"
						.formatted(this.engine.capabilities().name(), host.name(), missing));
		}
		return warnings;
	}

	// A renewed certificate usually has what its predecessor had
	private void warn(String host, List<String> warnings) {
		List<String> before = Objects.requireNonNullElse(this.warnings.put(host, warnings), List.of());
		warnings.stream().filter((warning) -> !before.contains(warning)).forEach(logger::warn);
	}

	private @Nullable PolicyPreview preview(TlsHost host) {
		SecurityPolicy policy = this.settings.policy().preview();
		if (policy == null) {
			return null;
		}
		PolicyPreview preview = new PolicyPreview(policy, host.keys());
		if (preview.violation() != null) {
			logger.info("The policy '%s' (%s) would refuse the virtual host '%s': in its chain, %s".formatted(policy,
					policy.source(), host.name(), preview.violation()));
		}
		return preview;
	}

	private TlsHost read(SSLHostConfig config, @Nullable SSLContext provided) {
		try {
			return this.reader.read(config, provided);
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new IllegalArgumentException(
					"The virtual host '%s' cannot be read: %s".formatted(config.getHostName(), ex.getMessage()), ex);
		}
	}

	private TlsContext createContext(TlsHost host, List<String> protocols,
			Supplier<@Nullable SessionTicketKeys> ticketKeys) {
		return this.engine.createContext(host, protocols, ticketKeys, this.settings.origin());
	}

	// Of several keys, a client is shown one only
	private void tryOut(TlsHost host, TlsContext context) {
		if (host.keys().size() <= 1) {
			new TrialHandshake(host, context, this.engine).require(this.settings.names());
			return;
		}
		for (HostKey key : host.keys()) {
			TlsHost single = new TlsHost(host.name(), List.of(key), host.clients(), host.policy());
			try (TlsContext trial = createContext(single, List.of(), () -> null)) {
				new TrialHandshake(single, trial, this.engine).require(this.settings.names());
			}
		}
	}

	// What Tomcat and its JMX clients show. These fields are not configured, and a
	// reload reads what the user has set
	private static void show(SSLHostConfig config, TlsHost host, TlsContext context) {
		config.setEnabledProtocols(host.policy().versionNames().toArray(String[]::new));
		config.setEnabledCiphers(context.cipherSuites().toArray(String[]::new));
		for (SSLHostConfigCertificate certificate : config.getCertificates()) {
			if (certificate.getSslContext() == null || certificate.getSslContext() instanceof ShownContext) {
				certificate.setSslContext(new ShownContext(host));
			}
		}
	}

	/**
	 * Return the context that a user provides for a virtual host.
	 * @param config the virtual host
	 * @return the context, or {@code null} if it has none
	 */
	public static @Nullable SSLContext provided(SSLHostConfig config) {
		return config.getCertificates()
			.stream()
			.map(SSLHostConfigCertificate::getSslContext)
			.filter(Objects::nonNull)
			.filter((context) -> !(context instanceof ShownContext))
			.findFirst()
			.orElse(null);
	}

	/**
	 * Create the session of a connection that answers an ACME challenge.
	 * @param challenge the key
	 * @return the session
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	public TlsSession newChallengeSession(HostKey challenge) {
		TlsHost host = this.reader.readChallenge(challenge);
		List<String> protocols = List.of(TlsAlpnChallenges.APPLICATION_PROTOCOL);
		try (TlsContext context = createContext(host, protocols, () -> null)) {
			return Objects.requireNonNull(context.newSession(protocols, List.of(), TlsSession.RefusalListener.NONE));
		}
	}

	/**
	 * Remove a virtual host. Its connections go on.
	 * @param hostName the name of the virtual host
	 */
	public synchronized void remove(String hostName) {
		ServedHost served = this.current.get(hostName);
		if (served != null) {
			this.current = this.current.without(served);
			this.warnings.remove(hostName);
			served.context().close();
		}
	}

	/**
	 * Remove all virtual hosts.
	 */
	public synchronized void removeAll() {
		TlsHosts before = this.current;
		Rules rules = this.rules;
		this.settings.hosts().stopped(this);
		this.rules = null;
		if (rules != null) {
			rules.contexts.close();
		}
		this.current = TlsHosts.none(this::findOther);
		this.warnings.clear();
		before.all().forEach((served) -> served.context().close());
	}

	/**
	 * Return the engines that serve.
	 * @return the names of the engines, normally one; empty if nothing is served
	 */
	public List<String> engines() {
		return this.current.all().stream().map((served) -> served.context().engine()).distinct().sorted().toList();
	}

	/**
	 * How the hosts are served that come and go, and the contexts that were made so.
	 */
	private final class Rules {

		private final TlsPolicy policy;

		private final ClientVerification clients;

		private final List<String> protocols;

		private final CertificateContexts contexts = new CertificateContexts(mostContexts(VirtualHosts.this.settings),
				this::serve);

		/**
		 * Create rules.
		 * @param policy what hosts negotiate, before their keys are looked at
		 * @param clients how they verify clients
		 * @param protocols the application protocols, the preferred one first
		 */
		Rules(TlsPolicy policy, ClientVerification clients, List<String> protocols) {
			this.policy = policy;
			this.clients = clients;
			this.protocols = protocols;
		}

		// A context has one more for each other key of the session tickets
		private static int mostContexts(TlsSettings settings) {
			Supplier<SessionTicketKeys> keys = settings.ticketKeys();
			return (keys != null) ? MOST_CONTEXTS / (1 + keys.get().others().size()) : MOST_CONTEXTS;
		}

		boolean areSame(Rules other) {
			return this.policy.equals(other.policy) && this.clients.equals(other.clients)
					&& this.protocols.equals(other.protocols);
		}

		TlsHost read(CertificateHost host) {
			return VirtualHosts.this.reader.read(host, this.clients, this.policy);
		}

		private ServedHost serve(CertificateHost certificate) {
			TlsHost host = read(certificate);
			SecurityPolicy policy = VirtualHosts.this.settings.policy().preview();
			PolicyPreview preview = (policy != null) ? new PolicyPreview(policy, host.keys()) : null;
			return new ServedHost(host, createContext(host, this.protocols, () -> sharedTicketKeys(host)),
					certificate.names(), preview, Instant.now(), true, true);
		}

	}

}
