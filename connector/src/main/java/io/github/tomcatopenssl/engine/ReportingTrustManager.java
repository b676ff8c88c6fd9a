// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.engine;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.engine.TlsSession.RefusalListener;

/**
 * Tells a session of JSSE which certificate of its client is refused, and why: the
 * exception of JSSE does not contain the certificate.
 */
final class ReportingTrustManager {

	private ReportingTrustManager() {
	}

	/**
	 * Return a trust manager that does the same as another one. JSSE itself checks the
	 * algorithms of a chain if the trust manager is not an extended one.
	 * @param manager the trust manager
	 * @param refusals is told what it refuses
	 * @return the trust manager
	 */
	static X509TrustManager of(X509TrustManager manager, RefusalListener refusals) {
		return (manager instanceof X509ExtendedTrustManager extended) ? new Extended(extended, refusals)
				: new Plain(manager, refusals);
	}

	private static void check(X509Certificate[] chain, RefusalListener refusals, Check check)
			throws CertificateException {
		try {
			check.run();
		}
		catch (CertificateException | RuntimeException ex) {
			if (chain != null && chain.length > 0) {
				refusals.refused(chain, ex);
			}
			throw ex;
		}
	}

	private interface Check {

		void run() throws CertificateException;

	}

	private record Plain(X509TrustManager manager, RefusalListener refusals) implements X509TrustManager {

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
			check(chain, this.refusals, () -> this.manager.checkClientTrusted(chain, authType));
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
			this.manager.checkServerTrusted(chain, authType);
		}

		@Override
		public X509Certificate[] getAcceptedIssuers() {
			return this.manager.getAcceptedIssuers();
		}

	}

	private static final class Extended extends X509ExtendedTrustManager {

		private final X509ExtendedTrustManager manager;

		private final RefusalListener refusals;

		Extended(X509ExtendedTrustManager manager, RefusalListener refusals) {
			this.manager = manager;
			this.refusals = refusals;
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
			check(chain, this.refusals, () -> this.manager.checkClientTrusted(chain, authType));
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
				throws CertificateException {
			check(chain, this.refusals, () -> this.manager.checkClientTrusted(chain, authType, engine));
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
				throws CertificateException {
			check(chain, this.refusals, () -> this.manager.checkClientTrusted(chain, authType, socket));
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
			this.manager.checkServerTrusted(chain, authType);
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
				throws CertificateException {
			this.manager.checkServerTrusted(chain, authType, engine);
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
				throws CertificateException {
			this.manager.checkServerTrusted(chain, authType, socket);
		}

		@Override
		public X509Certificate[] getAcceptedIssuers() {
			return this.manager.getAcceptedIssuers();
		}

	}

}
