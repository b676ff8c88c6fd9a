// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.tomcat.channel.HandshakeObserver;
import io.github.tomcatopenssl.tomcat.channel.TlsNioChannel;
import io.github.tomcatopenssl.tomcat.handshake.FailureReport;
import io.github.tomcatopenssl.tomcat.handshake.Handshakes;
import io.github.tomcatopenssl.tomcat.sni.ServerNameRules;
import io.github.tomcatopenssl.tomcat.sni.ServerNames;
import io.github.tomcatopenssl.tomcat.ticket.SessionTicketKeys;
import io.github.tomcatopenssl.tomcat.ticket.TicketKeyContext;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's default endpoint with our channel ({@link TlsNioChannel}) and virtual hosts:
 * their settings are applied whenever Tomcat makes the context of one, and a virtual host
 * that is reloaded goes on as the same one.
 */
class TlsNioEndpoint extends NioEndpoint {

	private @Nullable VirtualHosts virtualHosts;

	private final Handshakes handshakes = new Handshakes(this::getSSLHostConfig,
			new FailureReport(this::getLocalPort, this::getUtilityExecutor));

	/**
	 * Where unknown names are rejected.
	 */
	private @Nullable ServerNames serverNames;

	private long handshakeTimeout = TlsHttp11NioProtocol.DEFAULT_HANDSHAKE_TIMEOUT.toMillis();

	void configure(VirtualHosts virtualHosts, @Nullable ServerNameRules serverNames,
			@Nullable Duration handshakeTimeout) {
		this.virtualHosts = virtualHosts;
		if (serverNames != null) {
			this.serverNames = new ServerNames(serverNames, this::getSSLHostConfig, this.handshakes);
		}
		if (handshakeTimeout != null) {
			this.handshakeTimeout = handshakeTimeout.toMillis();
		}
	}

	Handshakes handshakes() {
		return this.handshakes;
	}

	@Nullable ServerNames serverNames() {
		return this.serverNames;
	}

	// At the start, where a failure ends it with its reason
	void configureVirtualHosts() {
		this.sslHostConfigs.values().forEach(virtualHosts()::configure);
		if (ticketKeys() != null) {
			this.sslHostConfigs.values().forEach(TicketKeyContext::report);
		}
	}

	private VirtualHosts virtualHosts() {
		if (this.virtualHosts == null) {
			throw new CertificateFileException("server.ssl", null,
					"the connector '%s' was not given the TLS settings".formatted(getName()),
					"Remove what replaces the context customizers of the web server factory; add to them instead",
					null);
		}
		return this.virtualHosts;
	}

	@Override
	public void addSslHostConfig(SSLHostConfig host, boolean replace) {
		SSLHostConfig added = host;
		SSLHostConfigCertificate certificate = HostReplacement.ofBundle(host);
		if (certificate != null) {
			SSLHostConfig previous = replace ? this.sslHostConfigs.get(host.getHostName()) : null;
			try {
				if (previous == host) {
					HostReplacement.dropOutdatedAlias(certificate);
				}
				else if (previous != null) {
					HostReplacement.move(host, previous);
					added = previous;
				}
				else if (MultiKeyHost.isNeededFor(host)) {
					added = new MultiKeyHost(host);
				}
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		super.addSslHostConfig(added, replace);
	}

	// Replaced certificates and replaced ticket keys may come at the same time
	@Override
	protected synchronized void createSSLContext(SSLHostConfig host) {
		createContexts(host);
		if (this.serverNames != null) {
			this.serverNames.load(host);
		}
	}

	private void createContexts(SSLHostConfig host) {
		virtualHosts().configure(host);
		SessionTicketKeys ticketKeys = ticketKeys();
		TicketKeyContext.remove(host);
		try {
			if (host instanceof MultiKeyHost several) {
				several.load(getSslImplementation(), this.negotiableProtocols);
			}
			else {
				HostKeys.nameOnlyKey(host);
				super.createSSLContext(host);
			}
			if (ticketKeys != null) {
				TicketKeyContext.apply(host, ticketKeys.keys(), (certificate) -> MultiKeyHost
					.createSslContext(certificate, getSslImplementation(), this.negotiableProtocols));
			}
		}
		catch (RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new IllegalArgumentException("The keys cannot be used", ex);
		}
	}

	boolean checksRevocation() {
		return this.virtualHosts != null && !this.virtualHosts.revocation().isEmpty();
	}

	@Nullable SessionTicketKeys ticketKeys() {
		return (this.virtualHosts != null) ? this.virtualHosts.ticketKeys() : null;
	}

	@Override
	protected void releaseSSLContext(SSLHostConfig host) {
		TicketKeyContext.remove(host).forEach(SSLContext::destroy);
		super.releaseSSLContext(host);
		if (host instanceof MultiKeyHost several) {
			several.release();
		}
	}

	// Tomcat looks the two up one after the other and compares what it has found: a host
	// that is added in between, at a reload, is not the same as itself, and the request
	// would fail with status 400. Where unknown names are rejected, the status is 421
	@Override
	public boolean checkSni(@Nullable String sniHostName, @Nullable String protocolHostName) {
		return this.serverNames != null || super.checkSni(sniHostName, protocolHostName)
				|| super.checkSni(sniHostName, protocolHostName);
	}

	@Override
	protected NioChannel createChannel(SocketBufferHandler buffer) {
		HandshakeObserver observer = (this.serverNames != null) ? this.serverNames : this.handshakes;
		return isSSLEnabled() ? TlsNioChannel.create(buffer, this, this.negotiableProtocols, observer)
				: super.createChannel(buffer);
	}

	@Override
	protected boolean setSocketOptions(SocketChannel socket) {
		boolean accepted = super.setSocketOptions(socket);
		SocketWrapperBase<NioChannel> connection = this.connections.get(socket);
		if (connection != null && connection.getSocket() instanceof TlsNioChannel channel) {
			long other = getConnectionTimeout();
			channel.limitHandshake((other > 0) ? Math.min(other, this.handshakeTimeout) : this.handshakeTimeout);
		}
		return accepted;
	}

}
