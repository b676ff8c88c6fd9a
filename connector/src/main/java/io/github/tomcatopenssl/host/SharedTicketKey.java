// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The session ticket key that connectors share, which can be replaced.
 */
public final class SharedTicketKey {

	private final List<Consumer<SessionTicketKey>> users = new ArrayList<>();

	private volatile SessionTicketKey key;

	private volatile Instant since = Instant.now();

	/**
	 * Create a new instance.
	 * @param key the key
	 */
	public SharedTicketKey(SessionTicketKey key) {
		this.key = key;
	}

	/**
	 * Return the key in use.
	 * @return the key
	 */
	public SessionTicketKey get() {
		return this.key;
	}

	/**
	 * Return since when the key is in use.
	 * @return when it was first used or last replaced
	 */
	public Instant since() {
		return this.since;
	}

	/**
	 * Replace the key. What happens {@link #exclusively} happens before or after it, so
	 * that no context is left with the old key.
	 * @param replacement the key
	 */
	public synchronized void replace(SessionTicketKey replacement) {
		this.key = replacement;
		this.since = Instant.now();
		this.users.forEach((user) -> user.accept(replacement));
	}

	/**
	 * Do something that a replacement of the key must not meet halfway.
	 * @param action the action
	 */
	public synchronized void exclusively(Runnable action) {
		action.run();
	}

	/**
	 * Add a user of the key.
	 * @param user is told when the key is replaced
	 */
	public synchronized void addUser(Consumer<SessionTicketKey> user) {
		this.users.add(user);
	}

	/**
	 * Remove a user of the key, which is not called afterwards.
	 * @param user the user
	 */
	public synchronized void removeUser(Consumer<SessionTicketKey> user) {
		this.users.remove(user);
	}

}
