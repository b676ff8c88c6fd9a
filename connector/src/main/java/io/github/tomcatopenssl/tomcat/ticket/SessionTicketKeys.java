// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.ticket;

import java.util.ArrayList;
import java.util.List;

/**
 * The keys of session tickets that connectors share: the first encrypts session tickets,
 * all decrypt them.
 */
public final class SessionTicketKeys {

	private final List<User> users = new ArrayList<>();

	private volatile List<SessionTicketKey> keys;

	/**
	 * Create a new instance.
	 * @param keys the keys, that which encrypts first
	 */
	public SessionTicketKeys(List<SessionTicketKey> keys) {
		this.keys = List.copyOf(keys);
	}

	/**
	 * Return the keys in use.
	 * @return the keys, that which encrypts first
	 */
	public List<SessionTicketKey> keys() {
		return this.keys;
	}

	/**
	 * Replace the keys. All contexts of all connectors are made before the first is used:
	 * where one cannot be made, the keys before stay in use.
	 * @param replacement the keys, that which encrypts first
	 */
	public synchronized void replace(List<SessionTicketKey> replacement) {
		List<Runnable> publications = this.users.stream().map((user) -> user.prepare(replacement)).toList();
		this.keys = List.copyOf(replacement);
		publications.forEach(Runnable::run);
	}

	/**
	 * Add a user of the keys.
	 * @param user is told when there are others
	 */
	public synchronized void addUser(User user) {
		this.users.add(user);
	}

	/**
	 * Remove a user of the keys, which then is not called any more.
	 * @param user the user
	 */
	public synchronized void removeUser(User user) {
		this.users.remove(user);
	}

	/**
	 * Who uses the keys.
	 */
	public interface User {

		/**
		 * Prepare to use other keys.
		 * @param keys the keys, that which encrypts first
		 * @return uses them
		 */
		Runnable prepare(List<SessionTicketKey> keys);

	}

}
