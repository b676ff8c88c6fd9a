// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

import javax.net.ssl.SSLException;
import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.engine.TlsSession.Progress;
import io.github.tomcatopenssl.internal.engine.TlsSession.RefusalListener;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.KeyType;
import io.github.tomcatopenssl.internal.host.ServerChain;
import io.github.tomcatopenssl.internal.host.TlsHost;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.tomcat.util.buf.ByteBufferUtils;
import org.jspecify.annotations.Nullable;

/**
 * A handshake in memory with a context that is not in use yet, for each version of TLS
 * that its virtual host enables. Some keys, certificates and CAs can be loaded, but make
 * every handshake fail.
 * <p>
 * The handshake has succeeded when a client has accepted all that the server sends: its
 * certificate belongs to the key that has signed the handshake. The client's answer does
 * not matter, so it needs no certificate of its own. The client belongs to the engine
 * that serves. It offers all that the engine has, and trusts any certificate:
 * {@link ServerChain} verifies the chain.
 */
final class TrialHandshake {

	private static final Log logger = LogFactory.getLog(TrialHandshake.class);

	// Two, because a server of TLS 1.3 may ask for another group first
	private static final int MOST_FLIGHTS = 2;

	// The first byte of the message in a record (RFC 5246, 7.4)
	private static final byte CLIENT_HELLO = 1;

	// The length of the list takes two bytes, and is itself in a list (RFC 8446, 4.2.4)
	private static final int MOST_BYTES_OF_CA_NAMES = 0xFFFF - 2;

	// By default, Java refuses messages over 32 KB (jdk.tls.maxHandshakeMessageSize). The
	// rest of the message takes less than 300 bytes
	private static final int MOST_BYTES_OF_CA_NAMES_FOR_JAVA = 32 * 1024 - 300;

	private final TlsHost host;

	private final TlsContext context;

	private final TlsEngine engine;

	/**
	 * The certificate that clients are shown.
	 */
	private final @Nullable X509Certificate leaf;

	/**
	 * Whether the session that has answered last has completed the handshake.
	 */
	private boolean complete;

	/**
	 * Create a new instance.
	 * @param host the host
	 * @param context the context that has just been created for the host
	 * @param engine the engine of the context
	 */
	TrialHandshake(TlsHost host, TlsContext context, TlsEngine engine) {
		this.host = host;
		this.context = context;
		this.engine = engine;
		this.leaf = host.keys().isEmpty() ? null : host.keys().get(0).leaf();
	}

	/**
	 * Require that clients can connect, and warn of what some of them refuse.
	 * @param names returns the user's name of a setting
	 * @throws TlsSettingException if no client that offers all versions could connect, or
	 * a list of CAs is too long
	 */
	void require(Function<SettingName, String> names) {
		List<ProtocolVersion> versions = new ArrayList<>(ProtocolVersion.TLS);
		versions.retainAll(this.host.policy().versions());
		Collections.reverse(versions);
		Map<ProtocolVersion, SSLException> failures = new LinkedHashMap<>();
		for (ProtocolVersion version : versions) {
			SSLException failure = perform(List.of(version));
			if (failure != null) {
				failures.put(version, failure);
			}
		}
		if (!failures.isEmpty()) {
			boolean all = failures.size() == versions.size();
			TlsSettingException refusal = refusal(failures, all);
			if (all || refusal.isAbout(SettingName.CA_CERTIFICATES) || perform(versions) != null) {
				throw refusal;
			}
			report(failures.keySet(), refusal.withMessage(names), names);
		}
		warnOfCaNames();
	}

	// Clients that also know another version can connect. ML-DSA is for TLS 1.3 only
	private void report(Collection<ProtocolVersion> versions, TlsSettingException refusal,
			Function<SettingName, String> names) {
		boolean expected = this.leaf != null && KeyType.of(this.leaf.getPublicKey()).isMlDsa();
		if (expected || Collections.disjoint(versions, SecurityPolicy.INTERMEDIATE.versions())) {
			logger.debug(refusal.getMessage(), refusal);
		}
		else {
			logger
				.warn("Some clients are cut off: %s. %s".formatted(refusal.getReason(names), refusal.getAction(names)));
		}
	}

	// Returns why the handshake fails, or null if it succeeds, or cannot be tried
	private @Nullable SSLException perform(List<ProtocolVersion> versions) {
		try (TlsSession client = this.engine.newClient(versions); TlsSession server = server()) {
			byte[] sent = answer(client, new byte[0]);
			for (int i = 0; i < MOST_FLIGHTS; i++) {
				byte[] flight;
				try {
					flight = answer(server, sent);
				}
				catch (SSLException ex) {
					return ex;
				}
				sent = answer(client, flight);
				if (this.complete || isKeyExchange(sent)) {
					return null;
				}
			}
			throw new IllegalStateException("The handshake does not end");
		}
		catch (SSLException ex) {
			if (this.engine.isConclusive(ex)) {
				return ex;
			}
			logger.debug("The client in memory does not accept the handshake of " + describe(), ex);
		}
		catch (Exception ex) {
			logger.debug("No handshake with %s can be tried for %s".formatted(versions, describe()), ex);
		}
		return null;
	}

	private TlsSession server() {
		return Objects.requireNonNull(this.context.newSession(List.of(), List.of(), RefusalListener.NONE));
	}

	// Has a session take what the other one has sent, and go on until it needs more
	private byte[] answer(TlsSession session, byte[] received) throws SSLException {
		ByteArrayOutputStream sent = new ByteArrayOutputStream();
		ByteBuffer in = ByteBuffer.allocateDirect(received.length).put(received).flip();
		ByteBuffer out = ByteBuffer.allocateDirect(2 * TlsSession.ROOM);
		try {
			Progress progress;
			int left;
			do {
				left = in.remaining();
				progress = session.handshake(in, out);
				byte[] records = new byte[out.flip().remaining()];
				out.get(records).clear();
				sent.writeBytes(records);
			}
			while (progress == Progress.NEEDS_ROOM || progress == Progress.NEEDS_RECORD && in.remaining() < left);
			this.complete = progress == Progress.DONE;
			return sent.toByteArray();
		}
		finally {
			ByteBufferUtils.cleanDirectBuffer(in);
			ByteBufferUtils.cleanDirectBuffer(out);
		}
	}

	// Up to TLS 1.2, a client answers to what it accepts in clear
	private static boolean isKeyExchange(byte[] records) {
		return records.length > TlsRecords.HEADER && records[0] == TlsRecords.HANDSHAKE
				&& records[TlsRecords.HEADER] != CLIENT_HELLO;
	}

	private TlsSettingException refusal(Map<ProtocolVersion, SSLException> failures, boolean all) {
		String versions = failures.keySet()
			.stream()
			.map(ProtocolVersion::toString)
			.collect(Collectors.joining(" and "));
		SSLException failure = failures.values().iterator().next();
		for (HostKey key : this.host.keys()) {
			TlsSettingException mismatch = key.mismatch(this.host.name(), failure);
			if (mismatch != null) {
				return mismatch;
			}
		}
		String client = "no client with %s%s could connect to %s".formatted(all ? "" : "only ", versions, describe());
		String without = all ? "" : ", or remove %s from %s";
		int names = bytesOfCaNames();
		if (names > MOST_BYTES_OF_CA_NAMES) {
			return new TlsSettingException(SettingName.CA_CERTIFICATES, this.leaf, new SettingText(
					"%s, because the names of the %d CAs that clients are verified against take %d bytes, and the list of them has room for %d",
					client, issuers().length, names, MOST_BYTES_OF_CA_NAMES),
					new SettingText(
							"Leave only CAs that issue client certificates in %s or in the trust store of the SSL bundle, or remove %s"
									+ without,
							SettingName.CA_CERTIFICATES, SettingName.CLIENT_AUTH, versions,
							SettingName.ENABLED_PROTOCOLS),
					failure);
		}
		return new TlsSettingException(all ? SettingName.CERTIFICATE : SettingName.ENABLED_PROTOCOLS, this.leaf,
				new SettingText("%s, because %s refuses the handshake: %s", client, this.context.engine(),
						failure.getMessage()),
				new SettingText(
						"Use a certificate with an EC key on the curve P-256, or with an RSA key of the type 'rsaEncryption'. If the certificate works elsewhere, correct %s and %s"
								+ without,
						SettingName.CIPHERS, SettingName.GROUPS, versions, SettingName.ENABLED_PROTOCOLS),
				failure);
	}

	private void warnOfCaNames() {
		int names = bytesOfCaNames();
		// With TLS 1.3, JSSE leaves out a list that is too long for any client
		if (names > MOST_BYTES_OF_CA_NAMES_FOR_JAVA && names <= MOST_BYTES_OF_CA_NAMES) {
			logger.warn(
					"Java clients refuse the virtual host '%s', because the names of the CAs that it verifies clients against take %d bytes, and Java reads messages of up to 32 KB. Leave out CAs that issue no client certificates"
						.formatted(this.host.name(), names));
		}
	}

	// Each name has its length before it
	private int bytesOfCaNames() {
		return Arrays.stream(issuers()).mapToInt((ca) -> 2 + ca.getSubjectX500Principal().getEncoded().length).sum();
	}

	private X509Certificate[] issuers() {
		X509TrustManager manager = this.host.clients().trustManager();
		return (manager != null) ? manager.getAcceptedIssuers() : new X509Certificate[0];
	}

	private String describe() {
		return "the virtual host '%s' with the certificate '%s'".formatted(this.host.name(),
				(this.leaf != null) ? this.leaf.getSubjectX500Principal().getName() : "unknown");
	}

}
