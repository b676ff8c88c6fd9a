// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.io.ByteArrayOutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.Collection;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

import io.github.tomcatopenssl.library.EngineGroups;
import org.apache.tomcat.util.compat.JreCompat;
import org.apache.tomcat.util.net.SSLHostConfig;

/**
 * One end of a handshake with JSSE.
 */
final class JssePeer implements HandshakePeer {

	private final SSLEngine engine;

	private final ByteBuffer plain;

	private final ByteBuffer records;

	private boolean begun;

	private boolean complete;

	private JssePeer(SSLEngine engine) {
		this.engine = engine;
		this.plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
		this.records = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
	}

	/**
	 * Return a server that is set up as the endpoint does it for a connection.
	 * @param engine a new engine
	 * @param host the virtual host
	 * @return the server
	 */
	static JssePeer server(SSLEngine engine, SSLHostConfig host) {
		engine.setUseClientMode(false);
		engine.setEnabledCipherSuites(host.getEnabledCiphers());
		engine.setEnabledProtocols(host.getEnabledProtocols());
		SSLParameters parameters = engine.getSSLParameters();
		if (host.getGroupList() != null) {
			setGroups(parameters, host.getGroupList());
		}
		switch (host.getCertificateVerification()) {
			case REQUIRED -> parameters.setNeedClientAuth(true);
			case OPTIONAL, OPTIONAL_NO_CA -> parameters.setWantClientAuth(true);
			case NONE -> parameters.setNeedClientAuth(false);
		}
		engine.setSSLParameters(parameters);
		return new JssePeer(engine);
	}

	/**
	 * Return a client that offers all that JSSE has, and that trusts any certificate.
	 * @param host the virtual host, whose cipher suites the client offers
	 * @param protocols the versions of TLS
	 * @return the client
	 * @throws GeneralSecurityException if there is no such client
	 */
	static JssePeer client(SSLHostConfig host, Collection<String> protocols) throws GeneralSecurityException {
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(null, new TrustManager[] { new AnyTrustManager() }, null);
		SSLEngine engine = context.createSSLEngine();
		engine.setUseClientMode(true);
		engine.setEnabledCipherSuites(host.getEnabledCiphers());
		engine.setEnabledProtocols(protocols.toArray(String[]::new));
		SSLParameters parameters = engine.getSSLParameters();
		setGroups(parameters, EngineGroups.ofJsse());
		engine.setSSLParameters(parameters);
		return new JssePeer(engine);
	}

	private static void setGroups(SSLParameters parameters, Collection<?> groups) {
		if (EngineGroups.isJsseConfigurable()) {
			JreCompat.getInstance()
				.setNamedGroupsMethod(parameters, groups.stream().map(Object::toString).toArray(String[]::new));
		}
	}

	@Override
	public byte[] answer(byte[] received) throws SSLException {
		try {
			return proceed(ByteBuffer.wrap(received));
		}
		catch (RuntimeException ex) {
			// Of a provider that cannot use the key
			throw new SSLException(ex);
		}
	}

	private byte[] proceed(ByteBuffer received) throws SSLException {
		ByteArrayOutputStream sent = new ByteArrayOutputStream();
		if (!this.begun) {
			this.engine.beginHandshake();
			this.begun = true;
		}
		while (true) {
			HandshakeStatus status = this.engine.getHandshakeStatus();
			if (status == HandshakeStatus.NEED_TASK) {
				this.engine.getDelegatedTask().run();
			}
			else if (status == HandshakeStatus.NEED_WRAP) {
				noteEnd(this.engine.wrap(this.plain.clear().flip(), this.records.clear()));
				sent.write(this.records.array(), 0, this.records.position());
			}
			else if (status != HandshakeStatus.NEED_UNWRAP
					|| noteEnd(this.engine.unwrap(received, this.plain.clear())) != Status.OK) {
				return sent.toByteArray();
			}
		}
	}

	private Status noteEnd(SSLEngineResult result) {
		this.complete |= result.getHandshakeStatus() == HandshakeStatus.FINISHED;
		return result.getStatus();
	}

	@Override
	public boolean isComplete() {
		return this.complete;
	}

	@Override
	public void close() {
		this.engine.closeOutbound();
	}

	/**
	 * Trusts whatever it is shown: whom clients trust is not known here.
	 */
	private static final class AnyTrustManager extends X509ExtendedTrustManager {

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) {
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType) {
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {
		}

		@Override
		public X509Certificate[] getAcceptedIssuers() {
			return new X509Certificate[0];
		}

	}

}
