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
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.Collections;

import io.github.tomcatopenssl.OpenSslUnavailableException;
import org.apache.catalina.connector.Connector;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.jspecify.annotations.Nullable;

/**
 * What keeps OpenSSL from serving a connector, although there is a library.
 */
final class OpenSslObstacles {

	private OpenSslObstacles() {
	}

	/**
	 * Find an obstacle.
	 * @param connector a connector that serves TLS
	 * @return the obstacle, or {@code null} if OpenSSL can serve the connector
	 */
	static @Nullable OpenSslUnavailableException find(Connector connector) {
		if (!(connector.getProtocolHandler() instanceof TlsHttp11NioProtocol)) {
			if (connector.getProtocolHandlerClassName().equals(TlsHttp11NioProtocol.class.getName())) {
				return new OpenSslUnavailableException(
						"the protocol of the connector is in another class loader than the application's, as with Spring Boot's DevTools where the starter is not a jar",
						"Set 'spring.devtools.restart.enabled' to 'false', or use the jar of the starter", null);
			}
			return new OpenSslUnavailableException(
					"the protocol of the connector is '%s', which does not withstand hostile clients with OpenSSL"
						.formatted(connector.getProtocolHandlerClassName()),
					"Make the connector with the protocol '%s', or remove what sets its protocol"
						.formatted(TlsHttp11NioProtocol.class.getName()),
					null);
		}
		for (SSLHostConfig host : connector.findSslHostConfigs()) {
			for (SSLHostConfigCertificate certificate : host.getCertificates()) {
				if (certificate.getCertificateFile() == null && !isExportable(certificate)) {
					return new OpenSslUnavailableException(
							"the private key of the virtual host '%s' cannot be exported from its key store, and OpenSSL needs it"
								.formatted(host.getHostName()),
							"Set 'server.ssl.openssl.mode' to 'never' if the key has to stay where it is", null);
				}
			}
		}
		return null;
	}

	private static boolean isExportable(SSLHostConfigCertificate certificate) {
		try {
			KeyStore keyStore = certificate.getCertificateKeystore();
			String password = (certificate.getCertificateKeyPassword() != null)
					? certificate.getCertificateKeyPassword() : certificate.getCertificateKeystorePassword();
			if (keyStore == null) {
				return true;
			}
			for (String alias : Collections.list(keyStore.aliases())) {
				String wanted = certificate.getCertificateKeyAlias();
				if (keyStore.isKeyEntry(alias) && (wanted == null || wanted.equalsIgnoreCase(alias))) {
					Key key = keyStore.getKey(alias, (password != null) ? password.toCharArray() : null);
					return key == null || key.getEncoded() != null;
				}
			}
		}
		catch (IOException | GeneralSecurityException ex) {
			// Tomcat says what is wrong when it needs the key
		}
		return true;
	}

}
