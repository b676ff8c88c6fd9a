// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.Socket;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.endpoint.TlsNioChannel.IOCallable;
import io.github.tomcatopenssl.host.VirtualHosts;
import org.apache.tomcat.jni.AprStatus;
import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLImplementation;
import org.apache.tomcat.util.net.SSLUtil;
import org.apache.tomcat.util.net.jsse.JSSEImplementation;
import org.apache.tomcat.util.net.jsse.JSSEUtil;
import org.apache.tomcat.util.net.openssl.OpenSSLImplementation;
import org.apache.tomcat.util.net.openssl.OpenSSLUtil;
import org.jspecify.annotations.Nullable;

/**
 * Tells a connection which certificate of its client a trust manager has refused, and
 * why. Tomcat's OpenSSL engine drops the exception of the trust manager, and JSSE's does
 * not contain the certificate.
 * <p>
 * The connection is known by its thread, because OpenSSL calls the trust manager of a
 * virtual host from native code that knows no connection. It does so before the call
 * returns in which the engine reads the certificate. JSSE does the same in a task, which
 * Tomcat's channel runs itself.
 */
final class ClientCertificates {

	private static final ThreadLocal<Consumer<RefusedCertificate>> CONNECTION = new ThreadLocal<>();

	private ClientCertificates() {
	}

	/**
	 * Take a step of a handshake.
	 * @param connection accepts the certificate that is refused in this step
	 * @param step the step
	 * @param <T> the type of the step's result
	 * @return the result of the step
	 * @throws IOException if the step fails
	 */
	static <T> T during(Consumer<RefusedCertificate> connection, IOCallable<T> step) throws IOException {
		CONNECTION.set(connection);
		try {
			return step.call();
		}
		finally {
			CONNECTION.remove();
		}
	}

	/**
	 * Return what creates the context of a certificate.
	 * @param engine the engine
	 * @param certificate the certificate of the server
	 * @param own the trust managers, or {@code null} for Tomcat's
	 * @return the same as Tomcat's, but its trust managers tell what they refuse, and no
	 * session of a virtual host that verifies clients is resumed
	 */
	static SSLUtil util(SSLImplementation engine, SSLHostConfigCertificate certificate, TrustManager @Nullable [] own) {
		boolean checksPurpose = certificate.getSSLHostConfig().getTrustManagerClassName() == null;
		if (engine instanceof JSSEImplementation) {
			return new JSSEUtil(certificate) {

				@Override
				public SSLContext createSSLContextInternal(List<String> negotiableProtocols)
						throws NoSuchAlgorithmException {
					SSLContext context = super.createSSLContextInternal(negotiableProtocols);
					return VirtualHosts.verifiesClients(this.sslHostConfig)
							? new UnresumedContext(this.sslHostConfig.getSslProtocol(), context) : context;
				}

				@Override
				public TrustManager @Nullable [] getTrustManagers() throws Exception {
					return telling((own != null) ? own : super.getTrustManagers(), checksPurpose);
				}

			};
		}
		// Without the library, OpenSSLUtil would crash the JVM
		if (engine instanceof OpenSSLImplementation && AprStatus.isAprAvailable()) {
			return new OpenSSLUtil(certificate) {

				@Override
				public TrustManager @Nullable [] getTrustManagers() throws Exception {
					return telling((own != null) ? own : super.getTrustManagers(), checksPurpose);
				}

			};
		}
		return engine.getSSLUtil(certificate);
	}

	static TrustManager @Nullable [] telling(TrustManager @Nullable [] managers, boolean checksPurpose) {
		return (managers != null)
				? Arrays.stream(managers).map((manager) -> telling(manager, checksPurpose)).toArray(TrustManager[]::new)
				: null;
	}

	// JSSE itself checks the algorithms of a chain if the trust manager is not an
	// extended one
	private static TrustManager telling(TrustManager manager, boolean checksPurpose) {
		if (manager instanceof X509ExtendedTrustManager extended) {
			return new TellingExtendedTrustManager(extended, checksPurpose);
		}
		return (manager instanceof X509TrustManager plain) ? new TellingTrustManager(plain, checksPurpose) : manager;
	}

	private static void check(X509Certificate[] chain, boolean checksPurpose, Check check) throws CertificateException {
		try {
			check.run();
		}
		catch (CertificateException | RuntimeException ex) {
			Consumer<RefusedCertificate> connection = CONNECTION.get();
			if (connection != null && chain != null && chain.length > 0) {
				connection.accept(RefusedCertificate.of(chain, ex, checksPurpose));
			}
			throw ex;
		}
	}

	private interface Check {

		void run() throws CertificateException;

	}

	private record TellingTrustManager(X509TrustManager manager, boolean checksPurpose) implements X509TrustManager {

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
			check(chain, this.checksPurpose, () -> this.manager.checkClientTrusted(chain, authType));
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

	private static final class TellingExtendedTrustManager extends X509ExtendedTrustManager {

		private final X509ExtendedTrustManager manager;

		private final boolean checksPurpose;

		TellingExtendedTrustManager(X509ExtendedTrustManager manager, boolean checksPurpose) {
			this.manager = manager;
			this.checksPurpose = checksPurpose;
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
			check(chain, this.checksPurpose, () -> this.manager.checkClientTrusted(chain, authType));
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
				throws CertificateException {
			check(chain, this.checksPurpose, () -> this.manager.checkClientTrusted(chain, authType, engine));
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
				throws CertificateException {
			check(chain, this.checksPurpose, () -> this.manager.checkClientTrusted(chain, authType, socket));
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
