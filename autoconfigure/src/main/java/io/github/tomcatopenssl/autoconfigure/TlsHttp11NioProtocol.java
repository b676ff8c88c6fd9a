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

import java.time.Duration;

import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.SSLHostConfig;

/**
 * Tomcat's default protocol with an endpoint of ours, which withstands hostile clients
 * and applies secure defaults. The connector of {@code server.port} has it; a connector
 * that an application adds gets OpenSSL with this protocol only.
 */
public class TlsHttp11NioProtocol extends Http11NioProtocol {

	/**
	 * What Tomcat's {@code SocketProperties} has where the pool of buffers is not
	 * configured.
	 */
	private static final int UNSET = -2;

	/**
	 * As in Tomcat's {@code SocketProperties.getActualBufferPool}.
	 */
	private static final int HEAP_TO_BUFFER_POOL = 32;

	private final OpenSslCounters counters = new OpenSslCounters();

	private final TlsNioEndpoint endpoint;

	/**
	 * Create a new instance, as Tomcat does by the name of the class.
	 */
	public TlsHttp11NioProtocol() {
		this(new TlsNioEndpoint());
	}

	private TlsHttp11NioProtocol(TlsNioEndpoint endpoint) {
		super(endpoint);
		this.endpoint = endpoint;
	}

	/**
	 * Take the settings of the server.
	 * @param virtualHosts what has to hold for the virtual hosts
	 * @param handshakeTimeout how long a client may take for its handshake
	 */
	void configure(VirtualHosts virtualHosts, Duration handshakeTimeout) {
		this.endpoint.configure(virtualHosts, handshakeTimeout);
	}

	@Override
	public void init() throws Exception {
		if (isSSLEnabled()) {
			this.endpoint.configureVirtualHosts();
		}
		super.init();
	}

	/**
	 * Apply the settings that cost the least with OpenSSL ({@code benchmark/DECISIONS.md}
	 * has the measurements), where the user has set nothing. Tomcat keeps the buffers of
	 * closed connections for new ones in a 32nd of the heap, but only of a heap above 2
	 * GiB; here it does so for any.
	 */
	void useOpenSslDefaults() {
		if (getEndpoint().getSocketProperties().getBufferPool() == UNSET
				&& getEndpoint().getSocketProperties().getBufferPoolSize() == UNSET) {
			long size = Runtime.getRuntime().maxMemory() / HEAP_TO_BUFFER_POOL;
			setProperty("socket.bufferPoolSize", Long.toString(Math.min(size, Integer.MAX_VALUE)));
		}
	}

	/**
	 * Return what OpenSSL counts.
	 * @return what was counted since this protocol was made, nothing where another engine
	 * serves
	 */
	OpenSslCounters.Counts counts() {
		return this.counters.read(findSslHostConfigs());
	}

	@Override
	public void start() throws Exception {
		super.start();
		this.counters.open();
	}

	@Override
	public void stop() throws Exception {
		this.counters.close(findSslHostConfigs());
		super.stop();
	}

	@Override
	public void destroy() throws Exception {
		this.counters.close(findSslHostConfigs());
		super.destroy();
	}

	@Override
	public void addSslHostConfig(SSLHostConfig sslHostConfig, boolean replace) {
		// Before contexts are replaced
		counts();
		super.addSslHostConfig(sslHostConfig, replace);
	}

}
