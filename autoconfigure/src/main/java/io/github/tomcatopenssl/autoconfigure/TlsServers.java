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

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.apache.catalina.connector.Connector;

/**
 * The connectors that serve TLS, of the main server and of the management server, once
 * they have started.
 */
class TlsServers {

	private final List<Connector> connectors = new CopyOnWriteArrayList<>();

	/**
	 * Add the connectors of a server that has started. It may have been stopped before.
	 * @param started the connectors
	 */
	void add(List<Connector> started) {
		started.stream().filter((connector) -> !this.connectors.contains(connector)).forEach(this.connectors::add);
	}

	/**
	 * Return the connectors that run now.
	 * @return the connectors
	 */
	List<Connector> running() {
		return this.connectors.stream().filter((connector) -> connector.getState().isAvailable()).toList();
	}

}
