// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.List;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

import io.github.tomcatopenssl.TlsAlpnChallenges;
import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLImplementation;
import org.apache.tomcat.util.net.SSLUtil;

/**
 * Answers an ACME challenge on a connection that serves nothing else: the handshake is
 * the whole answer (RFC 8737, 3).
 *
 * @param context the context, which no other connection uses
 * @param engine the engine
 */
record ChallengeEngine(SSLContext context, SSLEngine engine) {

	/**
	 * Create the engine of a connection.
	 * @param implementation the implementation of TLS that serves the connector
	 * @param certificate the certificate of the challenge
	 * @return the engine
	 * @throws Exception if the certificate cannot be used
	 */
	static ChallengeEngine create(SSLImplementation implementation, SSLHostConfigCertificate certificate)
			throws Exception {
		SSLUtil util = implementation.getSSLUtil(certificate);
		certificate.getSSLHostConfig().setEnabledProtocols(util.getEnabledProtocols());
		certificate.getSSLHostConfig().setEnabledCiphers(util.getEnabledCiphers());
		SSLContext context = util.createSSLContext(List.of(TlsAlpnChallenges.APPLICATION_PROTOCOL));
		SSLEngine engine = context.createSSLEngine();
		engine.setUseClientMode(false);
		engine.setEnabledProtocols(util.getEnabledProtocols());
		engine.setEnabledCipherSuites(util.getEnabledCiphers());
		SSLParameters parameters = engine.getSSLParameters();
		parameters.setApplicationProtocols(new String[] { TlsAlpnChallenges.APPLICATION_PROTOCOL });
		engine.setSSLParameters(parameters);
		return new ChallengeEngine(context, engine);
	}

	/**
	 * Release the context, after the engine has been released.
	 */
	void release() {
		this.context.destroy();
	}

}
