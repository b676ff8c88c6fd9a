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
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.host.ClientTrust;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.HostNames;
import io.github.tomcatopenssl.internal.host.HostReader;
import io.github.tomcatopenssl.internal.host.PolicyPreview;
import io.github.tomcatopenssl.internal.host.ServerChain;
import io.github.tomcatopenssl.internal.host.SessionTicketKey;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.host.TlsHost;
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
 * and takes the place of the old one if clients can connect to it.
 */
public final class VirtualHosts {

	private static final Log logger = LogFactory.getLog(VirtualHosts.class);

	private final TlsEngine engine;

	private final TlsSettings settings;

	private final HostReader reader;

	/**
	 * What was logged about the certificates of each host, by its name.
	 */
	private final Map<String, List<String>> warnings = new HashMap<>();

	private volatile TlsHosts current = TlsHosts.NONE;

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
		ServedHost host = this.current.get(hostName);
		return (host != null) ? host.host().clients().trust() : null;
	}

	/**
	 * Return the session ticket key that a virtual host shares with those of replicas.
	 * @param host the virtual host
	 * @return the key in use, or {@code null} if the host has the engine's own, or
	 * resumes no session because it verifies its clients
	 */
	public @Nullable SessionTicketKey sharedTicketKey(TlsHost host) {
		Supplier<SessionTicketKey> key = this.settings.ticketKey();
		return (key != null && !host.clients().isActive()) ? key.get() : null;
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

	private void requireReachable(Collection<TlsHost> hosts) {
		if (this.settings.serverNames() != null) {
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
		TlsContext context = (provided != null) ? this.engine.createContext(host, protocols, provided)
				: createContext(host, protocols, () -> sharedTicketKey(host));
		boolean published = false;
		try {
			List<String> warnings = requireVerifiable(host);
			if (provided == null) {
				tryOut(host, context);
			}
			ServedHost previous = this.current.get(host.name());
			if (previous != null) {
				requireReachable(Stream
					.concat(Stream.of(host),
							this.current.all().stream().filter((other) -> other != previous).map(ServedHost::host))
					.toList());
			}
			if (previous == null && this.settings.ticketKey() != null && host.clients().isActive()) {
				logger.info(
						"The session ticket key is not used for the virtual host '%s', because it verifies its clients and therefore resumes no session"
							.formatted(host.name()));
			}
			show(config, host, context);
			this.verifiesClients |= host.clients().isActive();
			this.current = this.current
				.with(new ServedHost(host, context, HostNames.of(host), preview(host), Instant.now()), defaultName);
			published = true;
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
			Supplier<@Nullable SessionTicketKey> ticketKey) {
		return this.engine.createContext(host, protocols, ticketKey, this.settings.origin());
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
			return Objects.requireNonNull(context.newSession(protocols, TlsSession.RefusalListener.NONE));
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
		this.current = TlsHosts.NONE;
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

}
