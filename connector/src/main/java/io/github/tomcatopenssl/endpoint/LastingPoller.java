// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.channels.SelectionKey;

import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;

/**
 * Tomcat's poller, but an error closes the connection that has caused it, and nothing
 * else. Its work can begin again.
 */
final class LastingPoller extends NioEndpoint.Poller {

	private final SurvivedErrors survived;

	/**
	 * Create a poller.
	 * @param endpoint its endpoint
	 * @param survived gets the errors
	 * @throws IOException if there are not enough file descriptors
	 */
	LastingPoller(NioEndpoint endpoint, SurvivedErrors survived) throws IOException {
		endpoint.super();
		this.survived = survived;
	}

	@Override
	public void run() {
		// A key that is selected already would never be selected again
		getSelector().selectedKeys().clear();
		super.run();
	}

	@Override
	protected void processKey(SelectionKey key, NioSocketWrapper connection) {
		try {
			super.processKey(key, connection);
		}
		catch (Throwable ex) {
			this.survived.add(ex);
			connection.close();
		}
	}

	/**
	 * End the work. Its connections are closed.
	 */
	void stop() {
		destroy();
	}

}
