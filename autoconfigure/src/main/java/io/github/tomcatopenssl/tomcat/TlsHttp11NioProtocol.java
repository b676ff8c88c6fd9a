// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.time.Duration;

import io.github.tomcatopenssl.tomcat.handshake.Handshakes;
import io.github.tomcatopenssl.tomcat.sni.MisdirectedRequestAdapter;
import io.github.tomcatopenssl.tomcat.sni.ServerNameRules;
import io.github.tomcatopenssl.tomcat.sni.ServerNames;
import io.github.tomcatopenssl.tomcat.ticket.SessionTicketKeys;
import org.apache.coyote.Adapter;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SocketProperties;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's default protocol with an endpoint of ours, which withstands hostile clients
 * and applies secure defaults. The connector of {@code server.port} has it; a connector
 * that an application adds gets OpenSSL with this protocol only.
 */
public class TlsHttp11NioProtocol extends Http11NioProtocol {

	/**
	 * How long a client may take for its handshake by default.
	 */
	public static final Duration DEFAULT_HANDSHAKE_TIMEOUT = Duration.ofSeconds(10);

	// These two as in Tomcat's SocketProperties.getActualBufferPool
	private static final int UNSET = -2;

	private static final int HEAP_TO_BUFFER_POOL = 32;

	private final OpenSslCounters counters = new OpenSslCounters();

	private final Runnable replaceTicketKeys = this::reloadSslHostConfigs;

	private @Nullable ForgottenSessions forgottenSessions;

	/**
	 * Create a new instance, as Tomcat does by the name of the class.
	 */
	public TlsHttp11NioProtocol() {
		super(new TlsNioEndpoint());
	}

	void configure(VirtualHosts virtualHosts, @Nullable ServerNameRules serverNames,
			@Nullable Duration handshakeTimeout) {
		((TlsNioEndpoint) getEndpoint()).configure(virtualHosts, serverNames, handshakeTimeout);
	}

	@Override
	public void setAdapter(Adapter adapter) {
		ServerNames names = ((TlsNioEndpoint) getEndpoint()).serverNames();
		super.setAdapter((names != null) ? new MisdirectedRequestAdapter(adapter, names) : adapter);
	}

	@Override
	public void init() throws Exception {
		if (isSSLEnabled()) {
			((TlsNioEndpoint) getEndpoint()).configureVirtualHosts();
		}
		super.init();
	}

	/**
	 * Apply the settings that cost the least with OpenSSL ({@code benchmark/DECISIONS.md}
	 * has the measurements), where the user has set nothing. Tomcat keeps the buffers of
	 * closed connections for new ones in a 32nd of the heap, but only of a heap above 2
	 * GiB; here it does so for any.
	 * @param sharedBuffers whether connections share their buffers
	 */
	void useOpenSslDefaults(boolean sharedBuffers) {
		if (sharedBuffers) {
			((TlsNioEndpoint) getEndpoint()).shareBuffers();
		}
		SocketProperties socket = getEndpoint().getSocketProperties();
		if (socket.getBufferPool() == UNSET && socket.getBufferPoolSize() == UNSET) {
			long size = Runtime.getRuntime().maxMemory() / HEAP_TO_BUFFER_POOL;
			socket.setBufferPoolSize((int) Math.min(size, Integer.MAX_VALUE));
		}
	}

	/**
	 * Return what OpenSSL counts.
	 * @return what was counted since this protocol was made, nothing where another engine
	 * serves
	 */
	public OpenSslCounters.Counts counts() {
		return this.counters.read(findSslHostConfigs());
	}

	/**
	 * Return what is known of the handshakes.
	 * @return the handshakes
	 */
	public Handshakes handshakes() {
		return ((TlsNioEndpoint) getEndpoint()).handshakes();
	}

	@Override
	public void start() throws Exception {
		super.start();
		this.counters.open();
		SessionTicketKeys ticketKeys = ((TlsNioEndpoint) getEndpoint()).ticketKeys();
		if (ticketKeys != null) {
			ticketKeys.addUser(this.replaceTicketKeys);
		}
		if (((TlsNioEndpoint) getEndpoint()).checksRevocation()) {
			this.forgottenSessions = new ForgottenSessions(this);
		}
	}

	@Override
	public void stop() throws Exception {
		SessionTicketKeys ticketKeys = ((TlsNioEndpoint) getEndpoint()).ticketKeys();
		if (ticketKeys != null) {
			ticketKeys.removeUser(this.replaceTicketKeys);
		}
		if (this.forgottenSessions != null) {
			this.forgottenSessions.end();
		}
		this.counters.close(findSslHostConfigs());
		super.stop();
	}

	@Override
	public void reloadSslHostConfigs() {
		// Before contexts are replaced
		counts();
		super.reloadSslHostConfigs();
	}

	@Override
	public void reloadSslHostConfig(String hostName) {
		counts();
		super.reloadSslHostConfig(hostName);
	}

	@Override
	public void addSslHostConfig(SSLHostConfig sslHostConfig, boolean replace) {
		// Before contexts are replaced
		counts();
		super.addSslHostConfig(sslHostConfig, replace);
	}

}
