// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.tomcat.buffer.TlsBuffers;
import io.github.tomcatopenssl.tomcat.channel.LeanNioChannel;
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
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketProcessorBase;
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

	private boolean sharesBuffers;

	private @Nullable TlsBuffers sharedBuffers;

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

	void shareBuffers() {
		this.sharesBuffers = true;
	}

	@Override
	public void startInternal() throws Exception {
		// Those of connections that a stop has ended are lost
		this.sharedBuffers = this.sharesBuffers ? TlsBuffers.ofServer(this.socketProperties) : null;
		super.startInternal();
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
		try {
			SSLHostConfig previous = replace ? this.sslHostConfigs.get(host.getHostName()) : null;
			super.addSslHostConfig(HostReplacement.replace(previous, host), replace);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
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
		if (!isSSLEnabled()) {
			return super.createChannel(buffer);
		}
		return TlsNioChannel.create(buffer, this.sharedBuffers, this, this.negotiableProtocols,
				(this.serverNames != null) ? this.serverNames : this.handshakes);
	}

	@Override
	protected SocketProcessorBase<NioChannel> createSocketProcessor(SocketWrapperBase<NioChannel> connection,
			SocketEvent event) {
		return new SocketProcessor(connection, event) {

			@Override
			protected void doRun() {
				SocketWrapperBase<NioChannel> served = this.socketWrapper;
				SocketEvent cause = this.event;
				super.doRun();
				LeanNioChannel.giveBackBuffers(served, cause);
			}

		};
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
