// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.tomcatopenssl.TlsAlpnChallenges;
import io.github.tomcatopenssl.TlsSetting;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.tomcat.MultiKeyHost.ContextFactory;
import io.github.tomcatopenssl.tomcat.channel.TlsBuffers;
import io.github.tomcatopenssl.tomcat.channel.TlsConnection;
import io.github.tomcatopenssl.tomcat.channel.TlsNioChannel;
import io.github.tomcatopenssl.tomcat.handshake.FailureReport;
import io.github.tomcatopenssl.tomcat.handshake.Handshakes;
import io.github.tomcatopenssl.tomcat.sni.ServerNames;
import io.github.tomcatopenssl.tomcat.ticket.SessionTicketKey;
import io.github.tomcatopenssl.tomcat.ticket.SessionTicketKeys;
import io.github.tomcatopenssl.tomcat.ticket.TicketKeyContext;
import org.apache.catalina.util.ServerInfo;
import org.apache.tomcat.util.collections.SynchronizedStack;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLUtil;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketProcessorBase;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's default endpoint with this project's channel ({@link TlsNioChannel}) and
 * virtual hosts. The settings of a virtual host are applied whenever Tomcat creates its
 * context, and a reloaded virtual host still counts as the same host.
 */
class TlsNioEndpoint extends NioEndpoint {

	private @Nullable VirtualHosts virtualHosts;

	private final Handshakes handshakes = new Handshakes(this::getSSLHostConfig,
			new FailureReport(this::getLocalPort, this::getUtilityExecutor));

	/**
	 * Set if unknown server names are rejected.
	 */
	private @Nullable ServerNames serverNames;

	/**
	 * Number of connections whose channel is not released, so that its engine may still
	 * be at work.
	 */
	private final AtomicInteger unreleased = new AtomicInteger();

	/**
	 * What the contexts were created from, by the name of the virtual host.
	 */
	private final Map<String, HostSettings> served = new ConcurrentHashMap<>();

	private TlsAlpnChallenges challenges = TlsAlpnChallenges.NONE;

	private int changes;

	private volatile @Nullable TlsBuffers buffers;

	private long handshakeTimeout = TlsHttp11NioProtocol.DEFAULT_HANDSHAKE_TIMEOUT.toMillis();

	void configure(VirtualHosts virtualHosts, TlsSettings settings) {
		this.virtualHosts = virtualHosts;
		this.challenges = settings.challenges();
		if (settings.serverNames() != null) {
			this.serverNames = new ServerNames(settings.serverNames(), this::getSSLHostConfig, this.handshakes);
		}
		if (settings.handshakeTimeout() != null) {
			this.handshakeTimeout = settings.handshakeTimeout().toMillis();
		}
	}

	@Override
	public void startInternal() throws Exception {
		this.buffers = new TlsBuffers(this.socketProperties);
		super.startInternal();
	}

	@Override
	public void stopInternal() {
		super.stopInternal();
		this.buffers = null;
	}

	Handshakes handshakes() {
		return this.handshakes;
	}

	boolean rejectsUnknownNames() {
		return this.serverNames != null;
	}

	// Called at startup, where a failure ends the start with its reason
	void configureVirtualHosts() {
		this.sslHostConfigs.values().forEach(virtualHosts()::configure);
	}

	private VirtualHosts virtualHosts() {
		if (this.virtualHosts == null) {
			throw new TlsSettingException(TlsSetting.CERTIFICATE,
					"the connector '%s' did not receive its TLS settings".formatted(getName()),
					"Add to the context customizers of the web server factory instead of replacing them", null);
		}
		return this.virtualHosts;
	}

	@Override
	public void addSslHostConfig(SSLHostConfig host, boolean replace) {
		SSLHostConfig previous = replace ? this.sslHostConfigs.get(host.getHostName()) : null;
		boolean added = false;
		try {
			if (previous == host) {
				HostKeys.dropOutdatedAlias(host);
			}
			super.addSslHostConfig(MultiKeyHost.isNeededFor(host) ? new MultiKeyHost(host) : host, replace);
			added = true;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			if (!added && previous != null) {
				restore(previous);
			}
		}
	}

	// A host that could not be replaced keeps its old contexts and gets back the
	// settings they were created from: contexts are created again from time to time
	private void restore(SSLHostConfig host) {
		HostSettings settings = this.served.get(host.getHostName());
		try {
			if (settings != null) {
				settings.applyTo(host);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	// Certificates and ticket keys may be replaced at the same time
	@Override
	protected synchronized void createSSLContext(SSLHostConfig host) {
		SessionTicketKeys ticketKeys = ticketKeys();
		prepare(host, (ticketKeys != null) ? ticketKeys.keys() : List.of()).run();
		this.changes++;
		try {
			HostSettings before = this.served.put(host.getHostName(), HostSettings.of(host));
			if (ticketKeys != null && before == null) {
				TicketKeyContext.report(host);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		if (this.serverNames != null) {
			this.serverNames.load(host);
		}
	}

	/**
	 * Prepare the contexts of all virtual hosts for other ticket keys.
	 * @param keys the keys
	 * @return the action that puts the contexts into use, and first creates them again if
	 * a certificate was replaced in the meantime
	 */
	synchronized Runnable prepare(List<SessionTicketKey> keys) {
		List<SSLHostConfig> hosts = List.copyOf(this.sslHostConfigs.values());
		List<Runnable> prepared = hosts.stream().map((host) -> prepare(host, keys)).toList();
		int changes = this.changes;
		return () -> {
			synchronized (this) {
				((this.changes == changes) ? prepared
						: this.sslHostConfigs.values().stream().map((host) -> prepare(host, keys)).toList())
					.forEach(Runnable::run);
			}
		};
	}

	// Creates the contexts of a host, and returns the action that puts them into use
	private Runnable prepare(SSLHostConfig host, List<SessionTicketKey> keys) {
		virtualHosts().configure(host);
		try (RevocationLists lists = virtualHosts().revocation().listsOf(host)) {
			lists.applyTo(host);
			ContextFactory factory = (certificate) -> TicketKeyContext.create(host, keys,
					() -> createContext(certificate));
			if (host instanceof MultiKeyHost several) {
				return several.prepare(factory);
			}
			HostKeys.nameOnlyKey(host);
			SSLHostConfigCertificate certificate = host.getCertificates(true).iterator().next();
			if (keys.isEmpty() || !TicketKeyContext.isReplaceable(certificate)) {
				super.createSSLContext(host);
				return () -> {
				};
			}
			SSLContext context = factory.create(certificate);
			return () -> certificate.setSslContext(context);
		}
		catch (RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new IllegalArgumentException("The TLS context cannot be created", ex);
		}
	}

	// A new context overwrites the enabled protocols of its host with those that
	// OpenSSL reports, without TLS 1.3. If they were not set again, the next context
	// would not have TLS 1.3
	private SSLContext createContext(SSLHostConfigCertificate certificate) throws Exception {
		SSLUtil util = getSslImplementation().getSSLUtil(certificate);
		certificate.getSSLHostConfig().setEnabledProtocols(util.getEnabledProtocols());
		certificate.getSSLHostConfig().setEnabledCiphers(util.getEnabledCiphers());
		return util.createSSLContext(this.negotiableProtocols);
	}

	boolean checksRevocation() {
		return this.virtualHosts != null && !this.virtualHosts.revocation().isEmpty();
	}

	@Nullable SessionTicketKeys ticketKeys() {
		return (this.virtualHosts != null) ? this.virtualHosts.ticketKeys() : null;
	}

	// A handshake may wait for an OCSP responder longer than a stop waits for the
	// handshake. It does so in native code, which would crash if its context were
	// destroyed. The garbage collector destroys the remaining contexts once no engine
	// uses them
	@Override
	protected void releaseSSLContext(SSLHostConfig host) {
		if (this.unreleased.get() > 0) {
			return;
		}
		super.releaseSSLContext(host);
		TicketKeyContext.destroy(host);
		if (host instanceof MultiKeyHost several) {
			several.release();
		}
	}

	// Tomcat looks up the two hosts one after the other and compares the results. If a
	// reload replaces the host in between, they differ, and the request would fail with
	// status 400. If unknown names are rejected, the status is 421
	@Override
	public boolean checkSni(@Nullable String sniHostName, @Nullable String protocolHostName) {
		return this.serverNames != null || super.checkSni(sniHostName, protocolHostName)
				|| super.checkSni(sniHostName, protocolHostName);
	}

	/**
	 * Do the same as Tomcat's endpoint, but with a {@link TlsConnection}.
	 */
	@Override
	protected boolean setSocketOptions(SocketChannel socket) {
		TlsBuffers buffers = this.buffers;
		if (!isSSLEnabled()) {
			return super.setSocketOptions(socket);
		}
		if (buffers == null) {
			// The endpoint is stopping
			destroySocket(socket);
			return false;
		}
		TlsConnection connection = null;
		try {
			TlsNioChannel channel = TlsNioChannel.create(buffers, this, this.negotiableProtocols,
					(this.serverNames != null) ? this.serverNames : this.handshakes, this.challenges);
			connection = new TlsConnection(channel, this, this.unreleased);
			channel.reset(socket, connection);
			this.connections.put(socket, connection);
			socket.configureBlocking(false);
			if (getUnixDomainSocketPath() == null) {
				this.socketProperties.setProperties(socket.socket());
			}
			long timeout = getConnectionTimeout();
			connection.setReadTimeout(timeout);
			connection.setWriteTimeout(timeout);
			connection.setKeepAliveLeft(getMaxKeepAliveRequests());
			channel.limitHandshake((timeout > 0) ? Math.min(timeout, this.handshakeTimeout) : this.handshakeTimeout);
			getPoller().register(connection);
			return true;
		}
		catch (Exception | OutOfMemoryError ex) {
			getLog().error("A connection on port %d could not be served".formatted(getLocalPort()), ex);
			if (connection != null) {
				connection.close();
			}
			else {
				destroySocket(socket);
			}
			return false;
		}
	}

	// Channels are never reused
	@Override
	protected @Nullable SynchronizedStack<NioChannel> getNioChannels() {
		return isSSLEnabled() ? null : super.getNioChannels();
	}

	@Override
	protected SocketProcessorBase<NioChannel> createSocketProcessor(SocketWrapperBase<NioChannel> connection,
			SocketEvent event) {
		return new SocketProcessor(connection, event) {

			@Override
			protected void doRun() {
				if (this.socketWrapper instanceof TlsConnection accepted) {
					accepted.serve(super::doRun);
				}
				else if (isSSLEnabled()) {
					getLog().error(
							"A connection that does not use this endpoint's channel is closed: Tomcat %s is not supported"
								.formatted(ServerInfo.getServerNumber()));
					this.socketWrapper.close();
				}
				else {
					super.doRun();
				}
			}

		};
	}

}
