// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.List;

import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SecureNioChannel;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.SocketEvent;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of what happens with an unknown version of Tomcat.
 */
class TomcatMembersTests {

	@Test
	void whenTomcatIsTheOneOfTheBuildThenHasAll() {
		assertThat(TomcatMembers.missing()).isNull();
		assertThat(TlsHttp11NioProtocol.isSupported()).isTrue();
	}

	@Test
	void whenMethodOrFieldIsMissingThenIsNamedWithTheVersion() {
		assertThat(TomcatMembers.missing(SecureNioChannel.class, List.of("processSNI()", "processSNI(int)")))
			.matches("Tomcat 11\\.\\S+ has no 'processSNI\\(int\\)' in SecureNioChannel");
		assertThat(TomcatMembers.missing(NioEndpoint.class, List.of("socketProperties", "sockets")))
			.endsWith("has no 'sockets' in NioEndpoint");
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

}
