// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The session ticket key that connectors share, which can be replaced.
 */
public final class SharedTicketKey {

	private final List<User> users = new ArrayList<>();

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
	 * Replace the key. The contexts of all connectors are created before the first one is
	 * used: if one cannot be created, the old key stays in use. What happens
	 * {@link #exclusively} happens before or after it, so that no context has to be
	 * created between the two, which could fail.
	 * @param replacement the key
	 */
	public synchronized void replace(SessionTicketKey replacement) {
		List<Runnable> publications = this.users.stream().map((user) -> user.prepare(replacement)).toList();
		this.key = replacement;
		this.since = Instant.now();
		publications.forEach(Runnable::run);
	}

	/**
	 * Do something that a replacement of the key must not meet halfway.
	 * @param action the action
	 */
	synchronized void exclusively(Runnable action) {
		action.run();
	}

	/**
	 * Add a user of the key.
	 * @param user is told when the key is replaced
	 */
	public synchronized void addUser(User user) {
		this.users.add(user);
	}

	/**
	 * Remove a user of the key, which is not called afterwards.
	 * @param user the user
	 */
	public synchronized void removeUser(User user) {
		this.users.remove(user);
	}

	/**
	 * A user of the key.
	 */
	public interface User {

		/**
		 * Prepare to use another key.
		 * @param key the key
		 * @return the action that starts to use the key, which must not fail
		 */
		Runnable prepare(SessionTicketKey key);

	}

}
