// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.time.Duration;
import java.util.List;

import io.github.tomcatopenssl.tomcat.handshake.Handshakes;
import io.github.tomcatopenssl.tomcat.sni.MisdirectedRequestAdapter;
import io.github.tomcatopenssl.tomcat.ticket.SessionTicketKey;
import io.github.tomcatopenssl.tomcat.ticket.SessionTicketKeys;
import org.apache.coyote.Adapter;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's default protocol with this project's endpoint, which withstands hostile
 * clients and applies secure defaults. The connector of {@code server.port} uses it. A
 * connector that an application adds gets OpenSSL only with this protocol.
 */
public class TlsHttp11NioProtocol extends Http11NioProtocol {

	/**
	 * Default time limit for a handshake.
	 */
	public static final Duration DEFAULT_HANDSHAKE_TIMEOUT = Duration.ofSeconds(10);

	private final OpenSslCounters counters = new OpenSslCounters();

	private final SessionTicketKeys.User replaceTicketKeys = this::prepareTicketKeys;

	private @Nullable SessionExpiry sessionExpiry;

	/**
	 * Create a new instance. Tomcat does this by the name of the class.
	 */
	public TlsHttp11NioProtocol() {
		super(new TlsNioEndpoint());
	}

	/**
	 * Return whether this version of Tomcat has all that the protocol depends on.
	 * @return whether it has; if not, use Tomcat's own protocol with JSSE
	 */
	public static boolean isSupported() {
		return TomcatMembers.missing() == null;
	}

	void configure(VirtualHosts virtualHosts, TlsSettings settings) {
		((TlsNioEndpoint) getEndpoint()).configure(virtualHosts, settings);
	}

	@Override
	public void setAdapter(Adapter adapter) {
		boolean rejects = ((TlsNioEndpoint) getEndpoint()).rejectsUnknownNames();
		super.setAdapter(rejects ? new MisdirectedRequestAdapter(adapter) : adapter);
	}

	@Override
	public void init() throws Exception {
		if (isSSLEnabled()) {
			((TlsNioEndpoint) getEndpoint()).configureVirtualHosts();
		}
		super.init();
	}

	/**
	 * Return the counters of OpenSSL.
	 * @return the counts since this protocol was created, which stay 0 if another engine
	 * serves
	 */
	public OpenSslCounters.Counts counts() {
		return this.counters.read(findSslHostConfigs());
	}

	/**
	 * Return what is known about the handshakes.
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
			this.sessionExpiry = new SessionExpiry(this);
		}
	}

	@Override
	public void stop() throws Exception {
		SessionTicketKeys ticketKeys = ((TlsNioEndpoint) getEndpoint()).ticketKeys();
		if (ticketKeys != null) {
			ticketKeys.removeUser(this.replaceTicketKeys);
		}
		if (this.sessionExpiry != null) {
			this.sessionExpiry.end();
		}
		this.counters.close(findSslHostConfigs());
		super.stop();
	}

	private Runnable prepareTicketKeys(List<SessionTicketKey> keys) {
		Runnable publication = ((TlsNioEndpoint) getEndpoint()).prepare(keys);
		return () -> {
			// Read the counters before contexts are replaced
			counts();
			publication.run();
		};
	}

	@Override
	public void reloadSslHostConfigs() {
		// Read the counters before contexts are replaced
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
		// Read the counters before contexts are replaced
		counts();
		super.addSslHostConfig(sslHostConfig, replace);
	}

}
