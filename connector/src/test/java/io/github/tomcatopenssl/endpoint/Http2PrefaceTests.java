// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.test.Http;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of clients of HTTP/2 whose first request arrives with the preface.
 */
@Tag("servers")
class Http2PrefaceTests {

	@ParameterizedTest
	@EnumSource
	void whenPrefaceAndRequestArriveWhileServerStillWaitsForThemThenAreAnswered(Engine engine) throws Exception {
		SlowHttp2 http2 = new SlowHttp2();
		ConnectorServer slow = new ConnectorServer(engine);
		slow.connector().addUpgradeProtocol(http2);
		try (ConnectorServer server = slow.start();
				RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.H2)) {
			client.completeHandshake();
			assertThat(http2.begun.await(10, TimeUnit.SECONDS)).isTrue();
			client.send(client.request());
			assertThat(client.answers(1).answers()).isOne();
		}
	}

	/**
	 * HTTP/2 whose first thread is still at work when the preface is read by another one,
	 * which is slow as well.
	 */
	private static final class SlowHttp2 extends Http2Protocol {

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch read = new CountDownLatch(1);

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
