// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.certificate.ServerCertificateSource;
import io.github.tomcatopenssl.certificate.ServerCertificates;
import io.github.tomcatopenssl.internal.host.CertificateHost;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.pem.PrivateKeys;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;

/**
 * Makes hosts of the bundles that the application adds.
 */
public final class AddedCertificates implements ServerCertificates {

	private static final Log logger = LogFactory.getLog(AddedCertificates.class);

	private static final String PREFIX = "application/";

	private static final Pattern NAME = Pattern.compile("[!-~]{1,255}");

	private final CertificateHosts hosts;

	private final BooleanSupplier isServerRunning;

	/**
	 * Create a new instance.
	 * @param hosts gets the hosts
	 * @param isServerRunning returns whether the server has connectors that are running
	 */
	public AddedCertificates(CertificateHosts hosts, BooleanSupplier isServerRunning) {
		this.hosts = hosts;
		this.isServerRunning = isServerRunning;
	}

	@Override
	public void put(String name, SslBundle bundle) {
		requireName(name);
		if (!this.hosts.areServed() && this.isServerRunning.getAsBoolean()) {
			throw new IllegalStateException(
					"The certificate '%s' cannot be served: no connector of the server uses the protocol of this starter. The log of the start says why"
						.formatted(name));
		}
		try {
			this.hosts.put(host(PREFIX + name, bundle)).forEach(logger::warn);
		}
		catch (TlsSettingException ex) {
			throw refusal(name, text(ex), ex);
		}
	}

	@Override
	public boolean remove(String name) {
		return this.hosts.remove(PREFIX + name);
	}

	private static void requireName(String name) {
		if (!NAME.matcher(name).matches()) {
			throw new IllegalArgumentException("The name of a certificate has 1 to 255 visible ASCII characters");
		}
	}

	/**
	 * Have the application asked for certificates that nobody has added.
	 * @param hosts gets the hosts
	 * @param source knows the certificates
	 */
	public static void ask(CertificateHosts hosts, ServerCertificateSource source) {
		hosts.ask((serverName, name) -> {
			SslBundle bundle = source.find(serverName);
			CertificateHost host = (bundle != null) ? host(name, bundle) : null;
			if (host != null && !host.serves(serverName)) {
				throw refusal(serverName, "it is for other names, such as '%s'".formatted(host.serverNames().get(0)),
						null);
			}
			return host;
		});
	}

	private static CertificateHost host(String name, SslBundle bundle) {
		try {
			return CertificateHost.of(name, keys(name, bundle),
					(problem) -> logger.warn(refusal(name, text(problem), null).getMessage()));
		}
		catch (GeneralSecurityException ex) {
			throw refusal(name, "its key store cannot be read: " + ex.getMessage(), ex);
		}
	}

	private static String text(TlsSettingException problem) {
		return problem.getReason(SettingName::toString) + ". " + problem.getAction(SettingName::toString);
	}

	private static IllegalArgumentException refusal(String name, String reason, @Nullable Exception cause) {
		return new IllegalArgumentException("The certificate '%s' is not used: %s".formatted(name, reason), cause);
	}

	private static List<HostKey> keys(String name, SslBundle bundle) throws GeneralSecurityException {
		KeyStore store = bundle.getStores().getKeyStore();
		String alias = bundle.getKey().getAlias();
		List<HostKey> keys = new ArrayList<>();
		if (store != null) {
			for (String candidate : (alias != null) ? List.of(alias) : Collections.list(store.aliases())) {
				if (store.getKey(candidate, password(bundle)) instanceof PrivateKey key) {
					keys.add(new HostKey(key, chain(store.getCertificateChain(candidate))));
				}
			}
		}
		if (keys.isEmpty()) {
			throw refusal(name, "its bundle has no private key", null);
		}
		for (HostKey key : keys) {
			PrivateKey privateKey = Objects.requireNonNull(key.key());
			if (privateKey.getEncoded() != null && !PrivateKeys.matches(privateKey, key.leaf().getPublicKey())) {
				throw refusal(name, "its private key does not belong to the certificate", null);
			}
		}
		if (keys.stream().map(HostKey::type).distinct().count() < keys.size()) {
			throw refusal(name, "its bundle has several keys of the same type. Set the alias of the one to use", null);
		}
		return keys;
	}

	private static List<X509Certificate> chain(Certificate[] chain) {
		return Arrays.asList(Arrays.copyOf(chain, chain.length, X509Certificate[].class));
	}

	private static char[] password(SslBundle bundle) {
		return Stream.of(bundle.getKey().getPassword(), bundle.getStores().getKeyStorePassword())
			.filter(Objects::nonNull)
			.findFirst()
			.orElse("")
			.toCharArray();
	}

}
