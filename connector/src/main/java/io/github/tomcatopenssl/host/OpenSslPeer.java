// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;

import javax.net.ssl.SSLException;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.library.TrialContext;
import org.apache.tomcat.jni.Buffer;
import org.apache.tomcat.jni.SSL;
import org.apache.tomcat.jni.SSLConf;
import org.apache.tomcat.jni.SSLContext;
import org.apache.tomcat.util.buf.ByteBufferUtils;
import org.jspecify.annotations.Nullable;

/**
 * One end of a handshake with OpenSSL. Tomcat's engine can only be a server, and drops
 * the reason of a failure.
 */
final class OpenSslPeer implements HandshakePeer {

	/**
	 * What any client could accept, however old.
	 */
	private static final String CIPHERS = "ALL:@SECLEVEL=0";

	private static final String CIPHER_SUITES = "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
			+ ":TLS_AES_128_GCM_SHA256:TLS_AES_128_CCM_SHA256:TLS_AES_128_CCM_8_SHA256";

	private static final Map<String, Integer> PROTOCOLS = Map.of("TLSv1", SSL.SSL_PROTOCOL_TLSV1, "TLSv1.1",
			SSL.SSL_PROTOCOL_TLSV1_1, "TLSv1.2", SSL.SSL_PROTOCOL_TLSV1_2, "TLSv1.3", SSL.SSL_PROTOCOL_TLSV1_3);

	private final @Nullable TrialContext owned;

	private final long session;

	private final long network;

	private final ByteBuffer buffer = ByteBuffer.allocateDirect(16 * 1024);

	private boolean complete;

	private OpenSslPeer(long context, boolean server, @Nullable TrialContext owned) {
		this.owned = owned;
		this.session = SSL.newSSL(context, server);
		this.network = SSL.makeNetworkBIO(this.session);
	}

	/**
	 * Return a server.
	 * @param context the address of the context, which stays the caller's
	 * @return the server
	 */
	static OpenSslPeer server(long context) {
		return new OpenSslPeer(context, true, null);
	}

	/**
	 * Return a client that offers all that the library has, and that trusts any
	 * certificate.
	 * @param protocols the versions of TLS
	 * @param groups the groups that the library has
	 * @return the client
	 * @throws Exception if there is no such client
	 */
	static OpenSslPeer client(Collection<String> protocols, Collection<KeyExchangeGroup> groups) throws Exception {
		TrialContext context = TrialContext
			.ofClient(protocols.stream().mapToInt(PROTOCOLS::get).reduce(0, (a, b) -> a | b));
		try {
			SSLContext.setCipherSuite(context.address(), CIPHERS);
			SSLContext.setCipherSuitesEx(context.address(), CIPHER_SUITES);
			long settings = SSLConf.make(context.pool(), SSL.SSL_CONF_FLAG_FILE | SSL.SSL_CONF_FLAG_CLIENT);
			SSLConf.assign(settings, context.address());
			SSLConf.apply(settings, "Groups",
					groups.stream().map(KeyExchangeGroup::toString).collect(Collectors.joining(":")));
			SSLConf.free(settings);
			return new OpenSslPeer(context.address(), false, context);
		}
		catch (Exception ex) {
			context.close();
			throw ex;
		}
	}

	@Override
	public byte[] answer(byte[] received) throws SSLException {
		ByteArrayOutputStream sent = new ByteArrayOutputStream();
		int taken = 0;
		int before;
		do {
			before = taken + sent.size();
			taken += take(received, taken);
			proceed();
			send(sent);
		}
		while (taken + sent.size() > before);
		return sent.toByteArray();
	}

	private int take(byte[] received, int from) {
		int length = Math.min(this.buffer.capacity(), received.length - from);
		if (length == 0) {
			return 0;
		}
		this.buffer.clear().put(received, from, length);
		return Math.max(0, SSL.writeToBIO(this.network, Buffer.address(this.buffer), length));
	}

	private void proceed() throws SSLException {
		TrialContext.forgetErrors();
		this.complete = SSL.doHandshake(this.session) > 0;
		String error = this.complete ? null : TrialContext.forgetErrors();
		if (error != null) {
			throw new SSLException(error);
		}
	}

	private void send(ByteArrayOutputStream sent) {
		byte[] bytes = new byte[this.buffer.capacity()];
		int length;
		while ((length = SSL.readFromBIO(this.network, Buffer.address(this.buffer), bytes.length)) > 0) {
			this.buffer.clear().get(bytes, 0, length);
			sent.write(bytes, 0, length);
		}
	}

	@Override
	public boolean isComplete() {
		return this.complete;
	}

	@Override
	public void close() {
		SSL.freeBIO(this.network);
		SSL.freeSSL(this.session);
		ByteBufferUtils.cleanDirectBuffer(this.buffer);
		if (this.owned != null) {
			this.owned.close();
		}
		TrialContext.forgetErrors();
	}

}
