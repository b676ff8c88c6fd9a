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

package io.github.tomcatopenssl.sample;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What served a request.
 *
 * @param engine the TLS engine, {@code none} for plain HTTP
 * @param openSslVersion the version of OpenSSL, when it is the engine
 * @param tomcatNativeVersion the version of Tomcat Native, when OpenSSL is the engine
 * @param library the file of Tomcat Native, when OpenSSL is the engine
 * @param httpProtocol the HTTP version of the request
 * @param protocol the TLS version of its connection
 * @param cipherSuite the cipher suite of its connection
 * @param groups the groups that the server allows for the key exchange, in its order of
 * preference; Tomcat does not tell which of them a connection has negotiated
 */
record TlsReport(String engine, @Nullable String openSslVersion, @Nullable String tomcatNativeVersion,
		@Nullable String library, String httpProtocol, @Nullable String protocol, @Nullable String cipherSuite,
		List<String> groups) {
}
