// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.internal.engine.TlsSession.RefusalListener;
import io.github.tomcatopenssl.internal.host.CertificateOrigin;
import io.github.tomcatopenssl.internal.host.ClientVerification;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.OpenSslRefusal;
import io.github.tomcatopenssl.internal.host.SessionTicketKey;
import io.github.tomcatopenssl.internal.host.SessionTicketKeys;
import io.github.tomcatopenssl.internal.host.TlsHost;
import io.github.tomcatopenssl.internal.host.TlsPolicy;
import io.github.tomcatopenssl.internal.library.OpenSslError;
import io.github.tomcatopenssl.internal.library.OpenSslErrors;
import org.apache.tomcat.jni.Pool;
import org.apache.tomcat.jni.SSL;
import org.apache.tomcat.jni.SSLConf;
import org.apache.tomcat.jni.SSLContext;
import org.apache.tomcat.util.net.openssl.OpenSSLConfCmd;
import org.jspecify.annotations.Nullable;

/**
 * A context of OpenSSL ({@code SSL_CTX}). It has all keys of its host, and OpenSSL
 * chooses the one that fits a client. Each session holds a reference to it, and the last
 * one that goes frees it.
 */
final class OpenSslContext implements TlsContext {

	/**
	 * The cipher suites that any client could accept, however old.
	 */
	static final String ALL_CIPHERS = "ALL:@SECLEVEL=0";

	/**
	 * The cipher suites of TLS 1.3.
	 */
	static final String ALL_CIPHER_SUITES = "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
			+ ":TLS_AES_128_GCM_SHA256:TLS_AES_128_CCM_SHA256:TLS_AES_128_CCM_8_SHA256";

	// Two names of the same command, in any case (SSL_CONF_cmd)
	private static final Set<String> GROUP_COMMANDS = Set.of("groups", "curves");

	private static final String SIGNATURE_ALGORITHMS = "SignatureAlgorithms";

	// Begins the names of the suites of TLS 1.3
	private static final String SUITE_OF_TLS_1_3 = "TLS_";

	private static final Map<ProtocolVersion, Integer> VERSIONS = Map.of(ProtocolVersion.TLS_1_0,
			SSL.SSL_PROTOCOL_TLSV1, ProtocolVersion.TLS_1_1, SSL.SSL_PROTOCOL_TLSV1_1, ProtocolVersion.TLS_1_2,
			SSL.SSL_PROTOCOL_TLSV1_2, ProtocolVersion.TLS_1_3, SSL.SSL_PROTOCOL_TLSV1_3);

	private final long pool = Pool.create(0);

	private final long address;

	private final Set<ProtocolVersion> versions;

	private final boolean server;

	private final ClientVerification clients;

	/**
	 * Input of the key derivation: a ticket of another host, or of other settings, is not
	 * valid here.
	 */
	private final String ticketScope;

	private final Supplier<@Nullable SessionTicketKeys> ticketKeys;

	private volatile @Nullable SessionTicketKeys ticketKeysInUse;

	/**
	 * The contexts for tickets that other keys have sealed, because Tomcat Native gives a
	 * context one key. Each is made when the first client needs it.
	 */
	private final Map<SessionTicketKey, OpenSslContext> openers = new ConcurrentHashMap<>();

	private final Function<SessionTicketKey, @Nullable OpenSslContext> openerOf;

	/**
	 * The listeners for refusals, by the address of the session. Only sessions that
	 * verify their client have one.
	 */
	private final Map<Long, RefusalListener> verifying = new ConcurrentHashMap<>();

	/**
	 * The sessions, and one more until the context is closed.
	 */
	private final AtomicInteger references = new AtomicInteger(1);

	private final AtomicBoolean closed = new AtomicBoolean();

	private OpenSslContext(Collection<ProtocolVersion> versions, boolean server, ClientVerification clients,
			String ticketScope, Supplier<@Nullable SessionTicketKeys> ticketKeys,
			Function<SessionTicketKey, @Nullable OpenSslContext> openerOf) throws Exception {
		this.versions = Set.copyOf(versions);
		this.server = server;
		this.clients = clients;
		this.ticketScope = ticketScope;
		this.ticketKeys = ticketKeys;
		this.openerOf = openerOf;
		try {
			this.address = SSLContext.make(this.pool,
					versions.stream().mapToInt(VERSIONS::get).reduce(0, (a, b) -> a | b),
					server ? SSL.SSL_MODE_SERVER : SSL.SSL_MODE_CLIENT);
		}
		catch (Exception ex) {
			Pool.destroy(this.pool);
			OpenSslErrors.clear();
			throw ex;
		}
		NativeMemory.contextCreated();
	}

	/**
	 * Create the context of a host.
	 * @param host the host
	 * @param applicationProtocols the application protocols, the preferred one first
	 * @param ticketKeys returns the session ticket keys that are in use, {@code null} for
	 * OpenSSL's own
	 * @param origin knows where certificates come from
	 * @return the context
	 * @throws io.github.tomcatopenssl.TlsSettingException if OpenSSL refuses a key or a
	 * setting
	 */
	static OpenSslContext of(TlsHost host, List<String> applicationProtocols,
			Supplier<@Nullable SessionTicketKeys> ticketKeys, CertificateOrigin origin) {
		OpenSslContext context = null;
		List<HostKey> suspects = host.keys();
		boolean created = false;
		try {
			context = new OpenSslContext(host.policy().versions(), true, host.clients(), ticketScope(host), ticketKeys,
					(key) -> {
						SessionTicketKeys only = SessionTicketKeys.of(key);
						return of(host, applicationProtocols, () -> only, origin);
					});
			context.apply(host.policy(), host.clients().isActive());
			for (int i = 0; i < host.keys().size(); i++) {
				suspects = host.keys().subList(i, i + 1);
				host.keys().get(i).addTo(context.address, i);
			}
			suspects = host.keys();
			context.verify(host.clients());
			if (!applicationProtocols.isEmpty()) {
				SSLContext.setAlpnProtos(context.address, applicationProtocols.toArray(String[]::new),
						SSL.SSL_SELECTOR_FAILURE_NO_ADVERTISE);
			}
			context.run(commands(host.policy()));
			// Takes precedence over a command that allows tickets
			if (host.clients().isActive()) {
				context.set((int) SSL.SSL_OP_NO_TICKET, true);
			}
			created = true;
			return context;
		}
		catch (Exception ex) {
			throw OpenSslRefusal.of(host.name(), suspects, origin, ex);
		}
		finally {
			OpenSslErrors.clear();
			if (!created && context != null) {
				context.close();
			}
		}
	}

	// A session is resumed with its suite, in TLS 1.2 also without a key exchange, and
	// without a signature: what is not allowed any more would still be used
	private static String ticketScope(TlsHost host) {
		TlsPolicy policy = host.policy();
		return Stream
			.concat(Stream.of(host.name(), host.clients().mode(), policy.versions(), policy.openSslCiphers(),
					policy.openSslCipherSuites(), policy.groups(), policy.signatures(), policy.sessionTimeout(),
					policy.compression(), policy.insecureRenegotiation()),
					policy.commands().stream().flatMap((command) -> Stream.of(command.getName(), command.getValue())))
			.map(String::valueOf)
			.collect(Collectors.joining("\n"));
	}

	/**
	 * Create the context of a client that offers all that the library has, and that
	 * trusts any certificate.
	 * @param versions the versions of TLS
	 * @param groups the groups that the library has
	 * @return the context
	 * @throws Exception if there is no such client
	 */
	static OpenSslContext ofClient(Collection<ProtocolVersion> versions, Collection<KeyExchangeGroup> groups)
			throws Exception {
		OpenSslContext context = new OpenSslContext(versions, false, ClientVerification.NONE, "", () -> null,
				(key) -> null);
		boolean created = false;
		try {
			SSLContext.setCipherSuite(context.address, ALL_CIPHERS);
			SSLContext.setCipherSuitesEx(context.address, ALL_CIPHER_SUITES);
			context.run(List.of(groups(groups)));
			created = true;
			return context;
		}
		finally {
			OpenSslErrors.clear();
			if (!created) {
				context.close();
			}
		}
	}

	// Versions of Tomcat before 11.0.27 do not have the successors of these methods
	@SuppressWarnings("deprecation")
	private void set(int option, boolean enabled) {
		if (enabled) {
			SSLContext.setOptions(this.address, option);
		}
		else {
			SSLContext.clearOptions(this.address, option);
		}
	}

	private void apply(TlsPolicy policy, boolean verifies) throws Exception {
		set((int) SSL.SSL_OP_ALLOW_UNSAFE_LEGACY_RENEGOTIATION, policy.insecureRenegotiation());
		set((int) SSL.SSL_OP_CIPHER_SERVER_PREFERENCE, policy.serverCipherOrder());
		set((int) SSL.SSL_OP_NO_COMPRESSION, !policy.compression());
		// A resumed session would outlive the client's certificate, its CA, and what is
		// known about its revocation
		set((int) SSL.SSL_OP_NO_TICKET, verifies || !policy.sessionTickets());
		SSLContext.setCipherSuite(this.address, policy.openSslCiphers());
		SSLContext.setCipherSuitesEx(this.address, policy.openSslCipherSuites());
		// OpenSSL requires it of contexts that verify clients
		SSLContext.setSessionIdContext(this.address, SSLContext.DEFAULT_SESSION_ID_CONTEXT);
		if (policy.sessionCacheSize() >= 0 && !verifies) {
			SSLContext.setSessionCacheSize(this.address, policy.sessionCacheSize());
		}
		if (policy.sessionTimeout() >= 0) {
			SSLContext.setSessionCacheTimeout(this.address, policy.sessionTimeout());
		}
	}

	private void verify(ClientVerification clients) throws CertificateException {
		int mode = switch (clients.mode()) {
			case NONE -> SSL.SSL_CVERIFY_NONE;
			case OPTIONAL, OPTIONAL_NO_CA -> SSL.SSL_CVERIFY_OPTIONAL;
			case REQUIRED -> SSL.SSL_CVERIFY_REQUIRE;
		};
		// The trust manager limits the depth
		SSLContext.setVerify(this.address, mode, 0);
		if (clients.isActive()) {
			SSLContext.setCertVerifyCallback(this.address, this::verify);
			X509TrustManager manager = clients.trustManager();
			// Their names tell a client which certificate to present
			for (X509Certificate issuer : (manager != null) ? manager.getAcceptedIssuers() : new X509Certificate[0]) {
				SSLContext.addClientCACertificateRaw(this.address, issuer.getEncoded());
			}
		}
	}

	// OpenSSL calls this within a step of a handshake. Nothing may be thrown into native
	// code
	private boolean verify(long session, byte[][] encoded, String authentication) {
		X509Certificate[] chain = {};
		try {
			if (encoded.length > ClientVerification.MOST_CERTIFICATES) {
				chain = certificates(encoded[0]);
				throw new CertificateException("There are %d certificates, and the maximum is %d"
					.formatted(encoded.length, ClientVerification.MOST_CERTIFICATES));
			}
			chain = certificates(encoded);
			X509TrustManager manager = this.clients.trustManager();
			if (manager == null) {
				return this.clients.acceptsAny();
			}
			manager.checkClientTrusted(chain, authentication);
			return true;
		}
		catch (Exception ex) {
			tell(session, chain, ex);
		}
		catch (Throwable ex) {
			// Such as an OutOfMemoryError
		}
		return false;
	}

	private void tell(long session, X509Certificate[] chain, Exception cause) {
		RefusalListener listener = this.verifying.get(session);
		if (listener != null) {
			try {
				listener.refused(chain, cause);
			}
			catch (RuntimeException | Error ex) {
				// The certificate is refused all the same
			}
		}
	}

	static X509Certificate[] certificates(byte[]... encoded) throws CertificateException {
		CertificateFactory factory = CertificateFactory.getInstance("X.509");
		X509Certificate[] chain = new X509Certificate[encoded.length];
		for (int i = 0; i < encoded.length; i++) {
			chain[i] = (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(encoded[i]));
		}
		return chain;
	}

	private static List<OpenSSLConfCmd> commands(TlsPolicy policy) {
		List<OpenSSLConfCmd> commands = new ArrayList<>(policy.commands());
		if (!policy.signatures().isEmpty()) {
			commands.add(new OpenSSLConfCmd(SIGNATURE_ALGORITHMS,
					policy.signatures().stream().map(Object::toString).collect(Collectors.joining(":"))));
		}
		boolean given = policy.commands()
			.stream()
			.anyMatch((command) -> command.getName() != null
					&& GROUP_COMMANDS.contains(command.getName().toLowerCase(Locale.ROOT)));
		if (policy.groups() == null || given) {
			return commands;
		}
		commands.add(groups(policy.groups()));
		return commands;
	}

	private static OpenSSLConfCmd groups(Collection<KeyExchangeGroup> groups) {
		return new OpenSSLConfCmd(OpenSSLConfCmd.GROUPS,
				groups.stream().map(KeyExchangeGroup::toString).collect(Collectors.joining(":")));
	}

	private void run(List<OpenSSLConfCmd> commands) throws Exception {
		if (commands.isEmpty()) {
			return;
		}
		long settings = SSLConf.make(this.pool, SSL.SSL_CONF_FLAG_FILE | SSL.SSL_CONF_FLAG_CERTIFICATE
				| SSL.SSL_CONF_FLAG_SHOW_ERRORS | (this.server ? SSL.SSL_CONF_FLAG_SERVER : SSL.SSL_CONF_FLAG_CLIENT));
		try {
			SSLConf.assign(settings, this.address);
			for (OpenSSLConfCmd command : commands) {
				run(settings, command);
			}
			if (SSLConf.finish(settings) <= 0) {
				throw new GeneralSecurityException("The commands of the OpenSSL configuration contradict each other");
			}
		}
		finally {
			SSLConf.free(settings);
		}
	}

	private static void run(long settings, OpenSSLConfCmd command) throws GeneralSecurityException {
		Exception cause = null;
		try {
			if (SSLConf.check(settings, command.getName(), command.getValue()) > 0
					&& SSLConf.apply(settings, command.getName(), command.getValue()) > 0) {
				return;
			}
		}
		catch (Exception ex) {
			cause = ex;
		}
		OpenSslError error = OpenSslErrors.take();
		String reason = (cause != null) ? cause.getMessage() : (error != null) ? error.text() : null;
		throw new GeneralSecurityException("The command '%s' of the OpenSSL configuration with the value '%s' fails%s"
			.formatted(command.getName(), command.getValue(), (reason != null) ? ": " + reason : ""));
	}

	@Override
	public @Nullable OpenSslSession newSession(List<String> offered, List<ByteBuffer> tickets,
			RefusalListener refusals) {
		OpenSslContext opener = opener(tickets);
		OpenSslSession session = (opener != null) ? opener.newSession(refusals) : null;
		return (session != null) ? session : newSession(refusals);
	}

	private @Nullable OpenSslContext opener(List<ByteBuffer> tickets) {
		SessionTicketKeys keys = this.ticketKeys.get();
		SessionTicketKey key = (keys != null) ? keys.find(tickets) : null;
		if (key == null) {
			return null;
		}
		try {
			return this.openers.computeIfAbsent(key, this.openerOf);
		}
		catch (RuntimeException ex) {
			// Such as a file of a command that is gone: a full handshake needs none
			return null;
		}
		finally {
			if (this.closed.get()) {
				closeOpenersBut(List.of());
			}
		}
	}

	private void closeOpenersBut(List<SessionTicketKey> keys) {
		this.openers.keySet()
			.stream()
			.filter((key) -> !keys.contains(key))
			.map(this.openers::remove)
			.filter(Objects::nonNull)
			.forEach(OpenSslContext::close);
	}

	private @Nullable OpenSslSession newSession(RefusalListener refusals) {
		if (this.closed.get() || !retain()) {
			return null;
		}
		OpenSslSession session = null;
		boolean created = false;
		try {
			useTicketKeys();
			session = new OpenSslSession(this, this.address, this.server);
			if (this.clients.isActive()) {
				this.verifying.put(session.address(), refusals);
			}
			created = true;
			return session;
		}
		finally {
			if (!created && session != null) {
				session.close();
			}
			else if (!created) {
				release();
			}
		}
	}

	private void useTicketKeys() {
		if (this.ticketKeys.get() != this.ticketKeysInUse) {
			synchronized (this) {
				SessionTicketKeys keys = Objects.requireNonNull(this.ticketKeys.get());
				if (keys == this.ticketKeysInUse) {
					return;
				}
				SSLContext.setSessionTicketKeys(this.address, keys.current().derive(this.ticketScope));
				this.ticketKeysInUse = keys;
				closeOpenersBut(keys.others());
			}
		}
	}

	boolean verifiesClients() {
		return this.clients.isActive();
	}

	/**
	 * Forget a session before it is freed. Afterwards, its address may be that of another
	 * one.
	 * @param session the address of the session
	 */
	void forget(long session) {
		this.verifying.remove(session);
	}

	private boolean retain() {
		return this.references.getAndUpdate((count) -> (count > 0) ? count + 1 : 0) > 0;
	}

	/**
	 * Give back the reference of a session that is freed, or of the owner.
	 */
	void release() {
		if (this.references.decrementAndGet() == 0) {
			SSLContext.free(this.address);
			Pool.destroy(this.pool);
			NativeMemory.contextFreed();
		}
	}

	@Override
	public List<String> cipherSuites() {
		if (!retain()) {
			return List.of();
		}
		try {
			String[] names = SSLContext.getCiphers(this.address);
			return Arrays.stream((names != null) ? names : new String[0]).filter(this::isEnabled).toList();
		}
		finally {
			release();
		}
	}

	// OpenSSL needs suites of TLS 1.2 even if it is turned off
	private boolean isEnabled(String suite) {
		return suite.startsWith(SUITE_OF_TLS_1_3) ? this.versions.contains(ProtocolVersion.TLS_1_3)
				: !this.versions.equals(Set.of(ProtocolVersion.TLS_1_3));
	}

	@Override
	public String engine() {
		return TlsEngine.OPENSSL;
	}

	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			closeOpenersBut(List.of());
			release();
		}
	}

}
