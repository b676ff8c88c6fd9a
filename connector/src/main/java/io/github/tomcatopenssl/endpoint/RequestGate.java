// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.List;
import java.util.function.Predicate;

import io.github.tomcatopenssl.internal.host.ClientVerification;
import io.github.tomcatopenssl.internal.host.HostIdentity;
import io.github.tomcatopenssl.internal.host.HostNames;
import org.apache.tomcat.util.http.MimeHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a connection serves a request. A connection is made for one virtual
 * host, which has decided how its client is verified, so that no request may reach
 * another one through it. Nothing else decides this.
 */
final class RequestGate {

	/**
	 * Maximum number of hosts in forwarding headers. No request passes through as many
	 * proxies, and each host costs time.
	 */
	private static final int MOST_FORWARDED_HOSTS = 100;

	private final Hosts hosts;

	private final boolean forwardsCertificates;

	/**
	 * Create a new instance.
	 * @param hosts the virtual hosts of the connector
	 * @param forwardsCertificates whether proxies may forward the certificates of their
	 * clients
	 */
	RequestGate(Hosts hosts, boolean forwardsCertificates) {
		this.hosts = hosts;
		this.forwardsCertificates = forwardsCertificates;
	}

	/**
	 * Return the reason why a request is refused with the status 421 (RFC 9110, 15.5.20).
	 * @param caller the connection
	 * @param last whether the client was told that the request is the last one, because
	 * its certificate is no longer valid
	 * @param requested the host of the request
	 * @param headers the headers of the request
	 * @return the reason, or {@code null} if the request is served
	 */
	@Nullable FailureReason refusal(Caller caller, boolean last, String requested, MimeHeaders headers) {
		// The forwarded certificate of a proxy is not accepted even for a last request
		if (caller.hasEnded() && (!last || caller.isProxy())) {
			return FailureReason.CLIENT_ENDED;
		}
		if (lacksCertificate(caller)) {
			return FailureReason.CERTIFICATE_MISSING;
		}
		if (!this.hosts.areChecked()) {
			return null;
		}
		if (!serves(caller, requested)) {
			return FailureReason.MISDIRECTED;
		}
		return (this.hosts.verifyClients() && !isForHost(caller, headers)) ? FailureReason.MISDIRECTED_BY_HEADER : null;
	}

	/**
	 * Return whether the client of a connection would need a certificate today: its
	 * virtual host has begun to require one since the handshake, or was removed, so that
	 * another one takes its requests.
	 * @param caller the connection
	 * @return whether it lacks a certificate
	 */
	boolean lacksCertificate(Caller caller) {
		if (!this.hosts.verifyClients() || caller.hasCertificate()) {
			return false;
		}
		HostIdentity own = this.hosts.get(caller.host());
		return own == null || own.clients().isRequired();
	}

	/**
	 * Return whether the hosts of requests are checked. If they are not, all of them are
	 * served alike.
	 * @return whether they are
	 */
	boolean checksHosts() {
		return this.hosts.areChecked();
	}

	// Most requests are for the server name, which is canonical
	private boolean serves(Caller caller, String requested) {
		String name = requested.equals(caller.serverName()) ? requested : HostNames.canonical(requested);
		HostIdentity host = this.hosts.find(name);
		Predicate<String> served = caller.servedHosts();
		return !name.isEmpty() && host != null && isSame(host, caller)
				&& (!host.clients().isRequired() || caller.hasVerifiedClient())
				&& (served == null || served.test(name));
	}

	// A certificate can be replaced by one of another host. All such hosts have the same
	// rules, and the names of the connection are those of its own certificate
	private static boolean isSame(HostIdentity host, Caller caller) {
		return host.name().equals(caller.host()) || host.comesAndGoes() && caller.comesAndGoes();
	}

	// A proxy may have received the request for any host that does not verify clients
	private boolean isForHost(Caller caller, MimeHeaders headers) {
		List<String> names = ForwardedHosts.of(headers).limit(MOST_FORWARDED_HOSTS + 1).toList();
		return names.size() <= MOST_FORWARDED_HOSTS && ForwardedHosts.keepHost(headers)
				&& names.stream().allMatch((name) -> servesForwarded(caller, HostNames.canonical(name)));
	}

	private boolean servesForwarded(Caller caller, String name) {
		HostIdentity host = this.hosts.find(name);
		return !name.isEmpty() && host != null && (!host.clients().isActive() || isSame(host, caller));
	}

	/**
	 * Return whether a connection is that of a proxy that ends TLS, so that several
	 * clients can share it.
	 * @param caller the connection
	 * @return whether it is
	 */
	boolean isOfProxy(Caller caller) {
		return this.forwardsCertificates && (caller.proxyHeader() != null || caller.isProxy());
	}

	/**
	 * Return the rules that verify the certificates that a connection may forward.
	 * @param caller the connection
	 * @return the client verification of its host, or {@code null} if the connection is
	 * not a proxy's, or if its host accepts no forwarded certificates
	 */
	@Nullable ClientVerification clientsOfProxy(Caller caller) {
		HostIdentity own = isOfProxy(caller) ? this.hosts.get(caller.host()) : null;
		return (own != null && own.clients().forwarded() != null) ? own.clients() : null;
	}

	/**
	 * The virtual hosts of a connector.
	 */
	interface Hosts {

		/**
		 * Find the virtual host of a name.
		 * @param name the canonical form of the name
		 * @return the virtual host, which is the default host for unknown names, or
		 * {@code null} if that has no certificate
		 */
		@Nullable HostIdentity find(String name);

		/**
		 * Return a virtual host by its own name.
		 * @param hostName the name of the virtual host
		 * @return the virtual host, or {@code null} if there is none
		 */
		@Nullable HostIdentity get(String hostName);

		/**
		 * Return whether any virtual host has verified clients.
		 * @return {@code true} also after a reload has turned it off
		 */
		boolean verifyClients();

		/**
		 * Return whether a request has to be for the virtual host of its connection.
		 * @return whether it has
		 */
		boolean areChecked();

	}

	/**
	 * What the handshake of a connection has found out.
	 */
	interface Caller {

		String host();

		/**
		 * Return whether that host is one of those that come and go.
		 * @return whether it is
		 */
		boolean comesAndGoes();

		/**
		 * Return the server name that the client has sent.
		 * @return its canonical form, or {@code null} if it has sent none
		 */
		@Nullable String serverName();

		/**
		 * Return the names that the connection may ask for.
		 * @return a predicate of their canonical forms, or {@code null} if all names are
		 * served
		 */
		@Nullable Predicate<String> servedHosts();

		/**
		 * Return the PROXY protocol header of a trusted proxy.
		 * @return the header, or {@code null} if the connection has none
		 */
		@Nullable ProxyHeader proxyHeader();

		/**
		 * Return whether the client has presented a certificate.
		 * @return whether it has, verified or not
		 */
		boolean hasCertificate();

		boolean hasVerifiedClient();

		boolean isProxy();

		/**
		 * Return whether the certificate of the client has expired, or a reload has taken
		 * its CA away.
		 * @return whether it is no longer valid
		 */
		boolean hasEnded();

	}

}
