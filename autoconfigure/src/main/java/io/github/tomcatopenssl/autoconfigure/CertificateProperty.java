// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.StreamSupport;

import io.github.tomcatopenssl.TlsSettingException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.ssl.pem.PemSslStore;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.core.env.Environment;

/**
 * A property that names the PEM file of a certificate. The connector knows the
 * certificate, but not where it comes from.
 *
 * @param name the name of the property
 * @param file the file
 */
record CertificateProperty(String name, String file) {

	// The properties of this project and of Spring Boot, without dashes
	private static final Set<String> NAMES = Set.of("certificatefile", "certificate");

	static Optional<CertificateProperty> find(Environment environment, X509Certificate leaf) {
		return StreamSupport.stream(ConfigurationPropertySources.get(environment).spliterator(), false)
			.filter(IterableConfigurationPropertySource.class::isInstance)
			.flatMap((source) -> ((IterableConfigurationPropertySource) source).stream())
			.filter((name) -> !name.isEmpty() && NAMES.contains(name.getLastElement(Form.UNIFORM)))
			.map((name) -> of(environment, name, leaf))
			.filter(Objects::nonNull)
			.findFirst();
	}

	private static @Nullable CertificateProperty of(Environment environment, ConfigurationPropertyName name,
			X509Certificate leaf) {
		try {
			String file = environment.getRequiredProperty(name.toString());
			PemSslStore store = PemSslStore.load(PemSslStoreDetails.forCertificate(file));
			List<X509Certificate> chain = (store != null) ? store.certificates() : null;
			return (chain != null && chain.get(0).equals(leaf))
					? new CertificateProperty(name.toString(), TlsSettingException.describe(file)) : null;
		}
		catch (RuntimeException ex) {
			// It is not the file that was read
			return null;
		}
	}

}
