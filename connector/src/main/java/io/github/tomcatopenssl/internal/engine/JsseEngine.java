// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.lang.reflect.InvocationTargetException;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.SignatureScheme;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.engine.JsseSession.UnencryptedAlertException;
import io.github.tomcatopenssl.internal.host.CertificateOrigin;
import io.github.tomcatopenssl.internal.host.EngineCapabilities;
import io.github.tomcatopenssl.internal.host.SessionTicketKeys;
import io.github.tomcatopenssl.internal.host.TlsHost;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.tomcat.util.compat.JreCompat;
import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLImplementation;
import org.apache.tomcat.util.net.jsse.JSSEImplementation;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.jspecify.annotations.Nullable;

/**
 * JSSE, by {@link SSLEngine}.
 */
final class JsseEngine implements TlsEngine {

	/**
	 * Name of the engine.
	 */
	static final String NAME = "JSSE";

	// Tomcat's own engine for OpenSSL is not used
	private static final String OPENSSL_PACKAGE = "org.apache.tomcat.util.net.openssl";

	// Makes JSSE reject renegotiation by a client (JSSE Reference Guide). OpenSSL 3 does
	// not renegotiate by default
	private static final String REJECT_RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";

	// These system properties turn off features of JSSE's clients that others have
	private static final List<String> CLIENT_LIMITS = List.of("jdk.tls.client.SignatureSchemes",
			"jdk.tls.client.disableExtensions");

	private static final String ALERT = "Received fatal alert: ";

	// Only the beginnings of these messages distinguish the failures of JSSE
	private static final Map<String, HandshakeFailure> FAILURES = Map.of("Received close_notify",
			HandshakeFailure.CLOSED, "Unknown alert", HandshakeFailure.ALERT, "Empty client certificate chain",
			HandshakeFailure.PEER_CERTIFICATE_MISSING, "The certificate chain length",
			HandshakeFailure.PEER_CERTIFICATE_REFUSED, "The size of the handshake message", HandshakeFailure.TOO_LARGE);

	// Java 28 is the first to have ML-DSA
	private static final Set<SignatureScheme> SIGNATURES = EnumSet
		.complementOf(EnumSet.of(SignatureScheme.MLDSA44, SignatureScheme.MLDSA65, SignatureScheme.MLDSA87));

	private final Set<String> suites;

	private final EngineCapabilities capabilities;

	JsseEngine() {
		try {
			javax.net.ssl.SSLContext context = javax.net.ssl.SSLContext.getInstance("TLS");
			context.init(null, null, null);
			SSLParameters supported = context.getSupportedSSLParameters();
			this.suites = Set.copyOf(Arrays.asList(supported.getCipherSuites()));
			// Java turns off earlier versions with the security property
			// jdk.tls.disabledAlgorithms
			SSLEngine server = context.createSSLEngine();
			server.setUseClientMode(false);
			Set<ProtocolVersion> versions = new LinkedHashSet<>(SecurityPolicy.INTERMEDIATE.versions());
			versions.addAll(versions(server.getEnabledProtocols()));
			Set<ProtocolVersion> all = new LinkedHashSet<>(versions);
			if (versions(supported.getProtocols()).contains(ProtocolVersion.SSL_2_HELLO)) {
				all.add(ProtocolVersion.SSL_2_HELLO);
			}
			this.capabilities = new EngineCapabilities(NAME, groups(supported), SIGNATURES,
					Arrays.stream(Cipher.values())
						.filter((cipher) -> !Collections.disjoint(this.suites, cipher.getJsseNames()))
						.collect(Collectors.toSet()),
					List.copyOf(versions), List.copyOf(all), true, true, false);
		}
		catch (GeneralSecurityException | NoSuchMethodException | IllegalAccessException
				| InvocationTargetException ex) {
			throw new IllegalStateException("Unable to determine what JSSE supports", ex);
		}
	}

	private static List<ProtocolVersion> versions(String[] names) {
		return Arrays.stream(names).map(ProtocolVersion::of).filter(Objects::nonNull).toList();
	}

	// Whether they include a hybrid group also depends on the update and the vendor of
	// the JDK. Before Java 20, they cannot be set
	private static Set<KeyExchangeGroup> groups(SSLParameters supported)
			throws NoSuchMethodException, IllegalAccessException, InvocationTargetException {
		Set<KeyExchangeGroup> groups = EnumSet.noneOf(KeyExchangeGroup.class);
		if (JreCompat.isJre20Available()) {
			String[] names = (String[]) SSLParameters.class.getMethod("getNamedGroups").invoke(supported);
			for (KeyExchangeGroup group : KeyExchangeGroup.values()) {
				if (Arrays.stream(names).anyMatch(group.toString()::equalsIgnoreCase)) {
					groups.add(group);
				}
			}
		}
		return groups;
	}

	@Override
	public EngineCapabilities capabilities() {
		return this.capabilities;
	}

	@Override
	public boolean signsAtOnce() {
		return false;
	}

	@Override
	public boolean needsDirectBuffers() {
		return false;
	}

	// Without a name, Tomcat would choose OpenSSL once another application of the JVM has
	// loaded it, although this connector must not use it
	@Override
	public void prepare(Connector connector) {
		AbstractHttp11Protocol<?> protocol = (AbstractHttp11Protocol<?>) connector.getProtocolHandler();
		String name = protocol.getSslImplementationName();
		if (name == null || name.equals(OPENSSL_IMPLEMENTATION)) {
			protocol.setSslImplementationName(JSSEImplementation.class.getName());
		}
		if (System.getProperty(REJECT_RENEGOTIATION) == null) {
			System.setProperty(REJECT_RENEGOTIATION, "true");
		}
	}

	@Override
	public boolean isChosen(SSLImplementation implementation) {
		return implementation instanceof JSSEImplementation;
	}

	@Override
	public TlsContext createContext(TlsHost host, List<String> applicationProtocols,
			Supplier<@Nullable SessionTicketKeys> ticketKeys, CertificateOrigin origin) {
		return context(host, applicationProtocols, null);
	}

	@Override
	public TlsContext createContext(TlsHost host, List<String> applicationProtocols, SSLContext provided) {
		if (provided.getClass().getPackageName().equals(OPENSSL_PACKAGE)) {
			throw new TlsSettingException(SettingName.CERTIFICATE,
					new SettingText("the virtual host '%s' has its own 'SSLContext' of Tomcat's engine for OpenSSL",
							host.name()),
					new SettingText("Remove whatever sets 'sslContext'"), null);
		}
		return context(host, applicationProtocols, provided);
	}

	private TlsContext context(TlsHost host, List<String> applicationProtocols, @Nullable SSLContext provided) {
		List<String> suites = Stream.of(host.policy().cipherSuites(), host.policy().ciphers())
			.flatMap(List::stream)
			.flatMap((cipher) -> cipher.getJsseNames().stream())
			.filter(this.suites::contains)
			.toList();
		if (suites.isEmpty()) {
			throw new TlsSettingException(SettingName.CIPHERS,
					new SettingText("%s, which serves TLS, supports none of the cipher suites of the virtual host '%s'",
							NAME, host.name()),
					new SettingText("Name other suites, or remove the property"), null);
		}
		try {
			return new JsseContext(host, suites, applicationProtocols, provided);
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalArgumentException(
					"JSSE refuses the virtual host '%s': %s".formatted(host.name(), ex.getMessage()), ex);
		}
	}

	@Override
	public TlsSession newClient(List<ProtocolVersion> versions) throws GeneralSecurityException {
		for (String limit : CLIENT_LIMITS) {
			if (System.getProperty(limit) != null) {
				throw new IllegalStateException("'%s' is set".formatted(limit));
			}
		}
		return JsseContext.newClient(this.suites, versions, this.capabilities.groups());
	}

	// JSSE limits the size of messages and chains. Other clients have different limits
	@Override
	public boolean isConclusive(SSLException failure) {
		return failure instanceof SSLHandshakeException;
	}

	// Newer versions of Java begin the message with the alert that they send
	@Override
	public HandshakeFailure failure(SSLException failure) {
		if (failure instanceof UnencryptedAlertException ex) {
			return HandshakeFailure.ofAlert(ex.number());
		}
		String message = String.valueOf(failure.getMessage()).replaceFirst("^\\(\\w+\\) ", "");
		if (message.startsWith(ALERT)) {
			return HandshakeFailure.ofAlert(message.substring(ALERT.length()));
		}
		for (Map.Entry<String, HandshakeFailure> known : FAILURES.entrySet()) {
			if (message.startsWith(known.getKey())) {
				return known.getValue();
			}
		}
		return isRefused(failure) ? HandshakeFailure.PEER_CERTIFICATE_REFUSED : HandshakeFailure.OTHER;
	}

	private static boolean isRefused(Throwable thrown) {
		return thrown instanceof CertificateException || thrown.getCause() != null && isRefused(thrown.getCause());
	}

}
