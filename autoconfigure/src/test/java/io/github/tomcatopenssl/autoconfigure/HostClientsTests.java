// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.security.cert.X509Certificate;
import java.util.List;

import javax.net.ssl.TrustManager;

import io.github.tomcatopenssl.internal.host.ClientMaterial;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.HostKeyStore;
import io.github.tomcatopenssl.internal.host.HostMaterial;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.Ssl.ServerNameSslBundle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link HostClients}.
 */
class HostClientsTests {

	private static final String DEFAULT_HOST = "_default_";

	private static final X509Certificate CA = TestCertificates.get().certificate("ca.crt");

	private final DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry();

	private final Ssl ssl = new Ssl();

	private final HostClients clients = new HostClients(this.ssl, this.bundles);

	@BeforeEach
	void registerBundles() {
		TestCertificates certificates = TestCertificates.get();
		HostKey key = new HostKey(certificates.privateKey("p256"), List.of(certificates.certificate("p256.crt")));
		this.bundles.registerBundle("files", SslBundle.of(SslStoreBundle
			.of(HostKeyStore.of(new HostMaterial(List.of(key), null, List.of(), List.of(CA))), "", null)));
		this.bundles.registerBundle("stores", SslBundle.of(SslStoreBundle.NONE));
	}

	@Test
	void whenThereIsNoTlsThenThereIsNothing() {
		HostClients none = new HostClients(null, null);
		assertThat(none.apply(DEFAULT_HOST)).isEqualTo(ClientMaterial.NONE);
		assertThat(none.usesCertificateFiles()).isFalse();
	}

	@Test
	void whenBundleHasManagersOfItsOwnThenTheyVerifyTheClientsOfItsHost() {
		TrustManager[] managers = { mock() };
		SslManagerBundle own = mock();
		given(own.getTrustManagers()).willReturn(managers);
		this.bundles.registerBundle("own", SslBundle.of(SslStoreBundle.NONE, null, null, null, own));
		this.ssl.setBundle("stores");
		this.ssl.setServerNameBundles(List.of(new ServerNameSslBundle("Bücher.example", "own")));
		assertThat(this.clients.apply("xn--bcher-kva.example").trustManagers()).isSameAs(managers);
		assertThat(this.clients.apply(DEFAULT_HOST).trustManagers()).isNull();
		assertThat(this.clients.apply("other.example").trustManagers()).isNull();
	}

	@Test
	void whenDefaultHostHasFilesThenTheyHoldForHostsWithoutFiles() {
		this.ssl.setBundle("files");
		this.ssl.setServerNameBundles(List.of(new ServerNameSslBundle("a.example", "stores")));
		assertThat(this.clients.apply("a.example").proxyCertificates()).containsExactly(CA);
		assertThat(this.clients.usesCertificateFiles()).isTrue();
	}

	@Test
	void whenOnlyAnotherHostHasFilesThenTheyAreItsOwn() {
		this.ssl.setBundle("stores");
		assertThat(this.clients.usesCertificateFiles()).isFalse();
		this.ssl.setServerNameBundles(List.of(new ServerNameSslBundle("a.example", "files")));
		assertThat(this.clients.usesCertificateFiles()).isTrue();
		assertThat(this.clients.apply(DEFAULT_HOST).proxyCertificates()).isEmpty();
	}

}
