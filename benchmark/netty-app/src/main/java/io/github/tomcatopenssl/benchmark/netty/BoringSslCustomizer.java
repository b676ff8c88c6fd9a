// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.benchmark.netty;

import java.io.File;
import java.security.SecureRandom;
import java.util.List;

import javax.net.ssl.SSLException;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.OpenSslServerContext;
import io.netty.handler.ssl.OpenSslSessionTicketKey;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import reactor.netty.http.HttpProtocol;

import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Serves {@code benchmark.certificate} with BoringSSL, with TLS 1.3, X25519 and session
 * tickets. Clients need a certificate of {@code benchmark.client-ca}, if there is one.
 */
@Component
class BoringSslCustomizer implements WebServerFactoryCustomizer<NettyReactiveWebServerFactory> {

	private static final Log logger = LogFactory.getLog(BoringSslCustomizer.class);

	private final Environment environment;

	BoringSslCustomizer(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void customize(NettyReactiveWebServerFactory factory) {
		OpenSsl.ensureAvailability();
		SslContext context = context();
		logger.info("TLS by " + OpenSsl.versionString());
		factory.addServerCustomizers((server) -> server.secure((spec) -> spec.sslContext(context))
			.protocol(HttpProtocol.HTTP11, HttpProtocol.H2));
	}

	private SslContext context() {
		try {
			String clientCa = this.environment.getProperty("benchmark.client-ca");
			SslContext context = SslContextBuilder
				.forServer(new File(this.environment.getRequiredProperty("benchmark.certificate")),
						new File(this.environment.getRequiredProperty("benchmark.key")))
				.sslProvider(SslProvider.OPENSSL)
				.protocols("TLSv1.3")
				.ciphers(List.of("TLS_AES_128_GCM_SHA256"))
				.applicationProtocolConfig(new ApplicationProtocolConfig(Protocol.ALPN,
						SelectorFailureBehavior.NO_ADVERTISE, SelectedListenerFailureBehavior.ACCEPT,
						ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1))
				.trustManager((clientCa != null) ? new File(clientCa) : null)
				.clientAuth((clientCa != null) ? ClientAuth.REQUIRE : ClientAuth.NONE)
				.option(OpenSslContextOption.GROUPS, new String[] { "X25519" })
				.build();
			// Netty gives no tickets without keys
			((OpenSslServerContext) context).sessionContext().setTicketKeys(ticketKey());
			return context;
		}
		catch (SSLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static OpenSslSessionTicketKey ticketKey() {
		SecureRandom random = new SecureRandom();
		byte[] name = new byte[OpenSslSessionTicketKey.NAME_SIZE];
		byte[] hmac = new byte[OpenSslSessionTicketKey.HMAC_KEY_SIZE];
		byte[] aes = new byte[OpenSslSessionTicketKey.AES_KEY_SIZE];
		random.nextBytes(name);
		random.nextBytes(hmac);
		random.nextBytes(aes);
		return new OpenSslSessionTicketKey(name, hmac, aes);
	}

}
