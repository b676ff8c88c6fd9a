// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.TrustManager;

import io.github.tomcatopenssl.TlsAlpnChallenges;
import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link SharedTicketKey} and {@link VirtualHosts}: what they say about the key
 * and the contexts in use is true when something fails.
 */
class SharedTicketKeyTests {

	private final SharedTicketKey key = new SharedTicketKey(SessionTicketKey.of(new byte[48]));

	private final SessionTicketKey replacement = SessionTicketKey.of(new byte[80]);

	private volatile boolean failing;

	private boolean withoutTrustStore;

	@Test
	void whenOneUserCannotPrepareThenNobodyUsesTheKey() {
		VirtualHosts hosts = hosts(this.key);
		SSLHostConfig host = host();
		hosts.createContexts(host, this::context);
		SSLContext before = served(host);
		this.key.addUser((replaced) -> hosts.prepare(List.of(host), replaced, this::context));
		this.key.addUser((replaced) -> {
			throw new IllegalStateException("no context");
		});
		SessionTicketKey old = this.key.get();
		assertThatIllegalStateException().isThrownBy(() -> this.key.replace(this.replacement));
		assertThat(this.key.get()).isSameAs(old);
		assertThat(served(host)).isSameAs(before);
	}

	@Test
	@Timeout(60)
	void whenACertificateIsReplacedMeanwhileThenTheKeyIsReplacedAsAWhole() throws Exception {
		VirtualHosts hosts = hosts(this.key);
		SSLHostConfig host = host();
		hosts.createContexts(host, this::context);
		SSLContext before = served(host);
		this.key.addUser((replaced) -> hosts.prepare(List.of(host), replaced, this::context));
		Thread reload = new Thread(() -> hosts.createContexts(host, this::context));
		reload.setUncaughtExceptionHandler((thread, ex) -> {
		});
		this.key.addUser((replaced) -> {
			reload.start();
			while (reload.isAlive() && reload.getState() != Thread.State.BLOCKED) {
				Thread.onSpinWait();
			}
			this.failing = true;
			return () -> {
			};
		});
		this.key.replace(this.replacement);
		assertThat(this.key.get()).isSameAs(this.replacement);
		SSLContext published = served(host);
		assertThat(published).isNotSameAs(before);
		reload.join(Duration.ofSeconds(30).toMillis());
		assertThat(reload.isAlive()).isFalse();
		assertThat(served(host)).as("the replaced certificate was refused").isSameAs(published);
	}

	@Test
	void whenTheSettingsOfAHostCannotBeKeptThenItsContextsAreNotReplaced() {
		VirtualHosts hosts = hosts(null);
		SSLHostConfig host = host();
		hosts.createContexts(host, this::context);
		SSLContext before = served(host);
		this.withoutTrustStore = true;
		assertThatExceptionOfType(UncheckedIOException.class)
			.isThrownBy(() -> hosts.createContexts(host, this::context));
		assertThat(served(host)).isSameAs(before);
	}

	private SSLContext context(SSLHostConfigCertificate certificate) {
		if (this.failing) {
			throw new IllegalStateException("no context");
		}
		return new UnusedContext();
	}

	// Its trust store is unknown, so that its contexts do not get the key, which only
	// OpenSSL can use
	private SSLHostConfig host() {
		SSLHostConfig host = new SSLHostConfig() {

			@Override
			public @Nullable KeyStore getTruststore() throws IOException {
				if (SharedTicketKeyTests.this.withoutTrustStore) {
					throw new IOException("no trust store");
				}
				return null;
			}

		};
		host.addCertificate(new SSLHostConfigCertificate(host, Type.UNDEFINED));
		host.setCertificateVerification("required");
		host.setEnabledProtocols(new String[0]);
		host.setTrustManagerClassName("com.example.TrustManager");
		return host;
	}

	private static VirtualHosts hosts(@Nullable SharedTicketKey key) {
		return new VirtualHosts(false, new TlsSettings(List.of(), RevocationChecks.NONE, Map.of(), (host) -> null, key,
				null, null, null, false, TlsAlpnChallenges.NONE));
	}

	private static SSLContext served(SSLHostConfig host) {
		return host.getCertificates().iterator().next().getSslContext();
	}

	/**
	 * A context that serves no connection.
	 */
	private static final class UnusedContext implements SSLContext {

		@Override
		public void init(KeyManager[] keyManagers, TrustManager[] trustManagers, SecureRandom random) {
		}

		@Override
		public void destroy() {
		}

		@Override
		public @Nullable SSLSessionContext getServerSessionContext() {
			return null;
		}

		@Override
		public @Nullable SSLEngine createSSLEngine() {
			return null;
		}

		@Override
		public @Nullable SSLServerSocketFactory getServerSocketFactory() {
			return null;
		}

		@Override
		public @Nullable SSLParameters getSupportedSSLParameters() {
			return null;
		}

		@Override
		public X509Certificate @Nullable [] getCertificateChain(String alias) {
			return null;
		}

		@Override
		public X509Certificate @Nullable [] getAcceptedIssuers() {
			return null;
		}

	}

}
