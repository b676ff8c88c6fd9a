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

import java.beans.PropertyDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.Set;

import org.apache.tomcat.util.net.SSLHostConfig;

import org.springframework.beans.BeanWrapper;
import org.springframework.beans.BeanWrapperImpl;

/**
 * Copies settings from one configuration of a host to another: when Spring Boot reloads
 * an SSL bundle, it makes a new configuration and forgets what a customizer has set on
 * the old one.
 */
final class HostConfigCopier {

	/**
	 * What Tomcat sets by itself, or what identifies the configuration.
	 */
	private static final Set<String> OWN = Set.of("hostName", "objectName", "openSslContext", "openSslConfContext",
			"enabledProtocols", "enabledCiphers", "tls13RenegotiationAvailable");

	private static final SSLHostConfig DEFAULTS = new SSLHostConfig();

	private HostConfigCopier() {
	}

	/**
	 * Copy what is set on one configuration and left at Tomcat's default on the other,
	 * but no certificates. Whether clients are verified is copied in any case, since it
	 * does not depend on the bundle.
	 * @param from the configuration to copy from
	 * @param to the configuration to copy to
	 */
	static void copy(SSLHostConfig from, SSLHostConfig to) {
		BeanWrapper source = new BeanWrapperImpl(from);
		BeanWrapper target = new BeanWrapperImpl(to);
		BeanWrapper defaults = new BeanWrapperImpl(DEFAULTS);
		for (PropertyDescriptor property : source.getPropertyDescriptors()) {
			String name = property.getName();
			if (!isPlain(property) || OWN.contains(name)) {
				continue;
			}
			Object value = source.getPropertyValue(name);
			Object initial = defaults.getPropertyValue(name);
			if (Objects.equals(target.getPropertyValue(name), initial) && !Objects.equals(value, initial)) {
				target.setPropertyValue(name, value);
			}
		}
		if (to.getProtocols().equals(DEFAULTS.getProtocols())) {
			to.setProtocols(String.join("+", from.getProtocols()));
		}
		to.setCertificateVerification(from.getCertificateVerificationAsString());
		copyTrustStore(from, to);
	}

	private static boolean isPlain(PropertyDescriptor property) {
		Method getter = property.getReadMethod();
		Method setter = property.getWriteMethod();
		return getter != null && setter != null && getter.getReturnType() == setter.getParameterTypes()[0];
	}

	private static void copyTrustStore(SSLHostConfig from, SSLHostConfig to) {
		try {
			if (to.getTruststore() == null && from.getTruststore() != null) {
				to.setTrustStore(from.getTruststore());
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
