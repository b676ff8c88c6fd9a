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

import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.openssl.OpenSSLImplementation;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's default endpoint, with two differences.
 * <p>
 * Its check of SNI against the host of a request withstands a reload. Tomcat looks the
 * two up one after the other and compares the configurations: one that is replaced in
 * between is not the same as itself, and the request would fail with status 400.
 * <p>
 * With OpenSSL, the handshake ends without a turn of the poller
 * ({@link PromptNioChannel}).
 */
class TlsNioEndpoint extends NioEndpoint {

	@Override
	public boolean checkSni(@Nullable String sniHostName, @Nullable String protocolHostName) {
		return super.checkSni(sniHostName, protocolHostName) || super.checkSni(sniHostName, protocolHostName);
	}

	@Override
	protected NioChannel createChannel(SocketBufferHandler buffer) {
		return (isSSLEnabled() && getSslImplementation() instanceof OpenSSLImplementation)
				? new PromptNioChannel(buffer, this) : super.createChannel(buffer);
	}

}
