// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.time.Clock;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.certificate.ReloadableFiles;
import io.github.tomcatopenssl.internal.host.EngineCapabilities;
import io.github.tomcatopenssl.internal.host.SessionTicketKeys;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Session ticket keys that replicas share. They are read when the first connector needs
 * them. Anyone who has them can decrypt what TLS 1.2 clients send.
 *
 * @param <C> where they come from, or why there are none
 */
abstract class SharedTicketKeys<C> extends ReloadableFiles<C> {

	private static final Log logger = LogFactory.getLog(SharedTicketKeys.class);

	private final ServerSslProperty property;

	private final String replaced;

	private final Consumer<ReloadableFiles<?>> poller;

	private final AtomicBoolean reported = new AtomicBoolean();

	private volatile @Nullable SessionTicketKeys keys;

	/**
	 * Create a new instance.
	 * @param property the property that asks for the keys
	 * @param messages what to log
	 * @param clock the clock for the current time
	 * @param poller receives this instance as soon as it has keys
	 */
	SharedTicketKeys(ServerSslProperty property, Messages messages, Clock clock, Consumer<ReloadableFiles<?>> poller) {
		super("session-ticket-key", null, messages.kept(), messages.restored(), clock);
		this.property = property;
		this.replaced = messages.replaced();
		this.poller = poller;
	}

	/**
	 * Return the keys for the virtual hosts of an engine.
	 * @param engine what the engine can do
	 * @return returns the keys in use; {@code null} for the engine's own
	 * @throws TlsSettingException if there are no keys
	 */
	@Nullable Supplier<SessionTicketKeys> of(EngineCapabilities engine) {
		if (!engine.sharedTicketKeys()) {
			if (this.reported.compareAndSet(false, true)) {
				logger.warn(
						"'%s' has no effect on JSSE, which serves TLS: its session ticket keys cannot be set. Serve TLS with OpenSSL, or remove the property"
							.formatted(this.property));
			}
			return null;
		}
		load();
		return () -> Objects.requireNonNull(this.keys);
	}

	private synchronized void load() {
		if (this.keys == null) {
			C content = read();
			this.keys = keys(content);
			started(content);
			this.poller.accept(this);
		}
	}

	/**
	 * Return the keys.
	 * @param content where they come from
	 * @return the keys
	 * @throws TlsSettingException if there are none
	 */
	protected abstract SessionTicketKeys keys(C content);

	/**
	 * Put keys into use.
	 * @param replacement the keys
	 */
	protected final void use(SessionTicketKeys replacement) {
		// Connections put other keys into use, even if they are equal
		if (!replacement.equals(this.keys)) {
			this.keys = replacement;
		}
	}

	@Override
	protected Runnable validate(C content) {
		SessionTicketKeys replacement = keys(content);
		return () -> {
			use(replacement);
			logger.info(this.replaced);
		};
	}

	/**
	 * What to log.
	 *
	 * @param replaced when there are other keys
	 * @param kept when there could be other keys
	 * @param restored when there is no problem any more
	 */
	record Messages(String replaced, String kept, String restored) {

	}

}
