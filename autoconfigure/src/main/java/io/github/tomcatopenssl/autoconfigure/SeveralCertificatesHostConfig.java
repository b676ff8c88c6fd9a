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

import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.autoconfigure.ServerCertificateBundles.HostSettings;
import org.apache.tomcat.util.net.Constants;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;

/**
 * A host of Tomcat with several certificates. Tomcat's OpenSSL engine reads the enabled
 * protocols back from the context of the first certificate, forgets TLS 1.3 there, and
 * would make the contexts of the others without it.
 */
class SeveralCertificatesHostConfig extends SSLHostConfig {

	/**
	 * Create a new instance.
	 * @param config what Spring Boot has made of an SSL bundle
	 * @param keyStore the keys
	 * @param settings the types of the keys
	 */
	SeveralCertificatesHostConfig(SSLHostConfig config, KeyStore keyStore, HostSettings settings) {
		setHostName(config.getHostName());
		HostConfigCopier.copy(config, this);
		settings.keyTypes().forEach((alias, type) -> {
			SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(this,
					SSLHostConfigCertificate.Type.valueOf(type));
			certificate.setCertificateKeystore(keyStore);
			certificate.setCertificateKeystorePassword("");
			certificate.setCertificateKeyAlias(alias);
			addCertificate(certificate);
		});
	}

	@Override
	public void setEnabledProtocols(String[] enabledProtocols) {
		List<String> protocols = new ArrayList<>(List.of(enabledProtocols));
		if (getProtocols().contains(Constants.SSL_PROTO_TLSv1_3) && !protocols.contains(Constants.SSL_PROTO_TLSv1_3)) {
			protocols.add(Constants.SSL_PROTO_TLSv1_3);
		}
		super.setEnabledProtocols(protocols.toArray(String[]::new));
	}

}
