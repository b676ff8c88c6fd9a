// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * Has another trust manager verify clients within a check.
 */
public final class CheckedTrustManager {

	private CheckedTrustManager() {
	}

	/**
	 * Return a trust manager that verifies clients within a check. It is an extended one
	 * if the other is: otherwise, JSSE itself checks the algorithms of a chain.
	 * @param manager the other trust manager
	 * @param check the check
	 * @return the trust manager
	 */
	public static X509TrustManager of(X509TrustManager manager, Check check) {
		return (manager instanceof X509ExtendedTrustManager extended) ? new Extended(extended, check)
				: new Plain(manager, check);
	}

	/**
	 * A check of a client.
	 */
	@FunctionalInterface
	public interface Check {

		/**
		 * Check a client.
		 * @param chain its certificates, its own first
		 * @param verification has the other trust manager verify it
		 * @throws CertificateException if the client is refused
		 */
		void check(X509Certificate[] chain, Verification verification) throws CertificateException;

	}

	/**
	 * The verification of a client by the other trust manager.
	 */
	@FunctionalInterface
	public interface Verification {

		/**
		 * Verify the client.
		 * @param chain its certificates, its own first
		 * @throws CertificateException if the client is refused
		 */
		void run(X509Certificate[] chain) throws CertificateException;

	}

	private record Plain(X509TrustManager manager, Check check) implements X509TrustManager {

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
			this.check.check(chain, (checked) -> this.manager.checkClientTrusted(checked, authType));
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

		private final Check check;

		Extended(X509ExtendedTrustManager manager, Check check) {
			this.manager = manager;
			this.check = check;
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
			this.check.check(chain, (checked) -> this.manager.checkClientTrusted(checked, authType));
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
				throws CertificateException {
			this.check.check(chain, (checked) -> this.manager.checkClientTrusted(checked, authType, engine));
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
				throws CertificateException {
			this.check.check(chain, (checked) -> this.manager.checkClientTrusted(checked, authType, socket));
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
