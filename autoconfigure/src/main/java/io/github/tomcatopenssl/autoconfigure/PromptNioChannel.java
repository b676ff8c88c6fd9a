/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.nio.channels.SelectionKey;

import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SecureNioChannel;
import org.apache.tomcat.util.net.SocketBufferHandler;

/**
 * Tomcat's channel for TLS, which writes the last of a handshake at once. Tomcat asks the
 * poller first whether the socket can be written to, so that the session tickets of a TLS
 * 1.3 handshake cost a turn of the poller and of a worker, although they nearly always
 * fit. Where they do not, the poller is asked as ever.
 */
class PromptNioChannel extends SecureNioChannel {

	PromptNioChannel(SocketBufferHandler buffer, NioEndpoint endpoint) {
		super(buffer, endpoint);
	}

	@Override
	public int handshake(boolean read, boolean write) throws IOException {
		int interest = super.handshake(read, true);
		// Everything is written, and Tomcat would go on as soon as the socket can be
		// written to
		while (interest == SelectionKey.OP_WRITE && !this.netOutBuffer.hasRemaining()) {
			interest = super.handshake(read, true);
		}
		return interest;
	}

}
