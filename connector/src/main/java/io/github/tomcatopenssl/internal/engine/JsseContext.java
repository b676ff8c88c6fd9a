// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.nio.ByteBuffer;
import java.security.AlgorithmConstraints;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.internal.engine.TlsSession.RefusalListener;
import io.github.tomcatopenssl.internal.host.CheckedTrustManager;
import io.github.tomcatopenssl.internal.host.ClientVerification;
import io.github.tomcatopenssl.internal.host.TlsHost;
import io.github.tomcatopenssl.internal.host.TlsPolicy;
import org.apache.tomcat.util.compat.JreCompat;
import org.jspecify.annotations.Nullable;

/**
 * A context of JSSE. If its host verifies clients, each session has one of its own: JSSE
 * keeps sessions and ticket keys in a context, and a resumed session would outlive the
 * client's certificate, its CA, and what is known about its revocation.
 */
final class JsseContext implements TlsContext {

	private final TlsHost host;

	private final List<String> cipherSuites;

	private final List<String> applicationProtocols;

	/**
	 * Creates the engines of a context that a user provides.
	 */
	private final org.apache.tomcat.util.net.@Nullable SSLContext provided;

	private final KeyManager @Nullable [] keyManagers;

	private final @Nullable SSLContext shared;

	private final @Nullable AlgorithmConstraints constraints;

	private volatile boolean closed;

	/**
	 * Create the context of a host.
	 * @param host the host
	 * @param cipherSuites the names of its cipher suites that JSSE has
	 * @param applicationProtocols the application protocols, the preferred one first
	 * @param provided the context of the user that creates the engines, or {@code null}
	 * @throws GeneralSecurityException if JSSE refuses it
	 */
	JsseContext(TlsHost host, List<String> cipherSuites, List<String> applicationProtocols,
			org.apache.tomcat.util.net.@Nullable SSLContext provided) throws GeneralSecurityException {
		this.host = host;
		this.cipherSuites = cipherSuites;
		this.applicationProtocols = applicationProtocols;
		this.provided = provided;
		this.keyManagers = (provided != null) ? null : new KeyManager[] { new HostKeyManager(host.keys()) };
		this.constraints = JsseConstraints.of(host.policy());
		this.shared = (provided == null && !host.clients().isActive()) ? create(null) : null;
	}

	/**
	 * Create the session of a client that offers all that JSSE has, and that trusts any
	 * certificate.
	 * @param cipherSuites the names of the cipher suites
	 * @param versions the versions of TLS
	 * @param groups the groups that JSSE has
	 * @return the session
	 * @throws GeneralSecurityException if there is no such client
	 */
	static JsseSession newClient(Collection<String> cipherSuites, List<ProtocolVersion> versions,
			Collection<KeyExchangeGroup> groups) throws GeneralSecurityException {
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(null, new TrustManager[] { new AnyTrustManager() }, null);
		SSLEngine engine = context.createSSLEngine();
		engine.setUseClientMode(true);
		SSLParameters parameters = engine.getSSLParameters();
		parameters.setCipherSuites(cipherSuites.toArray(String[]::new));
		parameters.setProtocols(names(versions));
		setGroups(parameters, groups);
		engine.setSSLParameters(parameters);
		return new JsseSession(engine);
	}

	private SSLContext create(@Nullable RefusalListener refusals) throws GeneralSecurityException {
		SSLContext context = SSLContext.getInstance(this.host.policy().jsseProtocol());
		context.init(this.keyManagers, (refusals != null) ? trustManagers(refusals) : null, null);
		if (refusals == null) {
			configure(context.getServerSessionContext(), this.host.policy());
		}
		return context;
	}

	private TrustManager[] trustManagers(RefusalListener refusals) {
		ClientVerification clients = this.host.clients();
		if (clients.acceptsAny()) {
			return new TrustManager[] { new AnyTrustManager() };
		}
		return new TrustManager[] { reporting(Objects.requireNonNull(clients.trustManager()), refusals) };
	}

	/**
	 * Return a trust manager that reports to a session which certificate of its client is
	 * refused, and why: the exception of JSSE does not contain the certificate.
	 * @param manager verifies the client
	 * @param refusals gets the refusals
	 * @return the trust manager
	 */
	static X509TrustManager reporting(X509TrustManager manager, RefusalListener refusals) {
		return CheckedTrustManager.of(manager, (chain, verification) -> {
			try {
				verification.run(chain);
			}
			catch (CertificateException | RuntimeException ex) {
				if (chain != null && chain.length > 0) {
					refusals.refused(chain, ex);
				}
				throw ex;
			}
		});
	}

	private static void configure(SSLSessionContext sessions, TlsPolicy policy) {
		if (policy.sessionCacheSize() >= 0) {
			sessions.setSessionCacheSize(policy.sessionCacheSize());
		}
		if (policy.sessionTimeout() >= 0) {
			sessions.setSessionTimeout(policy.sessionTimeout());
		}
	}

	@Override
	public @Nullable TlsSession newSession(List<String> offered, List<ByteBuffer> tickets, RefusalListener refusals) {
		if (this.closed) {
			return null;
		}
		SSLEngine engine = newEngine(refusals);
		engine.setUseClientMode(false);
		SSLParameters parameters = engine.getSSLParameters();
		TlsPolicy policy = this.host.policy();
		parameters.setCipherSuites(this.cipherSuites.toArray(String[]::new));
		parameters.setProtocols(names(policy.versions()));
		parameters.setUseCipherSuitesOrder(policy.serverCipherOrder());
		if (policy.groups() != null) {
			setGroups(parameters, policy.groups());
		}
		if (this.constraints != null) {
			parameters.setAlgorithmConstraints(this.constraints);
		}
		// Without a common one, JSSE would end the handshake
		List<String> common = new ArrayList<>(this.applicationProtocols);
		common.retainAll(offered);
		parameters.setApplicationProtocols(common.toArray(String[]::new));
		switch (this.host.clients().mode()) {
			case REQUIRED -> parameters.setNeedClientAuth(true);
			case OPTIONAL, OPTIONAL_NO_CA -> parameters.setWantClientAuth(true);
			case NONE -> parameters.setNeedClientAuth(false);
		}
		engine.setSSLParameters(parameters);
		return new JsseSession(engine);
	}

	private SSLEngine newEngine(RefusalListener refusals) {
		if (this.provided != null) {
			return this.provided.createSSLEngine();
		}
		try {
			return ((this.shared != null) ? this.shared : create(refusals)).createSSLEngine();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void setGroups(SSLParameters parameters, Collection<KeyExchangeGroup> groups) {
		if (JreCompat.isJre20Available()) {
			JreCompat.getInstance().setNamedGroupsMethod(parameters, names(groups));
		}
	}

	private static String[] names(Collection<?> values) {
		return values.stream().map(Object::toString).toArray(String[]::new);
	}

	@Override
	public List<String> cipherSuites() {
		return this.cipherSuites;
	}

	@Override
	public String engine() {
		boolean own = this.provided == null
				|| this.provided.getClass().getPackageName().equals("org.apache.tomcat.util.net.jsse");
		return own ? JsseEngine.NAME : Objects.requireNonNull(this.provided).getClass().getName();
	}

	@Override
	public void close() {
		this.closed = true;
	}

}
