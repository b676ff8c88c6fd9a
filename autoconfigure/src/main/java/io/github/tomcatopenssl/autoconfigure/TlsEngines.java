// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.tomcatopenssl.LoadAttempt.Result;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.TomcatNativeStatus;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.Openssl;
import io.github.tomcatopenssl.endpoint.TlsConnectors;
import io.github.tomcatopenssl.internal.engine.TlsEngine;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleEvent;
import org.apache.catalina.Server;
import org.apache.catalina.connector.Connector;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.tomcat.autoconfigure.TomcatServerProperties.UseApr;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.core.NativeDetector;
import org.springframework.util.StringUtils;

/**
 * Decides which engine serves TLS on the connectors of the main server and of the
 * management server, and logs which one does, as read from the connector once it has
 * started. Loads Tomcat Native only if OpenSSL is wanted, and not before a connector
 * needs an engine.
 */
public class TlsEngines implements ApplicationListener<WebServerInitializedEvent> {

	// Results that mean a wrong library path, rather than a library that does not fit
	private static final Set<Result> INVALID_PATH = Set.of(Result.NOT_FOUND, Result.UNREADABLE, Result.FAILED);

	private static final Log logger = LogFactory.getLog(TlsEngines.class);

	private final ApplicationContext applicationContext;

	private final Openssl openssl;

	private final TomcatNative tomcatNative;

	private final @Nullable UseApr useApr;

	private final CopyOnWriteArrayList<Connector> connectors = new CopyOnWriteArrayList<>();

	TlsEngines(ApplicationContext applicationContext, Openssl openssl, TomcatNative tomcatNative,
			@Nullable UseApr useApr) {
		this.applicationContext = applicationContext;
		this.openssl = openssl;
		this.tomcatNative = tomcatNative;
		this.useApr = useApr;
	}

	/**
	 * Return the connectors that serve TLS and are running.
	 * @return the connectors
	 */
	public List<Connector> running() {
		return this.connectors.stream().filter((connector) -> connector.getState().isAvailable()).toList();
	}

	/**
	 * Return the engine that serves a connector.
	 * @param connector a connector that serves TLS
	 * @return the engine, which is JSSE if OpenSSL cannot serve the connector
	 * @throws TlsSettingException if OpenSSL is required and cannot serve TLS, or if the
	 * library path is wrong
	 */
	TlsEngine of(Connector connector) {
		return (unavailabilityCause(connector) == null) ? TlsEngine.openSsl() : TlsEngine.jsse();
	}

	/**
	 * Return the reason why OpenSSL does not serve a connector.
	 * @param connector a connector that serves TLS
	 * @return the reason and its remedy, or {@code null} if OpenSSL serves the connector
	 * @throws TlsSettingException if OpenSSL is required and cannot serve TLS, or if the
	 * library path is wrong
	 */
	@Nullable TlsSettingException unavailabilityCause(Connector connector) {
		TlsSettingException cause = unavailabilityCause();
		if (cause == null) {
			cause = TlsConnectors.unavailabilityCause(connector);
		}
		if (cause != null && this.openssl.required()) {
			throw refusal("OpenSSL cannot serve TLS: " + cause.getReason(ServerSslProperty::nameOf),
					cause.getAction(ServerSslProperty::nameOf) + (this.openssl.fipsRequired() ? ""
							: ". To fall back to JSSE instead, set 'server.ssl.openssl.mode' to 'when-available'"),
					cause);
		}
		return cause;
	}

	/**
	 * Return why JSSE serves a connector although OpenSSL is wanted.
	 * @param connector a connector that serves TLS
	 * @return the reason and its remedy, or {@code null} if the wanted engine serves it
	 */
	public @Nullable String fallback(Connector connector) {
		TlsSettingException cause = this.openssl.wanted() ? unavailabilityCause(connector) : null;
		return (cause != null) ? "OpenSSL is not active, JSSE serves TLS: %s. %s"
			.formatted(cause.getReason(ServerSslProperty::nameOf), cause.getAction(ServerSslProperty::nameOf)) : null;
	}

	private @Nullable TlsSettingException unavailabilityCause() {
		if (!this.openssl.wanted()) {
			if (this.openssl.fipsRequired()) {
				throw refusal("'server.ssl.openssl.mode' is 'never', and the two contradict each other",
						"Remove either 'server.ssl.openssl.fips-mode' or 'server.ssl.openssl.mode'", null);
			}
			return ServerSslProperty.OPENSSL_MODE.failure("server.ssl.openssl.mode is 'never'", "Remove the property");
		}
		if (this.useApr == UseApr.NEVER) {
			return new TlsSettingException("server.tomcat.use-apr", null, "server.tomcat.use-apr is 'never'",
					"Remove 'server.tomcat.use-apr', or set 'server.ssl.openssl.mode' to 'never' if you want JSSE",
					null);
		}
		TlsSettingException cause = this.tomcatNative.unavailabilityCause();
		if (cause != null && StringUtils.hasText(this.openssl.libraryPath()) && !NativeDetector.inNativeImage()
				&& this.tomcatNative.status()
					.attempts()
					.stream()
					.allMatch((attempt) -> INVALID_PATH.contains(attempt.result()))) {
			throw new TlsSettingException(ServerSslProperty.OPENSSL_LIBRARY_PATH.toString(), null,
					"it is '%s', but %s".formatted(this.openssl.libraryPath(),
							cause.getReason(ServerSslProperty::nameOf)),
					"Correct 'server.ssl.openssl.library-path', or remove it", cause);
		}
		return cause;
	}

	// The property is the one that requires OpenSSL
	private TlsSettingException refusal(String reason, String action, @Nullable Throwable cause) {
		boolean fips = this.openssl.fipsRequired();
		ServerSslProperty property = fips ? ServerSslProperty.OPENSSL_FIPS_MODE : ServerSslProperty.OPENSSL_MODE;
		return new TlsSettingException(property.toString(), null,
				"it is '%s', but %s".formatted(fips ? "required" : "always", reason), action, cause);
	}

	/**
	 * Stop a server before it accepts clients if OpenSSL is required and does not serve
	 * all of its connectors.
	 * @param server a server that is not initialized yet
	 */
	void enforce(Server server) {
		if (this.openssl.required()) {
			server.addLifecycleListener(this::requireOpenSsl);
		}
	}

	private void requireOpenSsl(LifecycleEvent event) {
		if (Lifecycle.AFTER_INIT_EVENT.equals(event.getType())) {
			TlsConnectors.of((Server) event.getLifecycle()).forEach(this::unavailabilityCause);
		}
	}

	@Override
	public void onApplicationEvent(WebServerInitializedEvent event) {
		WebServerApplicationContext context = event.getApplicationContext();
		// A child context that is an application has an instance of its own. Its events
		// also arrive here
		boolean management = WebServerApplicationContext.hasServerNamespace(context, "management");
		if ((context == this.applicationContext || management && context.getParent() == this.applicationContext)
				&& event.getWebServer() instanceof TomcatWebServer webServer) {
			for (Connector connector : TlsConnectors.of(webServer.getTomcat().getServer())) {
				report(connector);
				this.connectors.addIfAbsent(connector);
			}
		}
	}

	private void report(Connector connector) {
		List<String> engines = TlsConnectors.engines(connector);
		if (engines.isEmpty()) {
			// The connector was not started, as with 'server.port: -1'
			return;
		}
		String place = "on port %d (%s)".formatted(connector.getLocalPort(), connector.getScheme());
		logger.debug("Key exchange groups %s: %s".formatted(place, TlsConnectors.groups(connector)));
		SecurityPolicy preview = TlsConnectors.policyPreview(connector);
		logger.debug("TLS policy %s: %s%s".formatted(place, TlsConnectors.policy(connector),
				(preview != null) ? ", preview of " + preview : ""));
		if (engines.equals(List.of(TlsConnectors.OPENSSL))) {
			TomcatNativeStatus status = this.tomcatNative.status();
			logger.info("OpenSSL is active %s: %s, Tomcat Native %s, APR %s, library %s%s".formatted(place,
					status.openSslVersion(), status.version(), status.aprVersion(), status.library(),
					status.fips() ? ", FIPS" : ""));
			return;
		}
		if (NativeDetector.inNativeImage()) {
			// 'EnforcementCustomizer' has logged it
			return;
		}
		String engine = String.join(" and ", engines);
		TlsSettingException cause = unavailabilityCause(connector);
		if (cause == null) {
			cause = ServerSslProperty.OPENSSL_MODE.failure("another bean has added the connector to a started server",
					"Add it to the web server factory");
		}
		String message = "OpenSSL is not active %s, %s serves TLS: %s".formatted(place, engine,
				cause.getReason(ServerSslProperty::nameOf));
		if (this.openssl.wanted()) {
			logger.warn(message + ". " + cause.getAction(ServerSslProperty::nameOf));
		}
		else {
			logger.info(message);
		}
	}

}
