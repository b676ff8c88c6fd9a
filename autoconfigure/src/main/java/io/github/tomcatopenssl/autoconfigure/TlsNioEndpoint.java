/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.apache.tomcat.util.net.openssl.OpenSSLImplementation;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's default endpoint with our channels ({@link TlsNioChannel},
 * {@link OpenSslNioChannel}) and virtual hosts: their settings are applied whenever
 * Tomcat makes the context of one, and a virtual host that is reloaded goes on as the
 * same one.
 */
class TlsNioEndpoint extends NioEndpoint {

	private static final String HTTP_1_1 = "http/1.1";

	private @Nullable VirtualHosts virtualHosts;

	private long handshakeTimeout;

	void configure(VirtualHosts virtualHosts, Duration handshakeTimeout) {
		this.virtualHosts = virtualHosts;
		this.handshakeTimeout = handshakeTimeout.toMillis();
	}

	/**
	 * Configure the virtual hosts, before they are needed.
	 * @throws CertificateFileException if one cannot be configured
	 */
	void configureVirtualHosts() {
		this.sslHostConfigs.values().forEach(virtualHosts()::configure);
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
				else if (!SeveralKeysHost.aliases(certificate.getCertificateKeystore()).isEmpty()) {
					added = new SeveralKeysHost(host);
				}
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		super.addSslHostConfig(added, replace);
	}

	@Override
	protected void createSSLContext(SSLHostConfig host) {
		virtualHosts().configure(host);
		if (host instanceof SeveralKeysHost several) {
			try {
				several.load(getSslImplementation(), this.negotiableProtocols);
			}
			catch (Exception ex) {
				throw new IllegalArgumentException("The keys cannot be used", ex);
			}
			return;
		}
		// Without an alias, Tomcat's OpenSSL engine finds RSA, DSA and EC keys only
		SSLHostConfigCertificate unnamed = unnamed(host);
		try {
			super.createSSLContext(host);
		}
		finally {
			if (unnamed != null) {
				unnamed.setCertificateKeyAlias(null);
			}
		}
	}

	private static @Nullable SSLHostConfigCertificate unnamed(SSLHostConfig host) {
		if (host.getCertificates().size() != 1) {
			return null;
		}
		SSLHostConfigCertificate certificate = host.getCertificates().iterator().next();
		if (certificate.getCertificateKeyAlias() != null || certificate.getCertificateFile() != null) {
			return null;
		}
		try {
			KeyStore keyStore = certificate.getCertificateKeystore();
			if (keyStore != null) {
				for (String alias : Collections.list(keyStore.aliases())) {
					if (keyStore.isKeyEntry(alias)) {
						certificate.setCertificateKeyAlias(alias);
						return certificate;
					}
				}
			}
		}
		catch (IOException | KeyStoreException ex) {
			// Tomcat says it better when it needs the key store
		}
		return null;
	}

	@Override
	protected void releaseSSLContext(SSLHostConfig host) {
		super.releaseSSLContext(host);
		if (host instanceof SeveralKeysHost several) {
			several.release();
		}
	}

	/**
	 * Return whether an application protocol is spoken here.
	 * @param offered the protocols that a client offers (ALPN)
	 * @return whether one of them is, or the client or this endpoint leaves it open, or
	 * one is empty, which the engine has an alert for
	 */
	boolean hasProtocolOf(List<String> offered) {
		return offered.isEmpty() || this.negotiableProtocols.isEmpty() || offered.contains(HTTP_1_1)
				|| offered.contains("") || !Collections.disjoint(this.negotiableProtocols, offered);
	}

	/**
	 * Withstand a reload. Tomcat looks the two up one after the other and compares what
	 * it has found: a host that is added in between is not the same as itself, and the
	 * request would fail with status 400.
	 */
	@Override
	public boolean checkSni(@Nullable String sniHostName, @Nullable String protocolHostName) {
		return super.checkSni(sniHostName, protocolHostName) || super.checkSni(sniHostName, protocolHostName);
	}

	@Override
	protected NioChannel createChannel(SocketBufferHandler buffer) {
		if (!isSSLEnabled()) {
			return super.createChannel(buffer);
		}
		return (getSslImplementation() instanceof OpenSSLImplementation) ? new OpenSslNioChannel(buffer, this)
				: new TlsNioChannel(buffer, this);
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
