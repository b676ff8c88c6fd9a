// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The hosts that come and go while connectors serve, by the names that clients ask for.
 * Each is added, replaced and removed alone. If several hosts have a name, the one serves
 * it whose certificate expires last. All servers have the same hosts: one that any of
 * them cannot serve is refused, so that a name never has different certificates.
 */
public final class CertificateHosts {

	private static final Log logger = LogFactory.getLog(CertificateHosts.class);

	/**
	 * Begins the own names of hosts that the application was asked for.
	 */
	private static final String SOURCE = "source/";

	/**
	 * The hosts by their own names.
	 */
	private final Map<String, CertificateHost> hosts = new ConcurrentHashMap<>();

	/**
	 * The hosts by the names and addresses that they serve.
	 */
	private final Map<String, CertificateHost> served = new ConcurrentHashMap<>();

	/**
	 * The hosts of each name that several of them have.
	 */
	private final Map<String, Set<CertificateHost>> contested = new HashMap<>();

	private final List<Server> servers = new CopyOnWriteArrayList<>();

	private final List<Source> sources = new CopyOnWriteArrayList<>();

	/**
	 * {@code null} if the application is not asked for hosts.
	 */
	private volatile @Nullable HostQuestions questions;

	/**
	 * What the first hosts come from; {@code null} if there are none and will be none.
	 */
	private volatile @Nullable SettingName setting;

	private volatile boolean haveAddresses;

	/**
	 * Find the host that serves a name.
	 * @param serverName the canonical form of a name or an address, or a wildcard
	 * @return the host that has exactly this entry, or {@code null} if there is none
	 */
	public @Nullable CertificateHost find(String serverName) {
		return this.served.get(serverName);
	}

	/**
	 * Return a host by its own name.
	 * @param name the name
	 * @return the host, or {@code null} if there is none
	 */
	public @Nullable CertificateHost get(String name) {
		return this.hosts.get(name);
	}

	/**
	 * Return all hosts.
	 * @return the hosts, in no order
	 */
	public Collection<CertificateHost> all() {
		return Collections.unmodifiableCollection(this.hosts.values());
	}

	/**
	 * Return the number of names and addresses that are served.
	 * @return the number
	 */
	public int names() {
		return this.served.size();
	}

	/**
	 * Say that there will be hosts.
	 * @param setting what they come from
	 */
	public synchronized void expect(SettingName setting) {
		if (this.setting == null) {
			this.setting = setting;
		}
	}

	/**
	 * Return what the hosts come from.
	 * @return the first of the settings: {@link SettingName#CERTIFICATE} if the
	 * application has them; {@code null} if there are no hosts
	 */
	public @Nullable SettingName setting() {
		return this.setting;
	}

	/**
	 * Return whether there are hosts, or will be, or were.
	 * @return whether connectors have to serve them
	 */
	public boolean areUsed() {
		return this.setting != null;
	}

	/**
	 * Return whether a host serves an address.
	 * @return {@code true} also after that host was removed
	 */
	public boolean haveAddresses() {
		return this.haveAddresses;
	}

	/**
	 * Return when the first certificate of all hosts expires.
	 * @return the end of its validity, or {@code null} if there is no host
	 */
	public @Nullable Instant firstExpiry() {
		return this.hosts.values().stream().map(CertificateHost::notAfter).min(Instant::compareTo).orElse(null);
	}

	/**
	 * Ask for hosts that are not there.
	 * @param source knows them
	 */
	public void ask(Source source) {
		expect(SettingName.CERTIFICATE);
		this.sources.add(0, source);
		beginToAsk();
	}

	/**
	 * Ask for hosts that are not there and that no other source knows.
	 * @param source knows them
	 */
	public void askLast(Source source) {
		this.sources.add(source);
		beginToAsk();
	}

	private void beginToAsk() {
		this.questions = new HostQuestions(this::askSources, this::remove, System::nanoTime);
	}

	/**
	 * Return whether the source has to be asked for a name before a client is refused, or
	 * gets the default host.
	 * @param serverName the canonical form of the name
	 * @return whether it is not known if there is a host of the name
	 */
	public boolean isQuestion(String serverName) {
		HostQuestions questions = this.questions;
		return questions != null && !serverName.isEmpty() && !HostNames.isAddress(serverName)
				&& questions.isOpen(serverName, serving(serverName));
	}

	private @Nullable CertificateHost serving(String serverName) {
		CertificateHost host = find(serverName);
		return (host != null) ? host : find(HostNames.wildcardOf(serverName));
	}

	/**
	 * Ask the source for a host, and add it, or remove one that is no longer there. Can
	 * block.
	 * @param serverName the canonical form of the name
	 */
	public void ask(String serverName) {
		Objects.requireNonNull(this.questions).ask(serverName);
	}

	// A host of the source keeps the name that it was first asked for. Hosts that the
	// source has not given are not removed
	private @Nullable String askSources(String serverName) {
		CertificateHost before = serving(serverName);
		CertificateHost own = (before != null && Objects.requireNonNull(this.questions).gave(before)) ? before : null;
		String name = (own != null) ? own.name() : SOURCE + serverName;
		CertificateHost host = null;
		for (Source source : this.sources) {
			host = (host != null) ? host : source.find(name.substring(SOURCE.length()), name);
		}
		if (host == null) {
			if (own != null) {
				remove(own);
			}
			return null;
		}
		if (own != null && own.hasSameContent(host)) {
			return name;
		}
		Set<String> warnings = requireServable(host);
		CertificateHost same;
		synchronized (this) {
			same = (own != null) ? null : sameOfSource(serverName, host);
			if (same == null) {
				warnings.addAll(add(host));
			}
		}
		warnings.forEach(logger::warn);
		return (same != null) ? same.name() : name;
	}

	// Another name of the certificate has been asked for at the same time
	private @Nullable CertificateHost sameOfSource(String serverName, CertificateHost host) {
		CertificateHost other = serving(serverName);
		return (other != null && other.name().startsWith(SOURCE) && other.hasSameKeys(host)) ? other : null;
	}

	/**
	 * Return whether a host serves a name.
	 * @param serverName the canonical form of the name
	 * @return whether one does, itself or with a wildcard
	 */
	public boolean areServing(String serverName) {
		return serving(serverName) != null;
	}

	/**
	 * Add or replace a host. All servers try it before.
	 * @param host the host
	 * @return what some of its clients refuse, and which of its names other hosts have
	 * too, as sentences with a remedy
	 * @throws TlsSettingException if a server cannot serve it. The host that it would
	 * have replaced stays
	 */
	public List<String> put(CertificateHost host) {
		Set<String> warnings = requireServable(host);
		warnings.addAll(add(host));
		return List.copyOf(warnings);
	}

	private Set<String> requireServable(CertificateHost host) {
		Set<String> warnings = new LinkedHashSet<>();
		this.servers.forEach((server) -> warnings.addAll(server.tryOut(host)));
		return warnings;
	}

	/**
	 * Add or replace a host that is tried later.
	 * @param host the host
	 * @return which of its names other hosts have too, as sentences with a remedy
	 */
	public synchronized List<String> add(CertificateHost host) {
		List<String> warnings = new ArrayList<>();
		expect(SettingName.CERTIFICATE);
		CertificateHost previous = this.hosts.put(host.name(), host);
		if (previous == host) {
			return warnings;
		}
		for (String name : host.serverNames()) {
			CertificateHost other = this.served.get(name);
			if (other == null || other == previous && !this.contested.containsKey(name)) {
				this.served.put(name, host);
			}
			else {
				Set<CertificateHost> claims = this.contested.computeIfAbsent(name,
						(any) -> new HashSet<>(Set.of(other)));
				claims.remove(previous);
				claims.add(host);
				choose(name, claims);
				if (other != previous && other != host) {
					warnings.add(
							"'%s' and '%s' are both for '%s', which '%s' serves: of several certificates for a name, the one that expires last does. Remove the others"
								.formatted(other.name(), host.name(), name,
										Objects.requireNonNull(this.served.get(name)).name()));
				}
			}
			this.haveAddresses |= HostNames.isAddress(name);
		}
		if (previous != null) {
			forget(previous, Set.copyOf(host.serverNames()));
		}
		return warnings;
	}

	/**
	 * Remove a host. Its connections end as after a reload that removes a host.
	 * @param name its own name
	 * @return whether there was such a host
	 */
	public synchronized boolean remove(String name) {
		CertificateHost removed = this.hosts.remove(name);
		if (removed == null) {
			return false;
		}
		forget(removed, Set.of());
		return true;
	}

	/**
	 * Remove a host because a server cannot serve it. Other servers forget it too.
	 * @param host the host
	 * @param problem the reason
	 */
	public void refuse(CertificateHost host, TlsSettingException problem) {
		if (remove(host)) {
			host.refused(problem);
		}
	}

	/**
	 * Remove a host, unless another one has taken its place.
	 * @param host the host
	 * @return whether it was there
	 */
	public synchronized boolean remove(CertificateHost host) {
		return this.hosts.get(host.name()) == host && remove(host.name());
	}

	private void forget(CertificateHost host, Set<String> kept) {
		for (String name : host.serverNames()) {
			Set<CertificateHost> claims = this.contested.get(name);
			if (claims != null) {
				claims.remove(host);
				choose(name, claims);
			}
			else if (!kept.contains(name)) {
				this.served.remove(name, host);
			}
		}
		this.servers.forEach((server) -> server.forget(host));
	}

	private void choose(String name, Set<CertificateHost> claims) {
		CertificateHost chosen = null;
		for (CertificateHost host : claims) {
			chosen = host.precedes(chosen) ? host : chosen;
		}
		if (chosen != null) {
			this.served.put(name, chosen);
		}
		else {
			this.served.remove(name);
		}
		if (claims.size() <= 1) {
			this.contested.remove(name);
		}
	}

	/**
	 * Have a server try the hosts and forget those that are gone, until it stops.
	 * @param server the server
	 */
	public void started(Server server) {
		this.servers.add(server);
	}

	/**
	 * Leave a server alone.
	 * @param server the server
	 */
	public void stopped(Server server) {
		this.servers.remove(server);
	}

	/**
	 * Return whether any server serves the hosts.
	 * @return whether one has started
	 */
	public boolean areServed() {
		return !this.servers.isEmpty();
	}

	/**
	 * Have all servers try a host that was added without.
	 * @param host the host, which is removed if it is refused
	 * @return what some of its clients refuse
	 */
	public List<String> tryOut(CertificateHost host) {
		Set<String> warnings = new LinkedHashSet<>();
		for (Server server : this.servers) {
			try {
				warnings.addAll(server.tryOut(host));
			}
			catch (TlsSettingException ex) {
				refuse(host, ex);
			}
		}
		return List.copyOf(warnings);
	}

	/**
	 * Knows hosts that nobody has added.
	 */
	@FunctionalInterface
	public interface Source {

		/**
		 * Find the host of a name.
		 * @param serverName the canonical form of the name, which a stranger has chosen
		 * @param name the host's own name
		 * @return the host, or {@code null} if there is none
		 */
		@Nullable CertificateHost find(String serverName, String name);

	}

	/**
	 * A connector that serves the hosts.
	 */
	public interface Server {

		/**
		 * Perform handshakes with a host in memory.
		 * @param host the host
		 * @return what some of its clients refuse, as sentences with a remedy
		 * @throws TlsSettingException if it cannot be served
		 */
		List<String> tryOut(CertificateHost host);

		/**
		 * Give back what was made for a host.
		 * @param host the host, which is gone
		 */
		void forget(CertificateHost host);

	}

}
