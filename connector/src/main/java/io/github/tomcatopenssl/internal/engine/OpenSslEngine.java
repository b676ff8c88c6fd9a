// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import javax.net.ssl.SSLException;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.SignatureScheme;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.engine.OpenSslSession.OpenSslException;
import io.github.tomcatopenssl.internal.engine.TlsSession.RefusalListener;
import io.github.tomcatopenssl.internal.host.CertificateOrigin;
import io.github.tomcatopenssl.internal.host.EngineCapabilities;
import io.github.tomcatopenssl.internal.host.SessionTicketKeys;
import io.github.tomcatopenssl.internal.host.TlsHost;
import io.github.tomcatopenssl.internal.library.OpenSslError;
import io.github.tomcatopenssl.internal.library.TrialContext;
import org.apache.catalina.Server;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.AprLifecycleListener;
import org.apache.tomcat.jni.AprStatus;
import org.apache.tomcat.jni.SSL;
import org.apache.tomcat.jni.SSLConf;
import org.apache.tomcat.jni.SSLContext;
import org.apache.tomcat.util.net.SSLImplementation;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.jspecify.annotations.Nullable;

/**
 * OpenSSL, by the functions of Tomcat Native.
 */
final class OpenSslEngine implements TlsEngine {

	private static final int ALERT_OFFSET = 1000;

	private static final int MOST_ALERTS = 0xFF;

	private static final int CERTIFICATE_VERIFY_FAILED = 134;

	private static final int EXCESSIVE_MESSAGE_SIZE = 152;

	private static final int PEER_DID_NOT_RETURN_A_CERTIFICATE = 199;

	private final EngineCapabilities capabilities = new EngineCapabilities(OPENSSL,
			accepted("Groups", KeyExchangeGroup.values()), accepted("SignatureAlgorithms", SignatureScheme.values()),
			suites(), SecurityPolicy.INTERMEDIATE.versions(), ProtocolVersion.TLS, false, false, true);

	// They may be more than the version of OpenSSL implies (providers), or fewer (FIPS)
	private static <T> Set<T> accepted(String command, T[] values) {
		try (TrialContext trial = new TrialContext()) {
			long settings = SSLConf.make(trial.pool(), SSL.SSL_CONF_FLAG_FILE | SSL.SSL_CONF_FLAG_SERVER);
			try {
				SSLConf.assign(settings, trial.address());
				return Arrays.stream(values)
					.filter((value) -> isAccepted(settings, command, value.toString()))
					.collect(Collectors.toCollection(LinkedHashSet::new));
			}
			finally {
				SSLConf.free(settings);
			}
		}
		catch (Exception ex) {
			throw new IllegalStateException("Unable to determine what OpenSSL accepts as '%s'".formatted(command), ex);
		}
	}

	private static Set<Cipher> suites() {
		try (TrialContext trial = new TrialContext()) {
			SSLContext.setCipherSuite(trial.address(), OpenSslContext.ALL_CIPHERS);
			SSLContext.setCipherSuitesEx(trial.address(), OpenSslContext.ALL_CIPHER_SUITES);
			Set<String> names = Set.copyOf(Arrays.asList(SSLContext.getCiphers(trial.address())));
			return Arrays.stream(Cipher.values())
				.filter((cipher) -> names.contains(cipher.getOpenSSLAlias()))
				.collect(Collectors.toSet());
		}
		catch (Exception ex) {
			throw new IllegalStateException("Unable to determine the cipher suites of OpenSSL", ex);
		}
	}

	private static boolean isAccepted(long settings, String command, String value) {
		try {
			return SSLConf.apply(settings, command, value) > 0;
		}
		catch (Exception ex) {
			// Tomcat Native throws an exception if OpenSSL does not know the value
			return false;
		}
	}

	@Override
	public EngineCapabilities capabilities() {
		return this.capabilities;
	}

	@Override
	public boolean signsAtOnce() {
		return true;
	}

	@Override
	public boolean needsDirectBuffers() {
		return true;
	}

	// Tomcat chooses its implementation itself once this listener has initialized APR.
	// The listener counts the servers of the JVM that need it. If the listener fails,
	// naming the implementation here would crash the JVM
	@Override
	public void prepare(Connector connector) {
		Server server = connector.getService().getServer();
		if (Arrays.stream(server.findLifecycleListeners()).noneMatch(AprLifecycleListener.class::isInstance)) {
			server.addLifecycleListener(new AprLifecycleListener());
		}
	}

	@Override
	public boolean isChosen(SSLImplementation implementation) {
		return implementation.getClass().getName().equals(OPENSSL_IMPLEMENTATION) && AprStatus.isAprAvailable();
	}

	@Override
	public TlsContext createContext(TlsHost host, List<String> applicationProtocols,
			Supplier<@Nullable SessionTicketKeys> ticketKeys, CertificateOrigin origin) {
		return OpenSslContext.of(host, applicationProtocols, ticketKeys, origin);
	}

	@Override
	public TlsContext createContext(TlsHost host, List<String> applicationProtocols,
			org.apache.tomcat.util.net.SSLContext provided) {
		throw new TlsSettingException(SettingName.CERTIFICATE,
				new SettingText("the virtual host '%s' has its own 'SSLContext', which OpenSSL cannot use",
						host.name()),
				new SettingText("Remove whatever sets 'sslContext', or set %s to 'never' if it is one of JSSE",
						SettingName.MODE),
				null);
	}

	@Override
	public TlsSession newClient(List<ProtocolVersion> versions) throws Exception {
		try (OpenSslContext context = OpenSslContext.ofClient(versions, this.capabilities.groups())) {
			return Objects.requireNonNull(context.newSession(List.of(), List.of(), RefusalListener.NONE));
		}
	}

	@Override
	public boolean isConclusive(SSLException failure) {
		return true;
	}

	// sslerr.h. The reason of an alert of the peer is its number and an offset
	@Override
	public HandshakeFailure failure(SSLException failure) {
		if (!(failure instanceof OpenSslException ex) || ex.error().library() != OpenSslError.SSL) {
			return HandshakeFailure.OTHER;
		}
		int reason = ex.error().reason();
		if (reason >= ALERT_OFFSET && reason <= ALERT_OFFSET + MOST_ALERTS) {
			return HandshakeFailure.ofAlert(reason - ALERT_OFFSET);
		}
		return switch (reason) {
			case PEER_DID_NOT_RETURN_A_CERTIFICATE -> HandshakeFailure.PEER_CERTIFICATE_MISSING;
			case CERTIFICATE_VERIFY_FAILED -> HandshakeFailure.PEER_CERTIFICATE_REFUSED;
			case EXCESSIVE_MESSAGE_SIZE -> HandshakeFailure.TOO_LARGE;
			default -> HandshakeFailure.OTHER;
		};
	}

}
