// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.io.ByteArrayOutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;

import io.github.tomcatopenssl.internal.engine.TlsSession.Progress;
import io.github.tomcatopenssl.internal.host.HostKey;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A session of a server and Java's client, which talk to each other without a socket.
 */
final class MemoryConnection implements AutoCloseable {

	static final int PACKET = 1 << 15;

	private static final int MOST_STEPS = 100;

	private static final int CAPACITY = 1 << 18;

	final TlsSession server;

	final SSLEngine client;

	/**
	 * What the client has sent, ready to be read.
	 */
	final ByteBuffer toServer = ByteBuffer.allocateDirect(CAPACITY).limit(0);

	/**
	 * What the server has sent, ready to be read.
	 */
	final ByteBuffer toClient = ByteBuffer.allocateDirect(CAPACITY).limit(0);

	/**
	 * All that the server has sent.
	 */
	final ByteArrayOutputStream sent = new ByteArrayOutputStream();

	MemoryConnection(TlsSession server, SSLEngine client) {
		this.server = server;
		this.client = client;
		client.setUseClientMode(true);
	}

	static MemoryConnection of(TlsContext context, String version) throws Exception {
		return of(context, version, List.of());
	}

	static MemoryConnection of(TlsContext context, String version, List<String> applicationProtocols) throws Exception {
		SSLEngine client = newContext(null).createSSLEngine("localhost", 443);
		SSLParameters parameters = client.getSSLParameters();
		parameters.setProtocols(new String[] { version });
		parameters.setApplicationProtocols(applicationProtocols.toArray(String[]::new));
		client.setSSLParameters(parameters);
		return new MemoryConnection(
				context.newSession(applicationProtocols, List.of(), TlsSession.RefusalListener.NONE), client);
	}

	/**
	 * Create a context of a client that trusts anyone.
	 * @param certificate the name of the certificate that the client presents, whatever
	 * CAs the server names, or {@code null}
	 * @return the context
	 */
	static SSLContext newContext(@Nullable String certificate) throws Exception {
		return contextOf((certificate != null) ? Engine.key(certificate) : null);
	}

	static SSLContext contextOf(@Nullable HostKey key) throws Exception {
		SSLContext context = SSLContext.getInstance("TLS");
		KeyManager[] keys = (key != null) ? new KeyManager[] { new AnyIssuerKeyManager(key) } : null;
		context.init(keys, new TrustManager[] { new AnyTrustManager() }, null);
		return context;
	}

	/**
	 * Complete the handshake.
	 * @return the connection
	 * @throws SSLException if the server ends the handshake
	 */
	MemoryConnection handshake() throws SSLException {
		this.client.beginHandshake();
		Progress progress = Progress.NEEDS_RECORD;
		for (int i = 0; progress != Progress.DONE
				|| this.client.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING; i++) {
			assertThat(i).as("steps of the handshake").isLessThan(MOST_STEPS);
			advanceClient();
			int before = this.toServer.position();
			if (progress != Progress.DONE) {
				boolean complete = TlsRecords.size(this.toServer) > 0;
				int waiting = this.toServer.remaining();
				progress = stepOfServer();
				assertThat(waiting - this.toServer.remaining()).as("a record is taken, as a whole, or none")
					.isIn(0, complete ? TlsRecords.HEADER + TlsRecords.length(this.toServer, before) : 0);
			}
		}
		return this;
	}

	private Progress stepOfServer() throws SSLException {
		ByteBuffer out = ByteBuffer.allocateDirect(PACKET);
		try {
			return this.server.handshake(this.toServer, out);
		}
		finally {
			send(out);
		}
	}

	private void send(ByteBuffer out) {
		byte[] bytes = new byte[out.flip().remaining()];
		out.get(bytes);
		this.sent.writeBytes(bytes);
		append(this.toClient, bytes);
	}

	static void append(ByteBuffer buffer, byte[] bytes) {
		buffer.compact().put(bytes).flip();
	}

	private void advanceClient() throws SSLException {
		for (int i = 0; i < MOST_STEPS; i++) {
			switch (this.client.getHandshakeStatus()) {
				case NEED_TASK -> this.client.getDelegatedTask().run();
				case NEED_WRAP -> wrap(ByteBuffer.allocate(0));
				case NEED_UNWRAP -> {
					if (TlsRecords.size(this.toClient) == 0) {
						return;
					}
					this.client.unwrap(this.toClient, ByteBuffer.allocate(PACKET));
				}
				default -> {
					return;
				}
			}
		}
	}

	/**
	 * Have the client encrypt data.
	 * @param data the data
	 * @throws SSLException if it fails
	 */
	void clientSends(byte[] data) throws SSLException {
		ByteBuffer buffer = ByteBuffer.wrap(data);
		while (buffer.hasRemaining()) {
			wrap(buffer);
		}
	}

	private void wrap(ByteBuffer data) throws SSLException {
		ByteBuffer out = ByteBuffer.allocate(PACKET);
		this.client.wrap(data, out);
		byte[] bytes = new byte[out.flip().remaining()];
		out.get(bytes);
		append(this.toServer, bytes);
	}

	/**
	 * Have the client say what it has to say after {@link SSLEngine#closeOutbound()}.
	 * @throws SSLException if it fails
	 */
	void clientEnds() throws SSLException {
		this.client.closeOutbound();
		while (!this.client.isOutboundDone()) {
			wrap(ByteBuffer.allocate(0));
		}
	}

	/**
	 * Have the client read all that the server has sent.
	 * @return the data
	 * @throws SSLException if the server has sent an alert, or what is no record
	 */
	byte[] clientReceives() throws SSLException {
		ByteArrayOutputStream received = new ByteArrayOutputStream();
		ByteBuffer data = ByteBuffer.allocate(PACKET);
		while (TlsRecords.size(this.toClient) > 0 && !this.client.isInboundDone()) {
			this.client.unwrap(this.toClient, data.clear());
			received.write(data.array(), 0, data.position());
			advanceClient();
		}
		return received.toByteArray();
	}

	/**
	 * Have the server read all that the client has sent.
	 * @param target the buffer to read into
	 * @return the data
	 * @throws SSLException if a record is invalid
	 */
	byte[] serverReceives(ByteBuffer target) throws SSLException {
		ByteArrayOutputStream received = new ByteArrayOutputStream();
		while (this.server.hasData() || TlsRecords.size(this.toServer) > 0) {
			int read = this.server.read(this.toServer, target.clear());
			assertThat(read).isEqualTo(target.position());
			byte[] bytes = new byte[target.flip().remaining()];
			target.get(bytes);
			received.writeBytes(bytes);
			if (this.server.isShutdown()) {
				break;
			}
		}
		return received.toByteArray();
	}

	/**
	 * Have the server encrypt all the data.
	 * @param data the data
	 * @throws SSLException if it fails
	 */
	void serverSends(ByteBuffer... data) throws SSLException {
		int waiting = remaining(data);
		while (waiting > 0) {
			ByteBuffer out = ByteBuffer.allocateDirect(40 * 1024);
			int written = this.server.write(data, 0, data.length, out);
			assertThat(written).isPositive().isEqualTo(waiting - remaining(data));
			waiting -= written;
			send(out);
		}
	}

	private static int remaining(ByteBuffer... data) {
		int remaining = 0;
		for (ByteBuffer buffer : data) {
			remaining += buffer.remaining();
		}
		return remaining;
	}

	/**
	 * Have the server say what it has to say itself.
	 * @return the records, ready to be read
	 */
	ByteBuffer drain() {
		ByteBuffer out = ByteBuffer.allocateDirect(PACKET);
		this.server.drain(out);
		ByteBuffer records = out.duplicate().flip();
		send(out);
		return records;
	}

	X509Certificate certificateOfServer() throws SSLException {
		return (X509Certificate) this.client.getSession().getPeerCertificates()[0];
	}

	@Override
	public void close() {
		this.server.close();
	}

	/**
	 * Presents its certificate, also to a server that names other CAs.
	 */
	private static final class AnyIssuerKeyManager extends X509ExtendedKeyManager {

		private static final String ALIAS = "client";

		private final HostKey key;

		AnyIssuerKeyManager(HostKey key) {
			this.key = key;
		}

		@Override
		public String chooseEngineClientAlias(String[] keyType, Principal[] issuers, SSLEngine engine) {
			return ALIAS;
		}

		@Override
		public String chooseClientAlias(String[] keyType, Principal[] issuers, Socket socket) {
			return ALIAS;
		}

		@Override
		public String[] getClientAliases(String keyType, Principal[] issuers) {
			return new String[] { ALIAS };
		}

		@Override
		public String[] getServerAliases(String keyType, Principal[] issuers) {
			return null;
		}

		@Override
		public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
			return null;
		}

		@Override
		public X509Certificate[] getCertificateChain(String alias) {
			return this.key.chain().toArray(X509Certificate[]::new);
		}

		@Override
		public PrivateKey getPrivateKey(String alias) {
			return this.key.key();
		}

	}

}
