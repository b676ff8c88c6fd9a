// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.ByteBuffer;

import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.SocketEvent;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TomcatMembers}: what happens with an unknown version of Tomcat.
 */
class TomcatMembersTests {

	@Test
	void whenTomcatIsTheOneOfTheBuildThenHasAll() {
		assertThat(TomcatMembers.missing()).isNull();
		assertThat(TlsHttp11NioProtocol.isSupported()).isTrue();
	}

	@Test
	void whenMethodIsMissingThenIsNamedWithTheVersion() {
		assertThat(TomcatMembers.missing(OutdatedChannel.class))
			.matches("Tomcat 11\\.\\S+ has no 'read\\(ByteBuffer,boolean\\)' in NioChannel");
	}

	@Test
	void whenConnectionIsNotOursThenIsClosed() {
		TlsNioEndpoint endpoint = new TlsNioEndpoint();
		endpoint.setSSLEnabled(true);
		NioSocketWrapper connection = new NioSocketWrapper(new NioChannel(new SocketBufferHandler(0, 0, false)),
				endpoint);
		endpoint.createSocketProcessor(connection, SocketEvent.OPEN_READ).run();
		assertThat(connection.isClosed()).isTrue();
	}

	static class OutdatedChannel extends NioChannel {

		OutdatedChannel() {
			super(new SocketBufferHandler(0, 0, false));
		}

		@Override
		public int read(ByteBuffer data) {
			return 0;
		}

		// Without the annotation, as if Tomcat had another parameter since
		protected int read(ByteBuffer data, boolean all) {
			return 0;
		}

	}

}
