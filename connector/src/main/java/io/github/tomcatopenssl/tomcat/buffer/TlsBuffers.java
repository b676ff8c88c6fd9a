// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.buffer;

import org.apache.tomcat.util.net.SocketProperties;

/**
 * The buffers of connections that OpenSSL serves.
 *
 * @param received for what is received: no more than a record, so that little is left
 * over where the application reads a record at a time
 * @param sent for what is sent
 * @param application for requests and responses
 */
public record TlsBuffers(RecordBuffers received, RecordBuffers sent, ApplicationBuffers application) {

	/**
	 * Two records of the usual size and some small ones.
	 */
	private static final int SENT_AT_ONCE = 40 * 1024;

	/**
	 * Create the buffers that the connections of a server share.
	 * @param properties the settings of its sockets
	 * @return the buffers
	 */
	public static TlsBuffers ofServer(SocketProperties properties) {
		return new TlsBuffers(new RecordBuffers(RecordBuffers.MAX_RECORD), new RecordBuffers(SENT_AT_ONCE),
				new ApplicationBuffers(properties));
	}

}
