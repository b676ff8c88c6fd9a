// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.util.List;
import java.util.function.Supplier;

import javax.net.ssl.SSLException;

import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.internal.host.CertificateOrigin;
import io.github.tomcatopenssl.internal.host.EngineCapabilities;
import io.github.tomcatopenssl.internal.host.SessionTicketKeys;
import io.github.tomcatopenssl.internal.host.TlsHost;
import org.apache.catalina.connector.Connector;
import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLImplementation;
import org.jspecify.annotations.Nullable;

/**
 * An engine that serves TLS. It is chosen once for a connector, and knows what it can do.
 */
public sealed interface TlsEngine permits OpenSslEngine, JsseEngine {

	/**
	 * Name of OpenSSL.
	 */
	String OPENSSL = "OpenSSL";

	/**
	 * Name of Tomcat's own implementation for OpenSSL. Named by its class, it would be
	 * initialized, and crash the JVM without the library.
	 */
	String OPENSSL_IMPLEMENTATION = "org.apache.tomcat.util.net.openssl.OpenSSLImplementation";

	/**
	 * Return OpenSSL.
	 * @return the engine of the library that this JVM has loaded and accepted
	 */
	static TlsEngine openSsl() {
		return new OpenSslEngine();
	}

	/**
	 * Return JSSE.
	 * @return the engine of the JDK
	 */
	static TlsEngine jsse() {
		return new JsseEngine();
	}

	/**
	 * Return the capabilities of the engine.
	 * @return its capabilities
	 */
	EngineCapabilities capabilities();

	/**
	 * Return whether a step of a handshake never blocks, unless it verifies a client.
	 * @return {@code false} for JSSE, because a key store of the application may do the
	 * signature
	 */
	boolean signsAtOnce();

	/**
	 * Return whether buffers for records have to be direct.
	 * @return {@code true} for OpenSSL, which gets their address
	 */
	boolean needsDirectBuffers();

	/**
	 * Have Tomcat choose its own implementation of the same engine, which checks and
	 * shows the settings of virtual hosts.
	 * @param connector a connector that is not initialized yet
	 */
	void prepare(Connector connector);

	/**
	 * Return whether Tomcat has chosen its own implementation of the same engine.
	 * @param implementation the implementation that Tomcat has chosen
	 * @return whether it has, and the engine can be used
	 */
	boolean isChosen(SSLImplementation implementation);

	/**
	 * Create the context of a host.
	 * @param host the host
	 * @param applicationProtocols the application protocols, the preferred one first
	 * @param ticketKeys returns the session ticket keys that are in use, {@code null} for
	 * the engine's own
	 * @param origin knows where certificates come from
	 * @return the context
	 * @throws io.github.tomcatopenssl.TlsSettingException if the engine refuses a key or
	 * a setting
	 */
	TlsContext createContext(TlsHost host, List<String> applicationProtocols,
			Supplier<@Nullable SessionTicketKeys> ticketKeys, CertificateOrigin origin);

	/**
	 * Create the context of a host from one that a user provides.
	 * @param host the host
	 * @param applicationProtocols the application protocols, the preferred one first
	 * @param provided the context of the user
	 * @return the context
	 * @throws io.github.tomcatopenssl.TlsSettingException if the engine cannot use it
	 */
	TlsContext createContext(TlsHost host, List<String> applicationProtocols, SSLContext provided);

	/**
	 * Create a client that offers all that the engine has, and that trusts any
	 * certificate.
	 * @param versions the versions of TLS
	 * @return the session of the client
	 * @throws Exception if there is no such client
	 */
	TlsSession newClient(List<ProtocolVersion> versions) throws Exception;

	/**
	 * Return whether a refusal by such a client means that all clients refuse.
	 * @param failure why it has refused the handshake
	 * @return {@code false} if only a limit of this client is the reason
	 */
	boolean isConclusive(SSLException failure);

	/**
	 * Return the reason why a handshake failed.
	 * @param failure what its session has thrown
	 * @return the kind of failure
	 */
	HandshakeFailure failure(SSLException failure);

}
