// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import jakarta.servlet.http.WebConnection;
import org.apache.coyote.Adapter;
import org.apache.coyote.Request;
import org.apache.coyote.http11.upgrade.InternalHttpUpgradeHandler;
import org.apache.coyote.http2.Http2AsyncUpgradeHandler;
import org.apache.coyote.http2.Http2Protocol;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of clients of HTTP/2 whose first request arrives with the preface.
 */
class Http2PrefaceTests extends AbstractTlsServerTests {

	Http2PrefaceTests() {
		super(WebApplicationType.SERVLET);
	}

	@ParameterizedTest
	@EnumSource
	void whenPrefaceAndRequestArriveWhileServerStillWaitsForThemThenAreAnswered(Engine engine) throws Exception {
		try (TestServer server = start(SlowHttp2.class, engine, pem("p256"))) {
			SlowHttp2 http2 = server.bean(SlowHttp2.class);
			try (RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.H2)) {
				client.completeHandshake();
				assertThat(http2.begun.await(10, TimeUnit.SECONDS)).isTrue();
				client.send(client.request());
				assertThat(client.answers(1).answers()).isOne();
			}
		}
	}

	/**
	 * HTTP/2 whose first thread is still at work when the preface is read by another one,
	 * which is slow as well.
	 */
	@Configuration(proxyBeanMethods = false)
	static class SlowHttp2 extends Http2Protocol {

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch read = new CountDownLatch(1);

		@Bean
		WebServerFactoryCustomizer<TomcatWebServerFactory> http2() {
			return (factory) -> factory.addConnectorCustomizers((connector) -> connector.addUpgradeProtocol(this));
		}

		@Override
		public InternalHttpUpgradeHandler getInternalUpgradeHandler(SocketWrapperBase<?> connection, Adapter adapter,
				Request request) {
			return new Http2AsyncUpgradeHandler(this, adapter, request, connection) {

				@Override
				public void init(WebConnection webConnection) {
					super.init(webConnection);
					SlowHttp2.this.begun.countDown();
					await(() -> SlowHttp2.this.read.getCount() == 0 || connection.getLock().hasQueuedThreads());
				}

				@Override
				public void settingsEnd(boolean ack) throws IOException {
					SlowHttp2.this.read.countDown();
					await(() -> !connection.getLock().isLocked());
					super.settingsEnd(ack);
				}

			};
		}

		private static void await(Callable<Boolean> condition) {
			Awaitility.await().atMost(Duration.ofSeconds(10)).until(condition);
		}

	}

}
