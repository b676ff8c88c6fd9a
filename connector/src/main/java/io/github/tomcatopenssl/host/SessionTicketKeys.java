// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.util.ArrayList;
import java.util.List;

/**
 * The session ticket keys that connectors share. The first key encrypts session tickets,
 * and all keys decrypt them.
 */
public final class SessionTicketKeys {

	private final List<User> users = new ArrayList<>();

	private volatile List<SessionTicketKey> keys;

	/**
	 * Create a new instance.
	 * @param keys the keys, the one that encrypts first
	 */
	public SessionTicketKeys(List<SessionTicketKey> keys) {
		this.keys = List.copyOf(keys);
	}

	/**
	 * Return the keys in use.
	 * @return the keys, the one that encrypts first
	 */
	public List<SessionTicketKey> keys() {
		return this.keys;
	}

	/**
	 * Replace the keys. The contexts of all connectors are created before the first one
	 * is used: if one cannot be created, the old keys stay in use.
	 * @param replacement the keys, the one that encrypts first
	 */
	public synchronized void replace(List<SessionTicketKey> replacement) {
		List<Runnable> publications = this.users.stream().map((user) -> user.prepare(replacement)).toList();
		this.keys = List.copyOf(replacement);
		publications.forEach(Runnable::run);
	}

	/**
	 * Add a user of the keys.
	 * @param user is told when the keys are replaced
	 */
	public synchronized void addUser(User user) {
		this.users.add(user);
	}

	/**
	 * Remove a user of the keys, which is not called afterwards.
	 * @param user the user
	 */
	public synchronized void removeUser(User user) {
		this.users.remove(user);
	}

	/**
	 * A user of the keys.
	 */
	public interface User {

		/**
		 * Prepare to use other keys.
		 * @param keys the keys, the one that encrypts first
		 * @return the action that starts to use the keys
		 */
		Runnable prepare(List<SessionTicketKey> keys);

	}

}
